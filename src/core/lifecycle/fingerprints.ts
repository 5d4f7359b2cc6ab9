import type { System } from "../../base/system/index.js";
import { computeFingerprint, matchFingerprint, type Sealed } from "../secrets/index.js";

/** Stored fingerprint and its key. */
export interface RecordedFingerprint {
  readonly key: string;
  readonly made: string;
}

/** Result of comparing a write-only value with the stored fingerprint. */
export type SecretChange =
  | "same"
  | "changed"
  /** No fingerprint is stored. */
  | "unrecorded"
  /** The stored fingerprint was made with another `fingerprint_key`. */
  | "other-key";

/** Compares a value with the value last sent. `extra` is the user's `fingerprint_key`. */
export async function detectSecretChange(
  value: Sealed,
  recorded: RecordedFingerprint | undefined,
  extra: Sealed | undefined,
  system: System,
): Promise<SecretChange> {
  if (!recorded) return "unrecorded";
  const result = await runInTurn(() =>
    matchFingerprint(value, recorded.made, { stateKey: recorded.key, extra }, system),
  );
  return result === "different" ? "changed" : result;
}

/** Makes the fingerprint to store for a value that is about to be sent. */
export function makeFingerprint(
  value: Sealed,
  key: string,
  extra: Sealed | undefined,
  system: System,
): Promise<string> {
  return runInTurn(() => computeFingerprint(value, { stateKey: key, extra }, system));
}

let last: Promise<unknown> = Promise.resolve();

/** Computes one fingerprint at a time, because each takes tens of megabytes of memory. */
function runInTurn<T>(make: () => Promise<T>): Promise<T> {
  const result = last.then(make, make);
  last = result.catch(() => {});
  return result;
}
