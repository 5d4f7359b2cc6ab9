import fc from "fast-check";
import { lexer, type Token } from "marked";
import { expect, test } from "vitest";
import {
  type DriftDocument,
  diagnosticsDocument,
  type HistoryItemDocument,
  outcomeDocument,
  planDocument,
  sessionsDocument,
} from "../../src/output/documents/index.js";
import { clip } from "../../src/output/render/cells.js";
import * as render from "../../src/output/render/index.js";
import { code, sentence } from "../../src/output/render/markdown.js";
import { visible } from "../../src/output/render/visible.js";
import { reportSample } from "./report-sample.js";
import { change, everything, outcome, plan, sessionReport } from "./samples.js";

test.each([
  ["plain", "`plain`"],
  ["a `b` c", "``a `b` c``"],
  ["`", "`` ` ``"],
  ["``x", "``` ``x ```"],
  ["two\nlines", "`two⏎lines`"],
  ["", "(empty)"],
])("the name %j becomes the code span %s", (text, span) => {
  expect(code(text)).toBe(span);
});

test.each([
  ["The context stays in the account: the service cannot delete contexts.", undefined],
  ["Ask @admin now.", "Ask `@admin` now."],
  ["See #12, GH-34 and https://evil.example/.", "See `#12, GH-34` and `https://evil.example/`."],
  ["Look at www.evil.example now", "Look at `www.evil.example` now"],
  [
    "commit deadbeef1 and defaced walls",
    "commit `deadbeef1 and defaced` walls".replace(" and defaced`", "` and `defaced`"),
  ],
  ["<b>bold</b> *it* _is_ [x](y)", "`<b>bold</b> *it* _is_ [x](y)`"],
  ["1. a list", "`1`. a list"],
  ["3 contexts, 12,000 words", "3 contexts, 12,000 words"],
  ["`a` b", "`a` b"],
  ["Keep it with `avatarops pull context.a`, or (`apply`).", undefined],
  ["a ` b and `c`d", "a `` ` `` b and `` `c`d ``"],
  ["`@admin <b>` `#1`", undefined],
  [":smile: | --- |", "`:smile: | --- |`"],
  ["a server (on port 5003), or f(x): see (a.b).", "a server (on port `5003`), or `f(x)`: see `(a.b)`."],
])("in the sentence %j only plain words stay as they are", (text, shown) => {
  expect(sentence(text)).toBe(shown ?? text);
});

