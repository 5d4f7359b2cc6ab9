import { expect, test } from "vitest";
import type { Outcome, Result, Status } from "../../src/core/engine/index.js";
import {
  toErrorDocument,
  toOutcomeExit,
  toPlanExit,
  toStateShowDocument,
} from "../../src/output/documents/index.js";
import { createChange, createPlan, outcome, state } from "../render/samples.js";

function createResults(...statuses: Status[]): Outcome {
  return { ...outcome, results: statuses.map((status) => createResult({ status })) };
}

function createResult(changes: Partial<Result>): Result {
  return { address: "context.a", action: "update", status: "applied", notes: [], ...changes };
}

const undecided = createResult({ action: "ambiguous", status: "skipped" });

test.each<[string, Outcome, string]>([
  ["no change", createResults(), "done"],
  ["all applied", createResults("applied", "applied"), "done"],
  ["one of two failed", createResults("applied", "failed"), "partly"],
  ["one of two skipped", createResults("applied", "skipped"), "partly"],
  ["all failed", createResults("failed", "skipped"), "failed"],
  ["an unknown outcome", createResults("applied", "unknown", "failed"), "ambiguous"],
  ["an open decision", { ...outcome, results: [undecided] }, "ambiguous"],
  ["a stop", { ...createResults("applied", "unknown"), cancelled: true }, "cancelled"],
])("maps an outcome with %s to its exit code", (_, value, exit) => {
  expect(toOutcomeExit(value)).toBe(exit);
});

test("includes details of avatarops errors in error documents, but only the code and message of other errors", () => {
  const foreign = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED", address: "10.0.0.1" });
  const ours = Object.assign(new Error("No answer.", { cause: foreign }), {
    code: "no-answer",
    method: "GET",
    statusCode: 502,
    headers: { "x-api-key": "k" },
  });
  expect(toErrorDocument(ours)).toEqual({
    format: "avatarops/error",
    version: 1,
    code: "no-answer",
    message: "No answer.",
    facts: { method: "GET", status_code: 502 },
    causes: [{ code: "ECONNREFUSED", message: "connect refused" }],
  });
  expect(toErrorDocument(foreign)).toMatchObject({ code: "ECONNREFUSED", facts: {} });
});

test.each([
  [new Error("Bug: no kind"), "bug", "Bug: no kind"],
  [new Error("odd"), "unexpected", "odd"],
  ["thrown text", "unexpected", "thrown text"],
  [undefined, "unexpected", "undefined"],
])("creates an error document for every thrown value: %s", (thrown, code, message) => {
  expect(toErrorDocument(thrown)).toMatchObject({ code, message, facts: {}, causes: [] });
});

test("omits a self-referencing cause from the error document", () => {
  const error = new Error("round");
  error.cause = error;
  expect(toErrorDocument(error).causes).toEqual([]);
});

test("returns no state document for an unknown address", () => {
  for (const address of ["context.zzz", "toString"])
    expect(toStateShowDocument(state, address)).toBeUndefined();
});

test.each([
  [[], "nothing"],
  [["keep", "keep"], "nothing"],
  [["keep", "create"], "changes"],
  [["forget"], "changes"],
  [["create", "missing"], "missing"],
  [["create", "missing", "ambiguous"], "ambiguous"],
] as const)("sets the exit code of a plan with the actions %j to %s", (actions, exit) => {
  expect(
    toPlanExit(createPlan(actions.map((action, at) => createChange({ address: `context.c${at}`, action })))),
  ).toBe(exit);
});
