import fc from "fast-check";
import { expect, test } from "vitest";
import { formatField } from "../../src/output/render/field-text.js";
import { findHunks } from "../../src/output/render/hunks.js";
import { diffProse, type Segment } from "../../src/output/render/prose-diff.js";
import { findProseFacts } from "../../src/output/render/prose-facts.js";

/** Writes a diff on one line, such as `same [-removed-]{+added+}`. */
function writeDiff(segments: readonly Segment[]): string {
  const marks = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const;
  return segments.map(({ kind, text }) => `${marks[kind][0]}${text}${marks[kind][1]}`).join("");
}

function extractSide(segments: readonly Segment[], kind: Segment["kind"]): string {
  return segments
    .filter((segment) => segment.kind === "same" || segment.kind === kind)
    .map(({ text }) => text)
    .join("");
}

test.each([
  ["one word", "Answer [-politely-]{+warmly+}, please."],
  ["one word replaced by several", "Answer [-politely-]{+warmly and briefly+} in German."],
  ["adjacent words as one change", "See [-the quick brown fox-]{+a slow red cat+} run to the river."],
  ["an inserted word", "Be {+very +}kind."],
  ["a whole placeholder", "Hi [-${first_name}-]{+${last_name}+}!"],
  ["a hyphenated word", "a [-well-known-]{+well-meant+} fact of life"],
  ["an apostrophe", "You [-don't-]{+won't+} know this yet."],
  ["Chinese split into characters", "请用[-中-]{+英+}文回答客户"],
  ["a whole emoji", "Wave [-👨‍👩‍👧-]{+👨‍👩‍👦+} to them"],
  ["an accent with its letter", "le [-cafe\u0301-]{+cafe+} noir"],
  ["an inserted line", "one\n{+two\n+}three\n"],
  ["a last line without a line end", "one\ntwo{+\nthree+}"],
  [
    "whole lines that have little in common",
    "[-Never mention the weather, the prices or the moon.-]{+Ask for the order number before anything else, then wait.+}\n",
  ],
  ["only a space", "a[- -]{+  +}b"],
  ["nothing", "same"],
])("shows %s in a prose diff", (_, diff) => {
  const before = diff.replace(/\{\+[\s\S]*?\+\}/g, "").replace(/\[-([\s\S]*?)-\]/g, "$1");
  const after = diff.replace(/\[-[\s\S]*?-\]/g, "").replace(/\{\+([\s\S]*?)\+\}/g, "$1");
  expect(writeDiff(diffProse(before, after))).toBe(diff);
});

const text = fc
  .array(
    fc.constantFrom(
      "one",
      "two",
      " ",
      "  ",
      "\n",
      "\r\n",
      ", ",
      "${x}",
      "漢字",
      "👨‍👩‍👧",
      "\ud800",
      "é",
      "end.",
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""));

test("includes both strings in full in a prose diff, without empty segments", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const segments = diffProse(before, after);
      expect(extractSide(segments, "removed")).toBe(before);
      expect(extractSide(segments, "added")).toBe(after);
      expect(segments.every((segment) => segment.text !== "")).toBe(true);
    }),
  );
});

test("splits a prose diff into ordered hunks with context", () => {
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 30 }), (before, after, context) => {
      const segments = diffProse(before, after);
      const changes = (all: readonly Segment[]) => all.filter(({ kind }) => kind !== "same");
      const hunks = findHunks(segments, context);
      expect(hunks.flatMap((hunk) => changes(hunk.segments))).toEqual(changes(segments));
      for (const hunk of hunks) expect(after).toContain(extractSide(hunk.segments, "added"));
    }),
  );
});

const formatChange = (before: string, after: string) =>
  formatField({ field: "prompt", type: "prose", cause: "configured", before, after }, "", {
    color: false,
    width: 80,
  });

test("shows two completely different prompts of maximum length as one replacement", () => {
  const words = (letter: string) => Array.from({ length: 10_000 }, (_, at) => `${letter}${at}`).join(" ");
  const segments = diffProse(words("a"), words("b"));
  expect(segments.map(({ kind }) => kind)).toEqual(["removed", "added"]);
  const lines = formatChange(words("a"), words("b"));
  expect(lines.length).toBeLessThan(50);
});

test.each<[string, string, string]>([
  ["spaces", " ".repeat(65_000), `${" ".repeat(64_000)}x`],
  ["line endings", "\n".repeat(65_000), "\n".repeat(60_000)],
  ["joiners", "\u200d".repeat(65_000), "\u200c".repeat(65_000)],
  ["marks on one letter", `a${"\u0301".repeat(65_000)}`, `b${"\u0301".repeat(65_000)}`],
  ["lone surrogates", "\ud800".repeat(65_000), "\udc00".repeat(65_000)],
  ["opened placeholders", "${a".repeat(21_000), "${b".repeat(21_000)],
])("diffs 65,000 %s quickly, and shows only a few lines", (_, before, after) => {
  const lines = formatChange(before, after);
  expect(lines.length).toBeLessThan(1_000);
});

const rules = Array.from({ length: 12 }, (_, at) => `Rule ${at}: answer politely and briefly.`);
const prompt = rules.join("\n");

const twice = "the second half repeats the first: pasted twice?";
const composed = "only the Unicode normalization differs: the same letters, composed differently";

test.each([
  ["pasted twice", prompt, `${prompt}\n\n${prompt}`, [twice]],
  ["created pasted twice", undefined, `${prompt}${prompt}`, [twice]],
  ["cut off", prompt, prompt.slice(0, 100), ["the new text is the old text with its end cut off"]],
  ["Unicode form", "cafe\u0301", "caf\u00e9", [composed]],
  ["invisible", "a b", "a\u200b  b", ["only spaces, line breaks or invisible characters differ"]],
  ["an ordinary edit", prompt, prompt.replace("politely", "warmly"), []],
])("distinguishes an accidental edit from an ordinary one: %s", (_, before, after, accidents) => {
  expect(findProseFacts(before, after).accidents).toEqual(accidents);
});

test("lists placeholders that an edit adds or removes", () => {
  expect(findProseFacts("Hi ${name}, ${day}", "Hi ${day}, ${order_id} ${order_id}").placeholders).toEqual({
    added: ["${order_id}"],
    removed: ["${name}"],
  });
  expect(findProseFacts("Hi ${name}", "Bye ${name}").placeholders).toEqual({ added: [], removed: [] });
});
