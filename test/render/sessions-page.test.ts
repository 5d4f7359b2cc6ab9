import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { disarmCommands, renderSessionsPage } from "../../src/output/render/index.js";
import { createReportOfDays, reportSample } from "./report-sample.js";
import { createHostileReport, hostile } from "./sessions-page-hostile.js";

describe("sessions report page", () => {
  test("escapes untrusted text everywhere", () => {
    const html = renderSessionsPage(createHostileReport(hostile));

    expect(html).not.toContain("<script");
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html).not.toContain("<img");
    expect(html).not.toMatch(/[\u202E\0]/);
    // The page must contain no CI runner commands: disarming them on output would invalidate the hash in its content
    // security policy.
    expect(disarmCommands(html)).toBe(html);
    // Each external string appears at least once.
    expect(html.split("&#60;img src=x onerror=alert(1)&#62;").length).toBeGreaterThan(8);
  });

  test("truncates a string of 900,000 characters", () => {
    const html = renderSessionsPage(createHostileReport("e\u0301<".repeat(300_000)));
    expect(html.length).toBeLessThan(100_000);
  });

  test("allows only its own stylesheet", () => {
    const html = renderSessionsPage(reportSample);
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    expect(policy.split("; ")).toEqual([
      "default-src &#39;none&#39;",
      "img-src data:",
      `style-src &#39;sha256-${createHash("sha256").update(style).digest("base64")}&#39;`,
      "base-uri &#39;none&#39;",
      "form-action &#39;none&#39;",
    ]);
    expect(html).not.toMatch(/ style=| on\w+=|@import|url\(/);
    expect([...html.matchAll(/(?:src|href)="(.{0,20})/g)].map(([, target]) => target)).toEqual([
      "data:image/svg+xml,%",
    ]);
  });

  test("warns about incomplete data, the assumed duration unit and the unchecked budget", () => {
    const html = renderSessionsPage(reportSample);
    for (const { message } of reportSample.incomplete) expect(html).toContain(message);
    expect(html).toContain(
      "Durations are assumed to be in seconds, because the service does not state their unit.",
    );
    expect(html).toContain("Budget not checked: at least 14.5 of 500 credits consumed");
  });

  test("contains charts with axes and a collapsed table of days", () => {
    const html = renderSessionsPage(createReportOfDays(10));
    const [, credits = ""] = /<svg class="axis"[\s\S]*<svg class="axis"([\s\S]*?)<details>/.exec(html) ?? [];
    expect(credits.match(/<text x="44"[^>]*>[^<]*/g)?.map((text) => text.replace(/.*>/, ""))).toEqual([
      ...["0", "5K", "10K", "15K"],
    ]);
    expect(credits.match(/class="label[^<]*/g)?.map((text) => text.replace(/.*>/, ""))).toEqual([
      ...["13 Nov", "15 Nov", "17 Nov", "19 Nov", "21 Nov"],
    ]);
    expect(credits).toContain("<title>Sun 22 Nov 2026: 12,354.25 credits</title>");
    expect(html).toMatch(
      /<details><summary>Table by day<\/summary>[\s\S]*<td>12,354.25<\/td>[\s\S]*<\/details>/,
    );
  });

  test("explains lighter columns only in charts that contain them", () => {
    const days = [
      { day: "2026-11-20", sessions: 3, credits_consumed: 12.5 },
      { day: "2026-11-21", sessions: 1, credits_consumed: 0, partial: true },
    ] as const;
    const charts = renderSessionsPage({ ...reportSample, days })
      .split("<figure ")
      .slice(1);
    expect(charts.map((chart) => chart.match(/<p class="soft">([^<]*)/)?.[1])).toEqual([
      "Most: 3 on Fri 20 Nov 2026. Lighter: partial days.",
      "Most: 12.5 on Fri 20 Nov 2026.",
    ]);
  });

  test("stays below 300 kB for a year of daily figures", () => {
    const html = renderSessionsPage(createReportOfDays(366));
    expect(html.length).toBeLessThan(300_000);
    expect(html).toContain("2026-11-22");
  });
});
