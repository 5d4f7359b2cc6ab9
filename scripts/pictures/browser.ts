import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";

/** Path to Chromium, from CHROMIUM or where Linux distributions install it. */
const program = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((one) => one && existsSync(one));

export function hasBrowser(): boolean {
  return program !== undefined;
}

/** Opens a browser. The caller must close it. */
export async function openBrowser(): Promise<Browser> {
  if (program === undefined)
    throw new Error("Chromium is missing. Run `apt-get install chromium`, or set CHROMIUM to its path.");
  const { chromium } = await import("playwright-core");
  // Disables the sandbox, which fails in containers because all processes run as root.
  return chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
}

/** Calls a function with a browser, then closes the browser. Returns the function's result. */
export async function useBrowser<Result>(use: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await openBrowser();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** Takes a PNG screenshot of a page's article, in a window of this width in pixels. */
export async function captureArticle(browser: Browser, html: string, width: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: "light" });
  try {
    await page.setContent(html);
    return await page.locator("article").screenshot();
  } finally {
    await page.close();
  }
}

/** Takes a PNG screenshot of a report page, from the top to the end of its charts. */
export async function captureReportPage(browser: Browser, html: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, colorScheme: "light" });
  try {
    await page.setContent(html);
    const end = await page.locator("section:has(#credits-by-day)").boundingBox();
    if (!end) throw new Error("Bug: the page has no charts");
    const clip = { x: 0, y: 0, width: 1100, height: Math.ceil(end.y + end.height + 16) };
    return await page.screenshot({ clip, fullPage: true });
  } finally {
    await page.close();
  }
}
