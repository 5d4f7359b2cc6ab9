import fc from "fast-check";
import { marked } from "marked";
import { expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { expectBoth, generateEdits, renderChange } from "./edited-texts.js";

/** Renders a changed string as Markdown and then as HTML. */
function renderHtml(before: string, after: string): string {
  return marked.parse(renderChange({ before, after }), { async: false, gfm: true, breaks: true });
}

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
    "appended text",
    "Be kind.",
    "Be kind.\nAsk for the order first, then for the name.",
    "<blockquote>Be kind.<strong><br>Ask for the order first, then for the name.</strong></blockquote>",
  ],
])("marks changes in running text: %s", (_, before, after, html) => {
  expect(renderHtml(before, after).trim()).toBe(html);
});

test("renders both versions of running text without links or mentions", () => {
  fc.assert(
    fc.property(generateEdits(8), (texts) => {
      expectBoth(renderHtml(texts.before, texts.after), texts);
    }),
    { numRuns: isLong ? 100_000 : 100 },
  );
});
