// @module-tag ci
import { expect, test } from "vitest";
import { openLog } from "../../src/entrypoints/sync/index.js";
import { shortenQuotes } from "../../src/output/documents/index.js";

test("logs untrusted text as one JSON line without control or bidi characters", () => {
  const lines: string[] = [];
  const log = openLog(
    (line) => lines.push(line),
    () => Date.UTC(2026, 10, 21),
  );
  const foreign = 'a\n{"level":"info"}\u001B[2J\u202E\u009B\u2028';
  log.warn("cycle", { drifted: 2, problems: [{ message: foreign }], location: { file: foreign } });
  const [line = "", ...others] = lines;
  expect(others).toEqual([]);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(line).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E]/u);
  expect(JSON.parse(line)).toEqual({
    ...{ level: "warn", time: "2026-11-21T00:00:00.000Z", msg: "cycle", drifted: 2 },
    ...{ problems: [{ message: expect.any(String) }], location: { file: expect.any(String) } },
  });
});

test.each([
  ["a name", 'context.a has the name "Desk".', 'context.a has the name "Desk".'],
  ["a long quote", `refused: "${"Be kind. ".repeat(10)}".`, 'refused: "…".'],
  ["a quote with quotes in it", `refused: "say "hello" ${"to all ".repeat(10)}" (1).`, 'refused: "…" (1).'],
  ["a quote that is not closed", `refused: "${"x".repeat(900)}`, 'refused: "…"'],
  ["a long text without a quote", "x".repeat(900), `${"x".repeat(600)}…`],
])("removes prompts from a log message with %s", (_, message, expected) => {
  expect(shortenQuotes(message)).toBe(expected);
});
