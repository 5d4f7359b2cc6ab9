import { readFileSync, statSync } from "node:fs";
import { Marked, type Token } from "marked";
import { beforeAll, describe, expect, test } from "vitest";
import { inBrowser, photographed, photographedPage } from "../../scripts/pictures/browser.js";
import { pageOf } from "../../scripts/pictures/page.js";
import { reportPage } from "../../scripts/pictures/report-page.js";
import { reviewText } from "../../scripts/pictures/review-text.js";

describe("what a pull request shows, in a browser", { tags: ["night", "chromium"] }, () => {
  let text: string;
  beforeAll(async () => {
    text = await reviewText();
  });

  test("is Markdown without an unclosed fence, and without HTML other than folded sections", () => {
    const html: string[] = [];
    new Marked({ gfm: true }).walkTokens(new Marked({ gfm: true }).lexer(text), (token: Token) => {
      if (token.type === "html") html.push(...(token.raw.match(/<!--|<\/?\w+/g) ?? []));
    });
    expect(
      new Set(
        html.filter(
          (tag) => !/^<(!--|\/?(details|summary|table|tr|th|td|b|br|code|del|strong|blockquote))$/.test(tag),
        ),
      ),
    ).toEqual(new Set());
    expect(text.match(/^\s*(`{3,}|~{3,})/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0);
  });

  test.each([880, 360])("fits into a window of %i pixels", async (width) => {
    const overflow = await inBrowser(async (browser) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      await page.setContent(pageOf(text));
      return page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
    });
    expect(overflow).toBe(0);
  });

  test("shows what is in the plan: new words, moved text, and what was edited elsewhere", async () => {
    const shown = await inBrowser(async (browser) => {
      const page = await browser.newPage();
      await page.setContent(pageOf(text));
      return page.locator("article").innerText();
    });
    for (const words of ["context.returns", "weekend", "${language}", "Moved", "19"])
      expect(shown).toContain(words);
  });

  test("is the picture in the README, smaller than 200 kB, and as large as the script makes it today", async () => {
    expectPictured(
      "docs/images/review.png",
      await inBrowser((browser) => photographed(browser, pageOf(text), 880)),
    );
  });
});

test("the picture of a report is in the README, smaller than 200 kB, and as large as the script makes it today", {
  tags: ["night", "chromium"],
}, async () => {
  const html = await reportPage();
  expectPictured("docs/images/sessions.png", await inBrowser((browser) => photographedPage(browser, html)));
});

function expectPictured(file: string, picture: Buffer): void {
  expect(picture.subarray(1, 4).toString()).toBe("PNG");
  expect(statSync(file).size).toBeLessThan(200_000);
  const heightOf = (png: Buffer) => png.readUInt32BE(20);
  const committed = heightOf(readFileSync(file));
  // Fonts differ between machines: a picture of something else differs by more.
  expect(Math.abs(heightOf(picture) - committed)).toBeLessThan(committed / 4);
  expect(readFileSync("README.md", "utf8")).toContain(file);
}
