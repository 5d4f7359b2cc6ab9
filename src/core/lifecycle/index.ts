/** One safe read and one safe write of an object, shared by the command and the Terraform provider. */

/** Detects changes of write-only values without storing them. */
export { fingerprintOf, type RecordedFingerprint, type SecretChange, secretChange } from "./fingerprints.js";
/** Finds the object of a create whose answer was lost (rule 2). */
export { findLostCreate, type LostCreate, type LostCreateResult } from "./lost-create.js";
/** Compares what the service stored with what was sent (rule 3). */
export type { Mismatch } from "./mismatch.js";
/** Reads one object with as few requests as possible (rule 7). */
export { type ObservedById, type ObserveOptions, observeById } from "./observe.js";
export { readCurrent } from "./read-current.js";
/** Deletes an object; may be repeated. */
export { type RemoveContext, removeObject } from "./remove.js";
/** Requests a token to start a session with (§4.5). */
export {
  requestToken,
  type TokenOptions,
  type TokenRequest,
  type TokenResult,
} from "./session-token.js";
/** Measures when something started, by the service's clock. */
export { startStopwatch } from "./stopwatch.js";
/** Sets one value in a body. */
export { withValue } from "./with-value.js";
/** Writes an object: a create at most once, an update only over what was seen. */
export { createObject, type UpdateOptions, updateObject } from "./write.js";
export type { WriteContext, WriteOnlyValues } from "./write-context.js";
export type { RemoveResult, WriteResult } from "./write-result.js";
