import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { changedParagraphs, edited, expectBoth } from "./edited-texts.js";

/** The changed paragraphs, as a renderer of Markdown shows them. */
function shown(before: string, after: string): string {
  return marked.parse(changedParagraphs({ before, after }), { async: false, gfm: true, breaks: true });
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
      "<blockquote>a b<del>⏎</del></blockquote><blockquote><strong>·</strong>c d</blockquote>",
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

test("without what is struck out it is the new text, and without what is bold the old one; nothing is a link or a mention", () => {
  fc.assert(
    fc.property(edited(8), (texts) => {
      const html = shown(texts.before, texts.after);
      if (html !== "") expectBoth(html, texts);
    }),
    { numRuns: isLong ? 100_000 : 100 },
  );
});
