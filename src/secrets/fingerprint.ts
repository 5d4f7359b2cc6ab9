/**
 * Fingerprints of secret values: enough to notice a new value, too little to find out the old one.
 *
 * The service never gives a secret back, so whether the value in CI is still the one that was sent can only be told
 * by remembering something of it. A plain hash would do, and would let anybody who reads the state try candidates by
 * the billion. So the value goes through HMAC with a key, and then through scrypt with a salt of its own:
 *
 *     slow      scrypt takes tens of milliseconds and 32 MB a guess
 *     salted    equal values have different fingerprints
 *     keyed     without the key there is nothing to try
 *
 * What it does not do: the state's own key stands in the state file beside the fingerprint, so a short, guessable
 * value can still be guessed by who has the file, slowly. API keys are long and random, which is what protects them
 * then. With `fingerprint_key` in the manifest, taken from a vault, guessing needs that key too.
 */
import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Sealed } from "./sealed.js";

const slowly = promisify<Buffer, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);

/** Cost of one guess: 2^15 blocks of 1 KB. */
const cost = { N: 2 ** 15, r: 8, p: 1 };

/** What fingerprints are made with. */
export interface FingerprintKey {
  /** Random, kept in the state. */
  readonly stateKey: string;
  /** The manifest's `fingerprint_key`. */
  readonly extra?: Sealed;
}

/** A fresh key for a state, 32 random bytes in base64url. */
export function newStateKey(): string {
  return randomBytes(32).toString("base64url");
}

/** The fingerprint: version, which key was mixed in, parameters, salt and hash, in one text. */
export async function fingerprint(value: Sealed, key: FingerprintKey): Promise<string> {
  const salt = randomBytes(16);
  const hash = await digest(value, key, salt, cost);
  const { N, r, p } = cost;
  return ["1", markOf(key), `${N},${r},${p}`, salt.toString("base64url"), hash.toString("base64url")].join(
    ":",
  );
}

/** Whether the value is the one a fingerprint was made of; "other-key" where that cannot be told. */
export async function recognise(
  value: Sealed,
  made: string,
  key: FingerprintKey,
): Promise<"same" | "different" | "other-key"> {
  const [version, mark, parameters = "", salt = "", hash = ""] = made.split(":");
  const [N = 0, r = 0, p = 0] = parameters.split(",").map(Number);
  // A state edited by hand must not make a plan take all memory.
  if (version !== "1" || mark !== markOf(key) || !isAffordable(N, r, p)) return "other-key";
  const expected = Buffer.from(hash, "base64url");
  const actual = await digest(value, key, Buffer.from(salt, "base64url"), { N, r, p });
  return expected.length === actual.length && timingSafeEqual(expected, actual) ? "same" : "different";
}

function isAffordable(N: number, r: number, p: number): boolean {
  return N >= 2 ** 10 && N <= 2 ** 17 && (N & (N - 1)) === 0 && r >= 1 && r <= 16 && p >= 1 && p <= 4;
}

async function digest(
  value: Sealed,
  key: FingerprintKey,
  salt: Buffer,
  { N, r, p }: { N: number; r: number; p: number },
): Promise<Buffer> {
  const keyed = createHmac("sha256", keyOf(key)).update(value.reveal(), "utf8").digest();
  return slowly(keyed, salt, 32, { N, r, p, maxmem: 256 * N * r });
}

function keyOf({ stateKey, extra }: FingerprintKey): Buffer {
  const mac = createHmac("sha256", stateKey);
  if (extra) mac.update(extra.reveal(), "utf8");
  return mac.digest();
}

/** Tells which keys were mixed in, and nothing about them: 48 bits of a hash over a key of 256 random bits. */
function markOf(key: FingerprintKey): string {
  return createHmac("sha256", keyOf(key)).update("mark").digest("base64url").slice(0, 8);
}
