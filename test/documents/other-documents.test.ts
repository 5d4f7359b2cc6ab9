import { expect, test } from "vitest";
import type { Outcome, Result, Status } from "../../src/core/engine/index.js";
import {
  diagnosticsDocument,
  errorDocument,
  outcomeDocument,
  outcomeExit,
  sessionsDocument,
  stateListDocument,
  stateShowDocument,
} from "../../src/output/documents/index.js";
import { outcome } from "../render/samples.js";

function results(...statuses: Status[]): Outcome {
  return { ...outcome, results: statuses.map((status) => result({ status })) };
}

function result(changes: Partial<Result>): Result {
  return { address: "context.a", action: "update", status: "applied", notes: [], ...changes };
}

test.each<[string, Outcome, string]>([
  ["no change", results(), "done"],
  ["all applied", results("applied", "applied"), "done"],
  ["one of two failed", results("applied", "failed"), "partly"],
  ["one of two skipped", results("applied", "skipped"), "partly"],
  ["all failed", results("failed", "skipped"), "failed"],
  ["an unknown end", results("applied", "unknown", "failed"), "ambiguous"],
  [
    "an open decision",
    { ...outcome, results: [result({ action: "ambiguous", status: "skipped" })] },
    "ambiguous",
  ],
  ["a stop", { ...results("applied", "unknown"), cancelled: true }, "cancelled"],
])("an outcome with %s ends accordingly", (_, value, exit) => {
  expect(outcomeExit(value)).toBe(exit);
});

test("the outcome document counts by status and keeps every result", () => {
  const document = outcomeDocument(outcome);
  expect(document).toMatchObject({
    format: "avatarops/outcome",
    exit: "ambiguous",
    summary: { applied: 2, failed: 1, skipped: 1, unknown: 1, kept: 12 },
    state_serial: 14,
  });
  expect(document.results).toEqual(outcome.results);
});

test("the diagnostics document is in the order of the files", () => {
  const at = (line: number) => ({ file: "a.yaml", line, column: 1, length: 2, text: "ab" });
  expect(
    diagnosticsDocument([
      { severity: "warning", code: "late", message: "Late.", place: at(9) },
      { severity: "error", code: "early", message: "Early.", place: at(2), hint: "Do." },
    ]),
  ).toEqual({
    format: "avatarops/diagnostics",
    version: 1,
    valid: false,
    summary: { errors: 1, warnings: 1 },
    diagnostics: [
      { severity: "error", code: "early", message: "Early.", place: at(2), hint: "Do." },
      { severity: "warning", code: "late", message: "Late.", place: at(9) },
    ],
  });
});

test("the error document has the facts of our own errors and only the messages of foreign ones", () => {
  const foreign = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED", address: "10.0.0.1" });
  const ours = Object.assign(new Error("No answer.", { cause: foreign }), {
    code: "no-answer",
    method: "GET",
    statusCode: 502,
    headers: { "x-api-key": "k" },
  });
  expect(errorDocument(ours)).toEqual({
    format: "avatarops/error",
    version: 1,
    code: "no-answer",
    message: "No answer.",
    facts: { method: "GET", status_code: 502 },
    causes: [{ code: "ECONNREFUSED", message: "connect refused" }],
  });
  expect(errorDocument(foreign)).toMatchObject({ code: "ECONNREFUSED", facts: {} });
});

test.each([
  [new Error("Bug: no kind"), "bug", "Bug: no kind"],
  [new Error("odd"), "unexpected", "odd"],
  ["thrown text", "unexpected", "thrown text"],
  [undefined, "unexpected", "undefined"],
])("whatever was thrown has a document: %s", (thrown, code, message) => {
  expect(errorDocument(thrown)).toMatchObject({ code, message, facts: {}, causes: [] });
});

test("an error that is its own cause is listed once", () => {
  const error = new Error("round");
  error.cause = error;
  expect(errorDocument(error).causes).toEqual([]);
});

const state = {
  lineage: "2b8c",
  serial: 4,
  service: "https://api.example.com",
  fingerprintKey: "key",
  objects: {
    "secret.llm": {
      id: "s-2",
      applied: { secret_name: "llm-production" },
      fingerprints: { secret_value: "scrypt:finger" },
      stale: [{ id: "s-1", label: "llm-production", since: "2026-01-02T03:04:05Z" }],
    },
    "context.a": { id: "c-1", applied: { name: "A", prompt: { digest: "1:x", length: 9 } } },
  },
  pending: {
    "context.b": {
      ...{ address: "context.b", action: "create" as const, label: "B", at: "2026-01-01T00:00:00Z" },
      ...{ sent: {}, known: [] },
    },
  },
};

test("the state list names every object by its kind's label, with what it superseded, and no fingerprint", () => {
  const document = stateListDocument(state);
  expect(document).toEqual({
    format: "avatarops/state-list",
    version: 1,
    service: "https://api.example.com",
    lineage: "2b8c",
    serial: 4,
    objects: [
      { address: "context.a", id: "c-1", label: "A", stale: [] },
      { address: "secret.llm", id: "s-2", label: "llm-production", stale: state.objects["secret.llm"].stale },
    ],
    pending: [{ address: "context.b", action: "create", label: "B", at: "2026-01-01T00:00:00Z" }],
  });
});

test("one object of the state is shown with what was applied, and an unknown address is none", () => {
  expect(stateShowDocument(state, "context.a")).toEqual({
    format: "avatarops/state-object",
    version: 1,
    address: "context.a",
    id: "c-1",
    label: "A",
    stale: [],
    applied: { name: "A", prompt: { digest: "1:x", length: 9 } },
  });
  expect(JSON.stringify(stateShowDocument(state, "secret.llm"))).not.toContain("finger");
  expect(stateShowDocument(state, "context.zzz")).toBeUndefined();
  expect(stateShowDocument(state, "toString")).toBeUndefined();
});

test("the sessions document has the totals of the report", () => {
  const totals = {
    ...{ sessions: 1, duration: 58, sessions_without_duration: 0 },
    ...{ credits_consumed: 1.5, sessions_without_credits: 0 },
  };
  const report = { type: "historic", complete: true, sessions: [{ id: "s" }] } as const;
  expect(sessionsDocument({ ...report, totals: { all: totals, sandbox: totals } }).totals).toEqual({
    all: totals,
    sandbox: totals,
  });
});
