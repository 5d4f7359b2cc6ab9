import { createHmac, timingSafeEqual } from "node:crypto";
import type { System } from "../../base/system/index.js";
import type { Sealed } from "./sealed.js";

/**
 * Keys for fingerprints, which show whether a secret changed without storing the value. A fingerprint is a salted
 * scrypt hash over an HMAC of the value, so each guess costs tens of milliseconds and 32 MB. A short key check, also
 * made with scrypt, distinguishes a missing or different `fingerprint_key` from a changed secret.
 *
 * Format: `v1:<log2 N>,<r>,<p>:<salt>:<hash>:<key check>`, with bytes in base64url. The parameters are included, so
 * that fingerprints with older parameters still match.
 */
export interface FingerprintKey {
  /** `fingerprintKey` from the state. */
  readonly stateKey: string;
  /** `fingerprint_key` from the manifest. Without a long random key, short or common values can be guessed. */
  readonly extra?: Sealed;
}

interface Cost {
  log2N: number;
  r: number;
  p: number;
}

/** Cost of a new fingerprint. Only tests change it. */
export const fingerprintCost: Cost = { log2N: 15, r: 8, p: 1 };
const maxWork = computeWork(fingerprintCost);

export function createStateKey({ randomBytes }: Pick<System, "randomBytes">): string {
  return encodeBase64(randomBytes(32));
}

export async function computeFingerprint(
  value: Sealed,
  key: FingerprintKey,
  system: System,
): Promise<string> {
  const salt = system.randomBytes(16);
  const keyed = await deriveKey(key, salt, fingerprintCost, system);
  const hash = await hashSlowly(value, keyed, salt, fingerprintCost, system);
  const { log2N, r, p } = fingerprintCost;
  return [
    "v1",
    `${log2N},${r},${p}`,
    encodeBase64(salt),
    encodeBase64(hash),
    encodeBase64(deriveCheck(keyed)),
  ].join(":");
}

/**
 * Compares a value with a fingerprint. Returns `other-key` if the fingerprint was made with another key or has an
 * unknown format.
 */
export async function matchFingerprint(
  value: Sealed,
  made: string,
  key: FingerprintKey,
  system: System,
): Promise<"same" | "different" | "other-key"> {
  const known = parseFingerprint(made);
  if (!known) return "other-key";
  const keyed = await deriveKey(key, known.salt, known.cost, system);
  if (!timingSafeEqual(deriveCheck(keyed), known.check)) return "other-key";
  const hash = await hashSlowly(value, keyed, known.salt, known.cost, system);
  return timingSafeEqual(hash, known.hash) ? "same" : "different";
}

type Bytes = string | Uint8Array;

async function deriveKey(
  { stateKey, extra }: FingerprintKey,
  salt: Uint8Array,
  cost: Cost,
  system: System,
): Promise<Uint8Array> {
  return computeHmac(stateKey, extra ? await stretchKey(extra.reveal(), salt, cost, system) : "no extra key");
}

function deriveCheck(keyed: Uint8Array): Uint8Array {
  return computeHmac(keyed, "avatarops key check").subarray(0, 6);
}

function hashSlowly(
  value: Sealed,
  keyed: Uint8Array,
  salt: Uint8Array,
  cost: Cost,
  system: System,
): Promise<Uint8Array> {
  return stretchKey(computeHmac(keyed, value.reveal()), salt, cost, system);
}

function stretchKey(
  secret: Bytes,
  salt: Uint8Array,
  { log2N, r, p }: Cost,
  system: System,
): Promise<Uint8Array> {
  const N = 2 ** log2N;
  return system.deriveKey(secret, salt, { N, r, p, maxmem: 256 * N * r });
}

const form = /^v1:(\d+),(\d+),(\d+):([\w-]{22}):([\w-]{43}):([\w-]{8})$/;

function parseFingerprint(made: string) {
  const [, log2N, r, p, salt = "", hash = "", check = ""] = form.exec(made) ?? [];
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const parsed = { cost, salt: encodeUtf8(salt), hash: encodeUtf8(hash), check: encodeUtf8(check) };
  return isAffordable(cost) ? parsed : undefined;
}

/**
 * Returns whether verifying costs no more than with our own parameters. A hand-edited state must not make a plan use
 * all memory or run all day.
 */
function isAffordable(cost: Cost): boolean {
  return Object.values(cost).every((part) => part >= 1) && computeWork(cost) <= maxWork;
}

function computeWork({ log2N, r, p }: Cost): number {
  return 2 ** log2N * r * p;
}

function computeHmac(key: Bytes, data: Bytes): Uint8Array {
  return createHmac("sha256", key).update(data).digest();
}

function encodeBase64(value: Uint8Array): string {
  return Buffer.from(value).toString("base64url");
}

function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text, "base64url");
}
