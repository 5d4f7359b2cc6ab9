import fc from "fast-check";
import { lexer, type Token } from "marked";
import { expect, test } from "vitest";
import { toOutcomeDocument, toPlanDocument } from "../../src/output/documents/index.js";
import { clip } from "../../src/output/render/cells.js";
import * as render from "../../src/output/render/index.js";
import { toCode, toSentence } from "../../src/output/render/markdown.js";
import { makeVisible } from "../../src/output/render/visible.js";
import { scaleRuns } from "../real/long.js";
import { createDocuments, createRecord, createReport, createSmokeDocument, hostile } from "./hostile.js";
import { createChange, createPlan, outcome } from "./samples.js";

test.each([
  ["plain", "`plain`"],
  ["a `b` c", "``a `b` c``"],
  ["`", "`` ` ``"],
  ["``x", "``` ``x ```"],
  ["two\nlines", "`two⏎lines`"],
  ["", "(empty)"],
])("renders the name %j as the code span %s", (text, span) => {
  expect(toCode(text)).toBe(span);
});

test.each([
  ["The context stays in the account: the service cannot delete contexts.", undefined],
  ["Ask @admin now.", "Ask `@admin` now."],
  ["See #12, GH-34 and https://evil.example/.", "See `#12`, `GH-34` and `https://evil.example/`."],
  ["Look at www.evil.example now", "Look at `www.evil.example` now"],
  ["commit deadbeef1 and defaced walls", "commit `deadbeef1` and `defaced` walls"],
  ["<b>bold</b> *it* _is_ [x](y)", "`<b>bold</b> *it* _is_ [x](y)`"],
  ["1. a list", "`1`. a list"],
  ["3 contexts, 12,000 words", "3 contexts, 12,000 words"],
  ["`a` b", "`a` b"],
  ["Keep it with `avatarops pull context.a`, or (`apply`).", undefined],
  ["a ` b and `c`d", "a `` ` `` b and `` `c`d ``"],
  ["`@admin <b>` `#1`", undefined],
  [":smile: | --- |", "`:smile`: `| --- |`"],
  [
    "of its commit bc23c45f7b. --require-approval says",
    "of its commit `bc23c45f7b`. `--require-approval` says",
  ],
  ["2 of 2 objects (100 %), and the threshold is 1 %.", undefined],
  ["incident 42. To end that: wait for 5 days", undefined],
  ['add "prompt: …" or a → b', undefined],
  ["issue #42. Then 1,234,567 and (1234567)", "issue `#42`. Then `1,234,567` and `(1234567)`"],
  ["a server (on port 5003), or f(x): see (a.b).", "a server (on port 5003), or `f(x)`: see `(a.b)`."],
])("renders everything in %j except plain words as code", (text, shown) => {
  expect(toSentence(text)).toBe(shown ?? text);
});

test("keeps any string inside its Markdown code element", () => {
  const urlOf = (file: string, line: number) =>
    `https://host.example/${encodeURIComponent(file.replace(/\p{Surrogate}/gu, "?"))}#L${line}`;
  const links = { fileUrl: urlOf, wholeUrl: "https://host.example/runs/1" };
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      for (const document of createDocuments(a, b)) expectIntact(render.renderMarkdown(document, links));
      for (const diff of [true, false])
        expectIntact(
          render.renderHistoryItem(createRecord(a, b), "markdown", { diff, color: false, width: 80 }),
        );
    }),
    { numRuns: scaleRuns(300) },
  );
});

test("renders any string in a Markdown table cell as plain text", () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      const [one, other] = [a, b]
        .map((text) => makeVisible(clip(text, 200)))
        .map((text) => (text.trim() ? text : ""));
      const result = { address: a, action: "update", id: b, status: "failed", notes: [] } as const;
      const problem = { code: a, message: "Why." };
      // Adds a second result, because a single one would be rendered as a line instead of a table.
      const others = [{ ...result, address: "context.z", problem: { code: "held", message: "Why." } }];
      const results = [{ ...result, problem }, ...others];
      const firstRows = (document: Parameters<typeof render.renderMarkdown>[0]) =>
        parseTables(render.renderMarkdown(document)).map(([row]) => row);
      expect([
        firstRows(toOutcomeDocument({ ...outcome, results })),
        firstRows(createSmokeDocument(a, b)),
        parseTables(render.renderMarkdown(createReport(a, b))).map((rows) => rows[0]?.[0]),
      ]).toEqual([[["failed", one, one]], [["failed", one, other, one]], ["Sessions", one]]);
    }),
    { numRuns: scaleRuns(300) },
  );
});

test("omits empty columns in an outcome table", () => {
  const result = { action: "update", id: "1", status: "applied", notes: [] } as const;
  const results = ["context.a", "context.b"].map((address) => ({ ...result, address }));
  expect(render.renderMarkdown(toOutcomeDocument({ ...outcome, results }))).toContain(
    "| Result | Object |\n| --- | --- |\n| updated | `context.a` |\n| updated | `context.b` |\n",
  );
});

test("renders a smoke check without presets as one line and no heading", () => {
  const summary = { passed: 0, warned: 0, failed: 0, skipped: 0 };
  const smoke = { scope: "applied", exit: "passed", summary, checks: [] } as const;
  expect(render.renderMarkdown({ format: "avatarops/smoke", version: 1, ...smoke })).toMatch(
    /^Smoke check: no preset/,
  );
});

