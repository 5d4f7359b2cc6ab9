/** One safe read and one safe write of an object, shared by the command and the Terraform provider. */

export {
  makeFingerprint,
  type RecordedFingerprint,
  type SecretChange,
  secretChange,
} from "./fingerprints.js";
export { findLostCreate, type LostCreate, type LostCreateResult } from "./lost-create.js";
export type { Mismatch } from "./mismatch.js";
export { type ObservedById, type ObserveOptions, observeById } from "./observe.js";
export { readCurrent } from "./read-current.js";
export { type RemoveContext, removeObject } from "./remove.js";
export { removeOld } from "./remove-old.js";
export {
  requestToken,
  type TokenOptions,
  type TokenRequest,
  type TokenResult,
} from "./session-token.js";
export { startStopwatch } from "./stopwatch.js";
export { withValue } from "./with-value.js";
export { createObject, type UpdateOptions, updateObject } from "./write.js";
export type { WriteContext, WriteOnlyValues } from "./write-context.js";
export type { RemoveResult, WriteResult } from "./write-result.js";
