/** Where secret values come from, and how they are recognised without being kept. */
export { type FingerprintKey, fingerprint, newStateKey, recognise } from "./fingerprint.js";
export { describe, resolve, type SourceWorld } from "./resolve.js";
export { Sealed } from "./sealed.js";
export type { ValueSource } from "./source.js";
export { SourceError, type SourceProblem } from "./source-error.js";
