import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";

/** Chromium of the system, as Linux distributions place it; CHROMIUM names another. */
const program = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((one) => one && existsSync(one));

export function hasBrowser(): boolean {
  return program !== undefined;
}

/** A browser, for whoever closes it. */
export async function openBrowser(): Promise<Browser> {
  if (program === undefined)
    throw new Error(
      "There is no Chromium: install it (apt-get install chromium), or set CHROMIUM to its path.",
    );
  const { chromium } = await import("playwright-core");
  // In containers everything runs as root, and without a sandbox of the system.
  return chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
}

/** What the use of a browser gives. */
export async function inBrowser<Result>(use: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await openBrowser();
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** The article of a page as PNG, in a window of this width in pixels. */
export async function photographed(browser: Browser, html: string, width: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: "light" });
  try {
    await page.setContent(html);
    return await page.locator("article").screenshot();
  } finally {
    await page.close();
  }
}

/** The upper part of the page of a report as PNG, to the end of its charts. */
export async function photographedPage(browser: Browser, html: string): Promise<Buffer> {
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
