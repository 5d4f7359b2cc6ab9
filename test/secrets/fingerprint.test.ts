import { createHmac, scryptSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { fingerprintCost } from "../../src/core/secrets/fingerprint.js";
import {
  computeFingerprint,
  createStateKey,
  matchFingerprint,
  Sealed,
} from "../../src/core/secrets/index.js";

// Restores the production cost, which cheap-fingerprints.ts reduces.
fingerprintCost.log2N = 15;

/** Returns a random source whose bytes count up. */
function createCountingSource() {
  let next = 0;
  const randomBytes = (size: number) => Uint8Array.from({ length: size }, () => next++ % 256);
  return { ...nodeSystem, randomBytes };
}

const value = new Sealed("canary-0001");
const stateKey = createStateKey(createCountingSource());
const extra = new Sealed("from the vault");
const bare = await computeFingerprint(value, { stateKey }, createCountingSource());
const keyed = await computeFingerprint(value, { stateKey, extra }, createCountingSource());

test("creates a state key of 32 random bytes", () => {
  expect(stateKey).toBe("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
  expect(createStateKey(nodeSystem)).toMatch(/^[\w-]{43}$/);
  expect(createStateKey(nodeSystem)).not.toBe(createStateKey(nodeSystem));
});

test("keeps the fingerprint format, so that old states still match", () => {
  expect([bare, keyed]).toMatchInlineSnapshot(`
    [
      "v1:15,8,1:AAECAwQFBgcICQoLDA0ODw:6xP9f5M9bpHSB8igXuxTdZPErQY8U8JTvsqoB7YVRNE:mkYVmNel",
      "v1:15,8,1:AAECAwQFBgcICQoLDA0ODw:0a959OnkF7dQB0897OhDiRarU9Hfe389oPOBZE0VeJc:c9m6romw",
    ]
  `);
});

test("gives equal values different fingerprints", async () => {
  expect(await computeFingerprint(value, { stateKey }, nodeSystem)).not.toBe(
    await computeFingerprint(value, { stateKey }, nodeSystem),
  );
});

describe("fingerprint match", () => {
  const other = new Sealed("canary-0002");
  const costing = (cost: string) => bare.replace("15,8,1", cost);
  test.each([
    ["the value", value, bare, { stateKey }, "same"],
    ["the value, with the extra key", value, keyed, { stateKey, extra }, "same"],
    ["another value", other, bare, { stateKey }, "different"],
    ["another value, with the extra key", other, keyed, { stateKey, extra }, "different"],
    ["a value without its extra key", value, keyed, { stateKey }, "other-key"],
    ["a value with an unexpected extra key", value, bare, { stateKey, extra }, "other-key"],
    ["a value with another extra key", value, keyed, { stateKey, extra: new Sealed("x") }, "other-key"],
    [
      "a value with the key of another state",
      value,
      bare,
      { stateKey: createStateKey(nodeSystem) },
      "other-key",
    ],
    [
      "a value with a fingerprint of a later version",
      value,
      bare.replace("v1", "v2"),
      { stateKey },
      "other-key",
    ],
    ["a value without a fingerprint", value, "", { stateKey }, "other-key"],
    ["a value with a truncated fingerprint", value, bare.slice(0, -1), { stateKey }, "other-key"],
    [
      "a value with a fingerprint that would take all memory",
      value,
      costing("30,8,1"),
      { stateKey },
      "other-key",
    ],
    ["a value with a fingerprint of twice our cost", value, costing("16,8,1"), { stateKey }, "other-key"],
    [
      "a value with a fingerprint of four times our cost",
      value,
      costing("15,8,4"),
      { stateKey },
      "other-key",
    ],
    [
      "a value with a fingerprint of high parallelism",
      value,
      costing("1,1,999999"),
      { stateKey },
      "other-key",
    ],
    ["a value with a fingerprint of no cost", value, costing("0,8,1"), { stateKey }, "other-key"],
  ])("compares %s", async (_, candidate, made, key, answer) => {
    expect(await matchFingerprint(candidate, made, key, nodeSystem)).toBe(answer);
  });

  test("accepts a fingerprint with a different cost, for example from a later version", async () => {
    // Computed with 2^14, r 8, p 2, as described at the top of fingerprint.ts.
    const salt = Buffer.alloc(16, 7);
    const hmac = (key: string | Buffer, data: string | Buffer) =>
      createHmac("sha256", key).update(data).digest();
    const key = hmac(stateKey, scryptSync("from the vault", salt, 32, { N: 2 ** 14, r: 8, p: 2 }));
    const hash = scryptSync(hmac(key, "canary-0001"), salt, 32, { N: 2 ** 14, r: 8, p: 2 });
    const check = hmac(key, "avatarops key check").subarray(0, 6);
    const made = ["v1", "14,8,2", ...[salt, hash, check].map((part) => part.toString("base64url"))].join(":");
    expect(await matchFingerprint(value, made, { stateKey, extra }, nodeSystem)).toBe("same");
  });
});
