import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { UsageError } from "../../src/base/diagnostics/index.js";
import type { Change, Plan } from "../../src/core/engine/index.js";
import { digestChanges } from "../../src/core/kinds/index.js";
import { readPlan, writePlan } from "../../src/output/documents/index.js";
import { createChange, createPlan as draft, everything as sample } from "../render/samples.js";

/** Adds the digest of the changes, as the engine does. */
function addDigest(unbound: Plan): Plan {
  return { ...unbound, digest: digestChanges(unbound.basis, unbound.changes) };
}

const createPlan = (changes: readonly Change[]) => addDigest(draft(changes));
const everything = addDigest(sample);

function readProblem(text: string): string {
  try {
    readPlan(text);
  } catch (error) {
    if (error instanceof UsageError) return error.code;
    throw error;
  }
  return "none";
}

test("keeps every prompt character in a saved plan", () => {
  const odd = createPlan([
    createChange({
      address: "context.odd",
      action: "create",
      wanted: {
        prompt: "\u001b[31m \u2028 \ud800 \r\n 漢 `${x}` \u0000",
        links: [{ url: "https://a", faq: "" }],
      },
    }),
    createChange({
      address: "context.kept",
      action: "keep",
      reason: "unchanged",
      id: "c-1",
      entry: { id: "c-1", applied: { prompt: { digest: "1:x", length: 5000 } } },
    }),
  ]);
  expect(readPlan(writePlan(odd))).toEqual(odd);
  expect(readPlan(writePlan(everything))).toEqual(everything);
  expect(readPlan(writePlan(createPlan([])))).toEqual(createPlan([]));
});

test("accepts a saved plan with its keys in any order", () => {
  const { basis, changes, ...rest } = everything;
  expect(readPlan(writePlan({ ...rest, changes, basis }))).toEqual(everything);
});

test("accepts a saved plan with changed line endings or indentation", () => {
  const text = writePlan(everything);
  expect(readPlan(text.replaceAll("\n", "\r\n"))).toEqual(everything);
  expect(readPlan(JSON.stringify(JSON.parse(text), null, 4))).toEqual(everything);
});

test.each([
  ["a word of a prompt", (text: string) => text.replace("warmly", "coldly"), "edited"],
  ["the service", (text: string) => text.replace("api.example.com", "api.example.org"), "edited"],
  ["an added key", (text: string) => text.replace('"plan": {', '"plan": { "extra": 1,'), "edited"],
  ["a missing bracket", (text: string) => text.replace('"changes": [', '"changes": '), "edited"],
  ["a later version", (text: string) => text.replace('"version": 1', '"version": 2'), "newer-version"],
  ["the last line missing", (text: string) => text.slice(0, -2), "edited"],
  ["the second half missing", (text: string) => text.slice(0, text.length / 2), "edited"],
  ["another document", () => '{"format":"avatarops/plan","version":1}', "not-a-plan"],
  ["an empty file", () => "", "not-a-plan"],
  ["a list", () => "[1]", "not-a-plan"],
  ["null", () => "null", "not-a-plan"],
])("rejects a damaged or foreign plan file: %s", (_, spoil, problem) => {
  expect(readProblem(spoil(writePlan(everything)))).toBe(problem);
});

test("saves a plan of ten thousand unchanged objects in less than 3 MB", () => {
  const keeps = Array.from({ length: 10_000 }, (_, at) =>
    createChange({ address: `context.c${at}`, action: "keep", reason: "unchanged", id: `c-${at}` }),
  );
  const text = writePlan(createPlan(keeps));
  expect(text.length).toBeLessThan(3_000_000);
  expect(readPlan(text).changes).toHaveLength(10_000);
});

/** Alters a plan and corrects its checksum, as an attacker would. */
function resealPlan(change: (plan: Plan) => unknown): string {
  const file = JSON.parse(writePlan(everything)) as { plan: Plan; checksum: string };
  const altered = change(file.plan);
  const { basis, changes, notices, requests, digest, ...more } = (altered ?? {}) as Plan;
  const content = { basis, notices, requests, digest, ...more, changes };
  const checksum = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return JSON.stringify({ ...file, checksum: `sha256:${checksum}`, plan: altered });
}

test.each<[string, (plan: Plan) => unknown]>([
  ["shows another prompt", (plan) => JSON.parse(JSON.stringify(plan).replaceAll("warmly", "coldly"))],
  ["omits a change", (plan) => ({ ...plan, changes: plan.changes.slice(0, -1) })],
  ["has an additional change", (plan) => ({ ...plan, changes: [...plan.changes, plan.changes[1]] })],
  ["is for another service", (plan) => ({ ...plan, basis: { ...plan.basis, service: "https://x.example" } })],
  ["has the digest of another plan", (plan) => ({ ...plan, digest: digestChanges(plan.basis, []) })],
  ["has no changes", ({ changes: _, ...plan }) => plan],
  ["has invalid changes", (plan) => ({ ...plan, changes: [null, 7] })],
  ["has no basis", ({ basis: _, ...plan }) => plan],
  ["is a list", () => []],
  ["is null", () => null],
])("rejects a plan file that %s, even if its checksum is valid", (_, alter) => {
  expect(readProblem(resealPlan((plan) => plan))).toBe("none");
  expect(readProblem(resealPlan(alter))).toBe("edited");
});
