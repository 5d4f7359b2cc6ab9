import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Sealed } from "./sealed.js";

/**
 * Recognising a secret without keeping it.
 *
 * The service never shows a secret again, so to tell whether a value has changed since it was sent, the state keeps a
 * fingerprint of it: scrypt over an HMAC of the value, with a salt of its own.
 *
 * What it protects: the state lies in git, and is read by more people than the secrets are. From a fingerprint no value
 * can be computed; equal values have different fingerprints; and a guess costs tens of milliseconds and 32 MB, so that
 * the keys providers issue, long and random, cannot be found.
 *
 * What it does not: the state's own key lies beside the fingerprints, in the same file. It keeps tables made in advance
 * from being of use, and nothing more. A short or common value, a password someone thought up, can be guessed by who
 * has the state. Against that there is `fingerprint_key`: a second key, from a vault or the environment, which is not
 * in the state. With a long random one, who has the state alone cannot even begin to guess.
 *
 * A fingerprint also carries a short check of the keys it was made with, so that another or a missing `fingerprint_key`
 * is told apart from another value: else forgetting to set a variable would send every secret anew. The check is made
 * from the extra key by scrypt, too, so that it is no quicker way to guess that key.
 *
 * The form: `v1:<log2 N>,<r>,<p>:<salt>:<hash>:<key check>`, bytes in base64url. It carries its parameters, so that
 * later ones may be costlier and old fingerprints still be recognised.
 */
export interface FingerprintKey {
  /** `fingerprintKey` of the state. */
  readonly stateKey: string;
  /** `fingerprint_key` of the manifest. */
  readonly extra?: Sealed;
}

/** Gives so many random bytes: the system's, save in tests. */
export type Random = (bytes: number) => Uint8Array;

const currentCost = { log2N: 15, r: 8, p: 1 };

/** A new key for a state that has none. */
export function newStateKey(random: Random = randomBytes): string {
  return base64(random(32));
}

/** The fingerprint of a value. */
export async function fingerprint(
  value: Sealed,
  key: FingerprintKey,
  random: Random = randomBytes,
): Promise<string> {
  const salt = random(16);
  const keyed = await keyOf(key, salt, currentCost);
  const hash = await slowHash(value, keyed, salt, currentCost);
  const { log2N, r, p } = currentCost;
  return ["v1", `${log2N},${r},${p}`, base64(salt), base64(hash), base64(checkOf(keyed))].join(":");
}

/**
 * Whether the fingerprint is of this value. `other-key`: made with another key, or in a form we do not know, so that
 * nothing can be said.
 */
export async function matchFingerprint(
  value: Sealed,
  made: string,
  key: FingerprintKey,
): Promise<"same" | "different" | "other-key"> {
  const known = parse(made);
  if (!known) return "other-key";
  const keyed = await keyOf(key, known.salt, known.cost);
  if (!timingSafeEqual(checkOf(keyed), known.check)) return "other-key";
  const hash = await slowHash(value, keyed, known.salt, known.cost);
  return timingSafeEqual(hash, known.hash) ? "same" : "different";
}

type Cost = typeof currentCost;
type Bytes = string | Uint8Array;

const scryptAsync = promisify<Bytes, Uint8Array, number, object, Buffer>(scrypt);

/** Both keys made one. */
async function keyOf({ stateKey, extra }: FingerprintKey, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
  return hmac(stateKey, extra ? await stretch(extra.reveal(), salt, cost) : "no extra key");
}

function checkOf(keyed: Uint8Array): Uint8Array {
  return hmac(keyed, "avatarops key check").subarray(0, 6);
}

function slowHash(value: Sealed, keyed: Uint8Array, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
  return stretch(hmac(keyed, value.reveal()), salt, cost);
}

function stretch(secret: Bytes, salt: Uint8Array, { log2N, r, p }: Cost): Promise<Uint8Array> {
  const N = 2 ** log2N;
  return scryptAsync(secret, salt, 32, { N, r, p, maxmem: 256 * N * r });
}

const form = /^v1:(\d+),(\d+),(\d+):([\w-]{22}):([\w-]{43}):([\w-]{8})$/;

function parse(made: string) {
  const [, log2N, r, p, salt = "", hash = "", check = ""] = form.exec(made) ?? [];
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const parsed = { cost, salt: bytes(salt), hash: bytes(hash), check: bytes(check) };
  return isAffordable(cost) ? parsed : undefined;
}

/** A state altered by hand must not make a plan take all memory, or all day: nothing costs more than what we write. */
function isAffordable(cost: Cost): boolean {
  return Object.values(cost).every((part) => part >= 1) && workOf(cost) <= workOf(currentCost);
}

function workOf({ log2N, r, p }: Cost): number {
  return 2 ** log2N * r * p;
}

function hmac(key: Bytes, data: Bytes): Uint8Array {
  return createHmac("sha256", key).update(data).digest();
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString("base64url");
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "base64url");
}
