import fc from "fast-check";
import { expect } from "vitest";
import { diffProse } from "../../src/output/render/prose-diff.js";
import { renderRunningText } from "../../src/output/render/running-text.js";
import { makeVisible } from "../../src/output/render/visible.js";

/** Generates strings in several writing systems with Markdown-like parts, and checks how changes to them are shown. */

export interface Edited {
  readonly before: string;
  readonly after: string;
}

/** Renders the change from one string to the other as Markdown. */
export function renderChange({ before, after }: Edited): string {
  const segments = diffProse(before, after);
  return renderRunningText({ segments, line: 1, location: undefined, cutBefore: false, cutAfter: false });
}

/** Expects that the HTML contains both versions and no link or mention. */
export function expectBoth(html: string, { before, after }: Edited): void {
  expect(extractVersion(html, "del")).toBe(normalizeShown(after));
  expect(extractVersion(html, "strong")).toBe(normalizeShown(before));
  expect(html).not.toMatch(/<(?:a|img)\b/);
  for (const text of html.replace(/<code>[^<]*<\/code>/g, "<>").split(/<[^<>]*>/))
    expect(decodeEntities(text)).not.toMatch(
      /@|#\w|!\d|\$|%\d|~|:\/\/|www\.|:\w+:|[A-Z]-\d|[\da-f]{7}|&\w|[[\]]/i,
    );
}

/** Returns one version's text. `without` names the elements of the other version. */
function extractVersion(html: string, without: "del" | "strong"): string {
  const text = html
    .replace(new RegExp(`<${without}>[\\s\\S]*?</${without}>`, "g"), "")
    .replace(/<br\/?>|<\/blockquote>/g, "\n")
    .replace(/<[^<>]*>/g, "")
    // These marks stand for spaces and line breaks in whitespace-only differences.
    .replace(/[·⏎]/g, " ");
  return collapseSpaces(decodeEntities(text));
}

function normalizeShown(text: string): string {
  return collapseSpaces(makeVisible(text).replaceAll("⏎", "\n"));
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

function decodeEntities(html: string): string {
  return html.replace(/&(?:#(\d+)|(lt|gt|amp|quot));/g, (_, point?: string, name = "") =>
    point ? String.fromCodePoint(Number(point)) : (named[name] ?? ""),
  );
}

/** Collapses spaces and restores escaped CI runner commands. */
function collapseSpaces(text: string): string {
  return text.replaceAll("‹U+003A›", ":").replaceAll("‹U+0023›", "#").replace(/\s+/g, " ").trim();
}

const parts = [
  ...["price", "the", "don't", "e.g.", "(see", "it)", "9-18", "50%", "a_b_c", "B2B"],
  ...["Preis", "größer", "„gut“", "–", "…", "naïve"],
  ...["цена", "магазин,", "ещё.", "«да»"],
  ...["新", "的价格", "，", "商店。", "です", "「はい」"],
  ...["سعر", "المتجر", "؟", "दुकान", "मूल्य।", "क्‍ष"],
  ...["👩‍👩‍👧", "1️⃣", "e\u0301", "\u202e", "\u200b"],
  ...[
    "**",
    "*x*",
    "~~",
    "~~y~~",
    "_",
    "__z__",
    "`",
    "```",
    "|",
    "a|b",
    "\\",
    "\\*",
    "<b>",
    "</p>",
    "</del>",
    "<!--",
  ],
  ...["&amp;", "&", "&#64;x", "[x](https://evil.example)", "![x](y)", "#", "##", "-", "1.", ">", "+", "==="],
  ...[
    "@admin",
    "a@evil.example",
    "#12",
    "!7",
    "GH-3",
    "org/repo#4",
    "deadbeef1",
    "https://evil.example/x.",
    ":smile:",
  ],
  ...["www.evil.example", "$x$", "${name}", "${a.b}", "%5", "~label", "::error::", "##[group]"],
];
const piece = fc.tuple(fc.constantFrom(...parts), fc.constantFrom("", " ", " ", " ", "\n", "\n- "));
const generateWritten = (max: number) =>
  fc
    .array(piece, { minLength: 1, maxLength: max })
    .map((pieces) => pieces.map((own) => own.join("")).join(""));

/** Generates a string and an edited version with some new parts. */
export const generateEdits = (max: number): fc.Arbitrary<Edited> =>
  fc
    .array(fc.tuple(generateWritten(max), fc.option(generateWritten(3), { freq: 3 }), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    })
    .map((stretches) => ({
      before: stretches.map(([own, other, isNew]) => (other !== null && isNew ? "" : own)).join(" "),
      after: stretches.map(([own, other]) => other ?? own).join(" "),
    }));
