import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { compareField } from "../../src/output/render/prose-changes.js";
import { runningText } from "../../src/output/render/running-text.js";
import { visible } from "../../src/output/render/visible.js";
import { isLong } from "../real/long.js";

const prose = (before: string, after: string) =>
  ({ field: "prompt", type: "prose", before, after, cause: "configured" }) as const;

/** The changed paragraphs, as a renderer of Markdown shows them. */
function shown(before: string, after: string): string {
  const { paragraphs = [] } = compareField(prose(before, after)) ?? {};
  return marked.parse(paragraphs.map(runningText).join("\n"), { async: false, gfm: true, breaks: true });
}

/** What is left of the page without the elements that have only the other version. */
function version(html: string, without: "del" | "strong"): string {
  const text = html
    .replace(new RegExp(`<${without}>[^]*?</${without}>`, "g"), "")
    .replace(/<br>|<\/blockquote>/g, "\n")
    .replace(/<\/?(?:blockquote|del|strong|code)>/g, "")
    // Where nothing but space differs, it is marked.
    .replace(/[·⏎]/g, " ");
  expect(text).not.toContain("<");
  return collapsed(decoded(text));
}

function decoded(html: string): string {
  return html.replace(/&#(\d+);/g, (_, point) => String.fromCodePoint(Number(point)));
}

/** Where a command to a CI runner begins, its first sign is written out. */
function collapsed(text: string): string {
  return text.replaceAll("‹U+003A›", ":").replaceAll("‹U+0023›", "#").replace(/\s+/g, " ").trim();
}

describe("of changed paragraphs, running text shows", () => {
  test.each<[what: string, before: string, after: string, html: string]>([
    ["words", "Be very kind.", "Be kind.", "<blockquote>Be <del>very </del>kind.</blockquote>"],
    ["punctuation", "Be kind", "Be kind!", "<blockquote>Be kind<strong>!</strong></blockquote>"],
    [
      "letters of scripts without spaces",
      "旧的价格",
      "新的价格",
      "<blockquote><del>旧</del><strong> 新</strong>的价格</blockquote>",
    ],
    [
      "placeholders as code",
      "Dear ${name}.",
      "Dear ${first_name}.",
      "<blockquote>Dear <del><code>${name}</code></del><strong> <code>${first_name}</code></strong>.</blockquote>",
    ],
    ["lines", "# A\nb", "# A\n- c", "<blockquote># A<br><del>b</del><strong> - c</strong></blockquote>"],
    [
      "nothing of others",
      "Same.\n\nOld.",
      "Same.\n\n\n\nNew.",
      "<blockquote><del>Old.</del><strong> New.</strong></blockquote>",
    ],
    [
      "joined ones",
      "a b\n\nc d",
      "a b c d",
      "<blockquote>a b<del>⏎</del></blockquote>\n<blockquote><strong>·</strong>c d</blockquote>",
    ],
    ["no reflowed ones", "a b\n\nc", "a b\n\n\n  \nc", ""],
    [
      "what is appended",
      "Be kind.",
      "Be kind.\nAsk for the order first, then for the name.",
      "<blockquote>Be kind.<strong><br>Ask for the order first, then for the name.</strong></blockquote>",
    ],
  ])("%s", (_, before, after, html) => {
    expect(shown(before, after).trim()).toBe(html);
  });

  test("of a long one, its ends and what is near the change", () => {
    const words = (from: number) => Array.from({ length: 200 }, (_, at) => `w${from + at}`).join(" ");
    const html = shown(`${words(0)} old ${words(500)}`, `${words(0)} new ${words(500)}`);
    expect(html).toMatch(
      /^<blockquote>w0 .* w39\s+… w160 .* w199 <del>old<\/del><strong> new<\/strong> w500 .* w539 …\s+w660 .* w699<\/blockquote>$/m,
    );
  });
});

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
const written = (max: number) =>
  fc
    .array(piece, { minLength: 1, maxLength: max })
    .map((pieces) => pieces.map((own) => own.join("")).join(""));

/** A text and another one, of which some stretches are new. */
const edited = (max: number) =>
  fc
    .array(fc.tuple(written(max), fc.option(written(3), { freq: 3 }), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    })
    .map((stretches) => ({
      before: stretches.map(([own, other, isNew]) => (other !== null && isNew ? "" : own)).join(" "),
      after: stretches.map(([own, other]) => other ?? own).join(" "),
    }));

test("without what is struck out it is the new text, and without what is bold the old one; nothing is a link or a mention", () => {
  fc.assert(
    fc.property(edited(8), ({ before, after }) => {
      const html = shown(before, after);
      if (html === "") return;
      expect(version(html, "del")).toBe(collapsed(visible(after).replaceAll("⏎", "\n")));
      expect(version(html, "strong")).toBe(collapsed(visible(before).replaceAll("⏎", "\n")));
      for (const text of html.replace(/<code>[^<]*<\/code>/g, "<>").split(/<[^<>]*>/))
        expect(decoded(text)).not.toMatch(
          /@|#\w|!\d|\$|%\d|~|:\/\/|www\.|:\w+:|[A-Z]-\d|[\da-f]{7}|&\w|[[\]]/i,
        );
    }),
    { numRuns: isLong ? 100_000 : 300 },
  );
});
