/** One safe read and one safe write of an object: what the command and the Terraform provider share. */

/** Whether a write-only value changed, told without keeping it. */
export { fingerprintOf, type RecordedFingerprint, type SecretChange, secretChange } from "./fingerprints.js";
/** Finding what a create made whose answer was lost (rule 2). */
export { findLostCreate, type LostCreate, type LostCreateResult } from "./lost-create.js";
/** How what the service stored differs from what was sent (rule 3). */
export type { Mismatch } from "./mismatch.js";
/** Reading one object with as few requests as can be (rule 7). */
export { type ObservedById, type ObserveOptions, observeById } from "./observe.js";
export { readCurrent } from "./read-current.js";
/** Deleting an object, which may be done more than once. */
export { type RemoveContext, removeObject } from "./remove.js";
/** A token to start a session with (§4.5). */
export { requestToken, type TokenOptions, type TokenResult } from "./session-token.js";
/** When something began, by the service's clock. */
export { startStopwatch } from "./stopwatch.js";
/** Writing an object: a create at most once, an update only over what was seen. */
export { createObject, type UpdateOptions, updateObject } from "./write.js";
export type { WriteContext, WriteOnlyValues } from "./write-context.js";
export type { RemoveResult, WriteResult } from "./write-result.js";
