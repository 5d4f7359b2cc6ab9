// @module-tag night
import { beforeAll, describe, expect, test } from "vitest";
import { useBrowser } from "../../scripts/pictures/browser.js";
import { renderPage } from "../../scripts/pictures/page.js";
import { renderReview } from "../../scripts/pictures/review-text.js";

describe("review comment in a browser", { tags: "chromium" }, () => {
  let text: string;
  beforeAll(async () => {
    text = await renderReview();
  });

  test.each([880, 360])("fits into a window %i pixels wide", async (width) => {
    const overflow = await useBrowser(async (browser) => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      await page.setContent(renderPage(text));
      return page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
    });
    expect(overflow).toBe(0);
  });
});
