/** Where secret values come from, and how they are recognised without being stored. */
export { describe } from "./describe.js";
export {
  type FingerprintKey,
  fingerprint,
  matchFingerprint,
  newStateKey,
  type Random,
} from "./fingerprint.js";
export { resolve } from "./resolve.js";
export { Sealed } from "./sealed.js";
export type { ValueSource } from "./source.js";
export type { SourceEnvironment } from "./source-environment.js";
export { SourceError, type SourceErrorCode } from "./source-error.js";