/** Parses the rows of each table in the Markdown. */
function parseTables(markdown: string): string[][][] {
  return lexer(markdown).flatMap((token) =>
    token.type === "table"
      ? [
          (token.rows as { tokens: Token[] }[][]).map((row) =>
            row.map(({ tokens }) => tokens.map(readText).join("")),
          ),
        ]
      : [],
  );
}

/** Returns the text of a table cell, and asserts that only our own words are outside code. */
function readText(token: Token): string {
  if (token.type === "codespan") return token.text;
  if (token.type === "strong") return (token.tokens ?? []).map(readText).join("");
  expect([token.type, token.raw]).toEqual(["text", expect.stringMatching(/^(?:(?:&#124;)+|[\w ,.+±−–%]+)$/)]);
  return token.raw.replaceAll("&#124;", "|");
}

/**
 * Removes fences, HTML blocks and code spans in the order in which a code host parses them, and asserts that only our
 * own words are left.
 */
function expectIntact(markdown: string): void {
  expect(markdown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
  expect(markdown).not.toMatch(/##\w*\[|^\s*::[A-Za-z]/m);
  const lines = removeFences(markdown.split("\n"));
  const html = lines.filter((line) => line.startsWith("<"));
  for (const line of html) {
    const outside = line.replace(/<code>[^<>]*<\/code>/g, " ");
    if (line.startsWith("<blockquote>"))
      expect(outside.replace(/<\/?(?:blockquote|del|strong|br)>|&#\d+;/g, " ")).not.toMatch(hostSyntax);
    else expect(outside).toMatch(ourHtml);
  }
  expect(html.filter((line) => /^<details( open)?>$/.test(line))).toHaveLength(
    html.filter((line) => line === "</details>").length,
  );
  for (const line of lines.filter((line) => !line.startsWith("<"))) {
    const outside = removeCodeSpans(line)
      .replace(ourLink, "$1")
      .replace(/^### error\[\w+\]/, "");
    // Removes cell separators and escaped pipes.
    const words = line.startsWith("| ") ? outside.replace(/&#124;|\|/g, "") : outside;
    expect(words).not.toMatch(/[|]/);
    expect(words).not.toMatch(hostSyntax);
  }
}

const hostSyntax = /[`<>@[\]\\]|#\d|www\.|:\/\//;
const ourLink = /\[([\w ]+)\]\(<https:\/\/host\.example\/[^<>\s]*>\)/g;
const ourHtml = /^(<\/?(details|summary)>|<details open>|[\p{L}\d ,;:.-])*$/u;

function removeFences(lines: readonly string[]): string[] {
  const left: string[] = [];
  let fence: string | undefined;
  for (const line of lines) {
    const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line);
    if (fence === undefined && ticks) fence = ticks[1];
    else if (fence === undefined) left.push(line);
    else if (ticks && ticks[2]?.trim() === "" && (ticks[1] ?? "").length >= fence.length) fence = undefined;
  }
  expect(fence).toBeUndefined();
  return left;
}

/** Removes CommonMark code spans. Each extends from a run of backticks to the next run of the same length. */
function removeCodeSpans(line: string): string {
  return line.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, "");
}

/** Returns an update that replaces this number of lines in a prompt. */
function createUpdate(address: string, count: number) {
  const lines = (seed: string) => Array.from({ length: count }, (_, at) => `${seed}${at}`).join("\n");
  const field = { field: "prompt", type: "prose", before: lines("a"), after: lines("b") } as const;
  return createChange({ address, action: "update", fields: [{ ...field, cause: "configured" }] });
}

test("omits differences from a plan that is too long for a comment, and omits details if it is still too long", () => {
  const document = toPlanDocument(
    createPlan([createUpdate("context.small", 3), createUpdate("context.large", 900)]),
  );
  const whole = render.renderMarkdown(document);
  expect(whole).not.toContain("Too long");
  const shorter = render.renderMarkdown(document, { limit: Buffer.byteLength(whole) - 1 });
  expect(shorter).toContain(
    "_Too long for a comment: differences left out. Run `avatarops plan` to see everything._",
  );
  expect(shorter).toContain("900 words in, 900 out");
  expect(shorter).not.toContain("<blockquote>");
  const table = render.renderMarkdown(document, { limit: 600 });
  expect(Buffer.byteLength(table)).toBeLessThanOrEqual(600);
  expect(table).toContain("| update | `context.large` |");
  expect(table).toContain("_Too long for a comment: details left out.");
});

test.each([2_000, 3_000, 5_000, 20_000, 60_000])("limits Markdown of a large plan to %d bytes", (limit) => {
  const wide = (at: number) =>
    createChange({
      address: `context.漢字${at}`,
      action: "create",
      label: "お客様".repeat(20),
      fields: [{ field: "prompt", type: "prose", after: "漢字\n".repeat(500), cause: "configured" }],
    });
  const document = toPlanDocument(createPlan(Array.from({ length: 300 }, (_, at) => wide(at))));
  const markdown = render.renderMarkdown(document, { limit });
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(limit);
  expect(markdown).toContain("300 to create");
  expect(markdown).toContain("left out");
});

test("keeps the failed result when it shortens an outcome comment", () => {
  const results = [
    ...Array.from({ length: 200 }, (_, at) => ({
      address: `context.c${at}`,
      action: "create" as const,
      status: "applied" as const,
      notes: [],
    })),
    { address: "context.bad", action: "create" as const, status: "failed" as const, notes: [] },
  ];
  const markdown = render.renderMarkdown(toOutcomeDocument({ ...outcome, results }), { limit: 2_000 });
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(2_000);
  expect(markdown).toContain("| **failed** | `context.bad` |");
  expect(markdown).toMatch(/_\d+ more results not shown here\._/);
});
