import { fingerprint, matchFingerprint, type Sealed } from "../secrets/index.js";

/** A fingerprint as it is kept, and the key it was made with. */
export interface RecordedFingerprint {
  readonly key: string;
  readonly made: string;
}

/** What is known of a write-only value, by its fingerprint. */
export type SecretChange =
  | "same"
  | "changed"
  /** There is nothing to compare it with. */
  | "unrecorded"
  /** It was made with another `fingerprint_key`. */
  | "other-key";

/** Whether a value is another than the one that was last sent. `extra`: the user's `fingerprint_key`. */
export async function secretChange(
  value: Sealed,
  recorded: RecordedFingerprint | undefined,
  extra: Sealed | undefined,
): Promise<SecretChange> {
  if (!recorded) return "unrecorded";
  const answer = await oneAtATime(() => matchFingerprint(value, recorded.made, keys(recorded.key, extra)));
  return answer === "different" ? "changed" : answer;
}

/** The fingerprint to keep of a value that is about to be sent. */
export function fingerprintOf(value: Sealed, key: string, extra: Sealed | undefined): Promise<string> {
  return oneAtATime(() => fingerprint(value, keys(key, extra)));
}

function keys(stateKey: string, extra: Sealed | undefined) {
  return { stateKey, ...(extra ? { extra } : {}) };
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other: each fingerprint takes tens of megabytes while it is made. */
function oneAtATime<T>(make: () => Promise<T>): Promise<T> {
  const mine = last.then(make, make);
  last = mine.catch(() => {});
  return mine;
}
