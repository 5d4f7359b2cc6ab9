// @module-tag ci
import { expect, test } from "vitest";
import { openLog } from "../../src/entrypoints/sync/index.js";
import { withoutLongQuotes } from "../../src/output/documents/index.js";

function logged(message: string, facts?: Record<string, unknown>) {
  const lines: string[] = [];
  const log = openLog(
    (line) => lines.push(line),
    () => Date.UTC(2026, 10, 21),
  );
  log.warn(message, facts);
  expect(lines).toHaveLength(1);
  return lines.join("");
}

test("a log line is one line of JSON with time and level", () => {
  const line = logged("cycle", { outcome: "drifted", drifted: 2 });
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(line)).toEqual({
    level: "warn",
    time: "2026-11-21T00:00:00.000Z",
    outcome: "drifted",
    drifted: 2,
    msg: "cycle",
  });
});

test("text from elsewhere cannot forge a line, command a terminal or reorder what is read", async () => {
  const foreign = 'a\n{"level":"info"}\u001B[2J\u202E\u009B\u2028';
  const line = logged("cycle", { problems: [{ message: foreign }], place: { file: foreign } });
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(line).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u202E]/u);
});

test.each([
  ["a name", 'context.a has the name "Desk".', 'context.a has the name "Desk".'],
  ["a long quote", `refused: "${"Be kind. ".repeat(10)}".`, 'refused: "…".'],
  ["a quote with quotes in it", `refused: "say "hello" ${"to all ".repeat(10)}" (1).`, 'refused: "…" (1).'],
  ["a quote that is not closed", `refused: "${"x".repeat(900)}`, 'refused: "…"'],
  ["no quote, but many words", "x".repeat(900), `${"x".repeat(600)}…`],
])("a message with %s is told without prompts", (_, message, told) => {
  expect(withoutLongQuotes(message)).toBe(told);
});
