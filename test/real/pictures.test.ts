// @module-tag night
import { beforeAll, describe, expect, test } from "vitest";
import { inBrowser } from "../../scripts/pictures/browser.js";
import { pageOf } from "../../scripts/pictures/page.js";
import { reviewText } from "../../scripts/pictures/review-text.js";

describe("review comment in a browser", { tags: "chromium" }, () => {
  let text: string;
  beforeAll(async () => {
    text = await reviewText();
  });

  test.each([880, 360])("fits into a window of %i pixels", async (width) => {
    const overflow = await inBrowser(async (browser) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      await page.setContent(pageOf(text));
      return page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
    });
    expect(overflow).toBe(0);
  });
});
