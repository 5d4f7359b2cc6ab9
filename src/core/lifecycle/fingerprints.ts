import type { System } from "../../base/system/index.js";
import { fingerprint, matchFingerprint, type Sealed } from "../secrets/index.js";

/** A stored fingerprint and its key. */
export interface RecordedFingerprint {
  readonly key: string;
  readonly made: string;
}

/** What a fingerprint says about a write-only value. */
export type SecretChange =
  | "same"
  | "changed"
  /** There is nothing to compare it with. */
  | "unrecorded"
  /** It was made with another `fingerprint_key`. */
  | "other-key";

/** Whether a value differs from the last one sent. `extra`: the user's `fingerprint_key`. */
export async function secretChange(
  value: Sealed,
  recorded: RecordedFingerprint | undefined,
  extra: Sealed | undefined,
  system: System,
): Promise<SecretChange> {
  if (!recorded) return "unrecorded";
  const result = await oneAtATime(() =>
    matchFingerprint(value, recorded.made, { stateKey: recorded.key, extra }, system),
  );
  return result === "different" ? "changed" : result;
}

/** The fingerprint to store of a value that is about to be sent. */
export function makeFingerprint(
  value: Sealed,
  key: string,
  extra: Sealed | undefined,
  system: System,
): Promise<string> {
  return oneAtATime(() => fingerprint(value, { stateKey: key, extra }, system));
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: computing a fingerprint takes tens of megabytes. */
function oneAtATime<T>(make: () => Promise<T>): Promise<T> {
  const mine = last.then(make, make);
  last = mine.catch(() => {});
  return mine;
}
