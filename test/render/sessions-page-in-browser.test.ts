import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../../scripts/pictures/browser.js";
import { renderSessionsPage } from "../../src/output/render/index.js";
import { createReportOfDays, reportSample } from "./report-sample.js";
import { createHostileReport, hostile } from "./sessions-page-hostile.js";

describe("sessions report page in a browser", { tags: ["chromium", "night"] }, () => {
  let browser: Browser;
  let folder: string;
  const asked: string[] = [];
  const messages: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "avatarops-page-"));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    asked.length = 0;
    messages.length = 0;
  });

  /** Opens the page from a file, like an email attachment. */
  async function openPage(html: string, window: BrowserContextOptions = {}): Promise<Page> {
    const file = path.join(folder, "report.html");
    await writeFile(file, html);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...window });
    const page = await context.newPage();
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(String(error)));
    page.on("dialog", (dialog) => messages.push(dialog.message()));
    await page.goto(pathToFileURL(file).href);
    return page;
  }

  test("shows daily sessions and credits as column heights", async () => {
    const page = await openPage(renderSessionsPage(reportSample));
    for (const [chart, values] of [
      ["sessions-by-day", [3, 0, 1]],
      ["credits-by-day", [12.5, 0, 0]],
    ] as const) {
      const heights: number[] = await page.evaluate(
        `[...document.querySelectorAll("#${chart} .column")].map((column) => column.getBoundingClientRect().height)`,
      );
      const highest = Math.max(...heights);
      expect(highest).toBeGreaterThan(100);
      expect(heights.map((height) => height / highest)).toEqual(
        values.map((value) => expect.closeTo(value / Math.max(...values), 2)),
      );
    }
  });

  test("expands the table of days without a scroll box", async () => {
    const page = await openPage(renderSessionsPage(createReportOfDays(366)), {
      viewport: { width: 360, height: 800 },
    });
    expect(await page.locator("#days").isVisible()).toBe(false);
    await page.locator("summary").click();
    expect(await page.locator("#days").isVisible()).toBe(true);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".scroll")].filter((box) => box.scrollHeight > box.clientHeight).length`,
      ),
    ).toBe(0);
  });

  test("shows hostile input as plain text, and neither sends nor allows requests", async () => {
    const html = renderSessionsPage(createHostileReport(hostile));
    const page = await openPage(html);
    expect(await page.locator("body").innerText()).toContain("</script></style><img src=x onerror=alert(1)>");
    expect(await page.locator("img").count()).toBe(0);
    expect(asked).toEqual([page.url()]);
    expect(messages).toEqual([]);

    const refused = await page.evaluate(`new Promise((resolve) => {
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
      fetch("http://127.0.0.1:9/").catch(() => {});
    })`);
    expect(refused).toBe("connect-src");
  });

  test.each([
    ["the report", () => renderSessionsPage(reportSample)],
    ["a report of a year", () => renderSessionsPage(createReportOfDays(366))],
    ["a page of long words", () => renderSessionsPage(createHostileReport("W".repeat(5000)))],
  ])("fits %s into a window 360 pixels wide", async (_, html) => {
    const page = await openPage(html(), { viewport: { width: 360, height: 800 } });
    expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
  });

  test.each([320, 390, 600, 768, 1024])(
    "shows all columns with their titles in a window %i pixels wide",
    async (width) => {
      const page = await openPage(renderSessionsPage(createReportOfDays(3)), {
        viewport: { width, height: 800 },
      });
      await page.locator("summary").click();
      const tables = await page.evaluate(`[...document.querySelectorAll("table")].map((table) => {
        const isStacked = getComputedStyle(table.tBodies[0]).display === "block";
        const box = table.closest(".scroll");
        const cells = [...table.tBodies[0].rows].flatMap((row) => [...row.cells]);
        return {
          id: table.id,
          hidden: cells.filter((cell) => {
            const { left, right, width } = cell.getBoundingClientRect();
            const inner = document.createRange();
            inner.selectNodeContents(cell);
            return width === 0 || left < 0 || Math.max(right, inner.getBoundingClientRect().right) > innerWidth;
          }).length + (box.scrollWidth > box.clientWidth ? 1 : 0),
          titles: [...table.rows[1].cells].slice(1).map((cell) => isStacked
            ? getComputedStyle(cell, "::before").content.split('"')[1]
            : table.tHead.rows[0].cells[cell.cellIndex].innerText),
        };
      })`);
      expect(tables).toEqual([
        { id: "comparison", hidden: 0, titles: ["This period", "Before", "Change", "Sandbox"] },
        { id: "days", hidden: 0, titles: ["Sessions", "Credits"] },
        {
          id: "groups",
          hidden: 0,
          titles: [
            ...["Sessions", "Credits", "Cost", "Median duration"],
            ...["95th percentile", "Longest", "Total duration", "Sandbox"],
          ],
        },
      ]);
    },
  );

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "passes accessibility checks in %s colors at a width of %i pixels",
    async (colorScheme, width) => {
      const html = renderSessionsPage(reportSample);
      const page = await openPage(html, { colorScheme, viewport: { width, height: 800 } });
      await page.locator("summary").click();
      await page.evaluate(axe.source);
      const found = await page.evaluate(`axe.run().then(({ violations, passes }) => ({
      violations: violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(" ")) })),
      passed: passes.map(({ id }) => id),
    }))`);
      expect(found).toMatchObject({
        violations: [],
        passed: expect.arrayContaining(["color-contrast", "svg-img-alt"]),
      });
    },
  );

  test("is printed dark on white without truncated content", async () => {
    const page = await openPage(renderSessionsPage(reportSample), { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    expect(
      await page.evaluate(`[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
        getComputedStyle(document.querySelector(".scroll")).overflow]`),
    ).toEqual(["rgb(255, 255, 255)", "rgb(26, 33, 41)", "visible"]);
    expect(await page.locator("#days").isVisible()).toBe(true);
  });
});