/** Markdown, HTML and the syntax of code hosts, as an attacker would write them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "`",
        "```",
        "~~~",
        "\n",
        "\r\n",
        "|",
        "\\|",
        "\\",
        "</details>",
        "</summary>",
        "</code>",
        "</table>",
      ),
      fc.constantFrom(
        "<script>",
        "<!--",
        "-->",
        "@admin",
        "#1",
        "![x](https://evil.example)",
        "www.evil.example",
        "&lt;",
      ),
      fc.constantFrom(
        "\u202e",
        "\u001b[31m",
        "# title",
        "\n\n",
        "\n```\n",
        "\n</details>\n",
        "- item",
        "word ",
        "a@evil.example",
        "::error::",
        "\n ::add-mask::",
        "##[group]",
        "##vso[a]",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(""));

test("no text can leave the code it stands in, whatever it is", () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      for (const markdown of everywhere(a, b)) expectIntact(markdown);
    }),
    { numRuns: 300 },
  );
});

function everywhere(a: string, b: string): string[] {
  const one = change({
    address: `context.${a}`,
    action: "ambiguous",
    label: b,
    overwrites: true,
    fields: [
      { field: a, type: "string", before: a, after: b, cause: "drifted" },
      { field: "prompt", type: "prose", before: `${a}\n${b}`, after: `${b}\n${a}`, cause: "configured" },
      { field: "opening_text", type: "prose", after: a, cause: "configured" },
      { field: "links", type: "list", before: [{ url: a }], after: [{ url: b }], cause: "configured" },
    ],
    candidates: [{ id: a, label: b, createdAt: a }],
    notes: [b, a],
  });
  const document = planDocument(
    plan([one], {
      basis: { service: a, environment: b, targets: [a] },
      notices: [{ code: "same-name", message: b }],
    }),
    [{ kind: "context", id: a, label: b }],
    undefined,
    () => ({ file: a, line: 3 }),
  );
  const links = {
    fileUrl: (file: string, line: number) =>
      `https://host.example/${encodeURIComponent(file.replace(/\p{Surrogate}/gu, "?"))}#L${line}`,
    wholeUrl: "https://host.example/runs/1",
  };
  const result = { address: a, action: "update", status: "failed", id: b } as const;
  const place = { file: a, line: 3, column: 1, length: 3, text: b.replaceAll("\n", "") };
  return [
    render.renderMarkdown(document, links),
    render.renderMarkdown(
      outcomeDocument({ ...outcome, results: [{ ...result, problem: { code: b, message: a }, notes: [a] }] }),
    ),
    render.renderMarkdown(diagnosticsDocument([{ severity: "error", code: a, message: b, place, hint: a }])),
    render.renderSessionsMarkdown(
      sessionsDocument({ ...sessionReport, sessions: [{ id: a, mode: b, source: a }] }),
    ),
    render.renderMarkdown(smoke(a, b)),
    render.renderMarkdown(report(a, b)),
  ];
}

test("no text of drift or of a history can leave the code it stands in", () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      expectIntact(render.renderMarkdown(drift(a, b)));
      for (const diff of [true, false])
        expectIntact(render.renderHistoryItem(record(a, b), "markdown", { diff, color: false, width: 80 }));
    }),
    { numRuns: 100 },
  );
});

function drift(a: string, b: string): DriftDocument {
  const proposal = { result: "opened", number: 1, notes: [a] } as const;
  const field = {
    field: a,
    type: "prose",
    before: `${a}\n${b}`,
    after: `${b}\n${a}`,
    files: "other",
  } as const;
  return {
    ...{ format: "avatarops/drift", version: 1, service: a, environment: b, targets: [a], drifted: true },
    ...{
      state: { lineage: "2b8c", serial: 4 },
      notes: [b],
      unreadable: [{ address: a, reason: b }],
      rotation_pending: [{ address: a, note: b }],
      secrets_unverified: [{ address: b, reason: a }],
      requests: 3,
    },
    summary: { changed: 1, vanished: 0, unreadable: 1, unchanged: 0, unobservable: 0 },
    objects: [
      {
        address: a,
        kind: "context",
        label: b,
        id: a,
        change: "vanished",
        updated_at: b,
        successor: a,
        fields: [field],
      },
    ],
    undeclared: [{ kind: a, id: b, label: a }],
    pull_request: {
      ...proposal,
      written: [{ address: a, field: b, file: a }],
      refused: [{ address: b, field: a, reason: b }],
    },
  };
}

function record(a: string, b: string): HistoryItemDocument {
  return {
    ...{ serial: 4, lineage: "2b8c", at: a, command: b, by: { user: a, host: b, run: a }, environment: b },
    ...{ commit: { id: a, modified: true, file: b }, moved: { from: a, to: b } },
    changes: [
      {
        ...{ address: a, effect: "none", action: b, status: a, problem: b },
        fields: [{ field: a, type: "prose", before: `${a}\n${b}`, after: `${b}\n${a}`, missing: b }],
      },
    ],
  };
}

function smoke(a: string, b: string): Parameters<typeof render.renderMarkdown>[0] {
  return {
    ...{ format: "avatarops/smoke", version: 1, scope: "all", exit: "failed", advice: a },
    summary: { passed: 0, warned: 0, failed: 1, skipped: 0 },
    checks: [{ preset: a, status: "failed", session_id: b, problem: { code: a, message: b } }],
  };
}

function report(a: string, b: string): typeof reportSample {
  const groups = reportSample.groups.slice(0, 1).map((group) => ({ ...group, key: a }));
  return { ...reportSample, service: a, environment: b, groups, modes: [{ value: b, sessions: 1 }] };
}

test("a table gives each text back as it is shown, whatever it is, and nothing of it is markup", () => {
  fc.assert(
    fc.property(hostile, hostile, (a, b) => {
      const [one, other] = [a, b]
        .map((text) => visible(clip(text, 200)))
        .map((text) => (text.trim() ? text : ""));
      const result = { address: a, action: "update", id: b, status: "failed", notes: [] } as const;
      const problem = { code: a, message: "Why." };
      const undeclared = [{ kind: "context", id: a, label: b }];
      const sessions = [{ id: `1${a}`, source: `1${b}` }];
      expect([
        tablesIn(render.renderMarkdown(outcomeDocument({ ...outcome, results: [{ ...result, problem }] }))),
        tablesIn(render.renderMarkdown(planDocument(plan([]), undeclared))),
        tablesIn(render.renderSessionsMarkdown(sessionsDocument({ ...sessionReport, sessions }))),
        tablesIn(render.renderMarkdown(smoke(a, b))),
        tablesIn(render.renderMarkdown(report(a, b))).map((rows) => rows[0]?.[0]),
      ]).toEqual([
        [[["failed", one, one]]],
        [[["context", one, other]]],
        [[[visible(clip(`1${a}`, 200)), visible(clip(`1${b}`, 200))]]],
        [[["failed", one, other, one]]],
        ["Sessions", one],
      ]);
    }),
    { numRuns: 300 },
  );
});

/** The rows of each table, as a parser of Markdown reads them. */
function tablesIn(markdown: string): string[][][] {
  return lexer(markdown).flatMap((token) =>
    token.type === "table"
      ? [
          (token.rows as { tokens: Token[] }[][]).map((row) =>
            row.map(({ tokens }) => tokens.map(textIn).join("")),
          ),
        ]
      : [],
  );
}

/** The text of code, of our own words, and of a pipe. */
function textIn(token: Token): string {
  if (token.type === "codespan") return token.text;
  if (token.type === "strong") return (token.tokens ?? []).map(textIn).join("");
  expect([token.type, token.raw]).toEqual(["text", expect.stringMatching(/^(?:(?:&#124;)+|[\w ,.+±−–%]+)$/)]);
  return token.raw.replaceAll("&#124;", "|");
}

/**
 * Reads the Markdown as a code host does: fences first, then HTML blocks, then code spans. With those taken out,
 * nothing but our own words may be left.
 */
function expectIntact(markdown: string): void {
  expect(markdown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u);
  expect(markdown).not.toMatch(/##\w*\[|^\s*::[A-Za-z]/m);
  const lines = withoutFences(markdown.split("\n"));
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
    const outside = withoutCodeSpans(line).replace(ourLink, "$1");
    // What separates the cells of a table, and the pipes of a text in it.
    const words = line.startsWith("| ") ? outside.replace(/&#124;|\|/g, "") : outside;
    expect(words).not.toMatch(/[|]/);
    expect(words).not.toMatch(hostSyntax);
  }
}

const hostSyntax = /[`<>@[\]\\]|#\d|www\.|:\/\//;
const ourLink = /\[([\w ]+)\]\(<https:\/\/host\.example\/[^<>\s]*>\)/g;
const ourHtml = /^(<\/?(details|summary)>|<details open>|[\p{L}\d ,;:.-])*$/u;

function withoutFences(lines: readonly string[]): string[] {
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

/** As CommonMark reads code spans: a run of backticks up to the next run of the same length. */
function withoutCodeSpans(line: string): string {
  return line.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, "");
}

test("a plan that is too long loses the lines of its longest differences first, then those differences, and says so", () => {
  const words = (seed: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${seed}${at}`).join("\n");
  const update = (address: string, count: number) =>
    change({
      address,
      action: "update",
      fields: [
        {
          field: "prompt",
          type: "prose",
          before: words("a", count),
          after: words("b", count),
          cause: "configured",
        },
      ],
    });
  const document = planDocument(plan([update("context.small", 3), update("context.large", 20)]));
  const whole = render.renderMarkdown(document);
  expect(whole).not.toContain("Too long");
  const withoutLines = render.renderMarkdown(document, { limit: Buffer.byteLength(whole) - 1 });
  expect(withoutLines).toContain("1 longer difference left out");
  expect(withoutLines).toContain("+ b2");
  expect(withoutLines).toContain("b19</strong>");
  expect(withoutLines).not.toContain("+ b19");
  const shorter = render.renderMarkdown(document, { limit: Buffer.byteLength(withoutLines) - 400 });
  expect(shorter).toContain(
    "_Too long for a comment: 2 longer differences left out. Run `avatarops plan` to see everything._",
  );
  expect(shorter).toContain("b2</strong>");
  expect(shorter).not.toContain("b19");
});

test.each([2_000, 3_000, 5_000, 20_000, 60_000])("a plan of many changes never exceeds %d bytes", (limit) => {
  const wide = (at: number) =>
    change({
      address: `context.漢字${at}`,
      action: "create",
      label: "お客様".repeat(20),
      fields: [{ field: "prompt", type: "prose", after: "漢字\n".repeat(500), cause: "configured" }],
    });
  const document = planDocument(plan(Array.from({ length: 300 }, (_, at) => wide(at))));
  const markdown = render.renderMarkdown(document, { limit });
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(limit);
  expect(markdown).toContain("300 to create");
  expect(markdown).toContain("left out");
});

test("a short comment keeps the results that need attention", () => {
  const results = [
    ...Array.from({ length: 200 }, (_, at) => ({
      address: `context.c${at}`,
      action: "create" as const,
      status: "applied" as const,
      notes: [],
    })),
    { address: "context.bad", action: "create" as const, status: "failed" as const, notes: [] },
  ];
  const markdown = render.renderMarkdown(outcomeDocument({ ...outcome, results }), { limit: 2_000 });
  expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(2_000);
  expect(markdown).toContain("| **failed** | `context.bad` |");
  expect(markdown).toMatch(/_\d+ more results not shown here\._/);
});

test("the whole plan fits where there is room", () => {
  const markdown = render.renderMarkdown(planDocument(everything));
  // Of one object, something is edited in the files and something elsewhere: it has two. One text is compared by lines.
  expect(markdown.match(/<details>/g)).toHaveLength(10);
});
