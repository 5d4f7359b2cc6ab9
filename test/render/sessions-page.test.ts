import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SessionsReportDocument } from "../../src/output/documents/index.js";
import { disarmCommands, renderSessionsPage } from "../../src/output/render/index.js";
import { reportSample } from "./report-sample.js";
import { hostile, saying } from "./sessions-page-hostile.js";

describe("the page of a sessions report", () => {
  test("shows foreign text as text in every place", () => {
    const html = renderSessionsPage(saying(hostile));

    expect(html).not.toContain("<script");
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html).not.toContain("<img");
    expect(html).not.toMatch(/[\u202E\0]/);
    // Disarming commands for CI runners changes neither the page nor the hash of its policy.
    expect(disarmCommands(html)).toBe(html);
    // Each text is shown at least once, so none is omitted for being strange.
    expect(html.split("&#60;img src=x onerror=alert(1)&#62;").length).toBeGreaterThan(8);
  });

  test("stays small with a huge text", () => {
    const html = renderSessionsPage(saying("e\u0301<".repeat(300_000)));
    expect(html.length).toBeLessThan(100_000);
  });

  test("allows its own style and nothing else", () => {
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

  test("lists the sessions and durations that its numbers exclude", () => {
    const html = renderSessionsPage(reportSample);
    for (const { message } of reportSample.incomplete) expect(html).toContain(message);
    expect(html).toContain(
      "Durations are assumed to be in seconds, because the service does not state their unit.",
    );
    expect(html).toContain("Budget not checked: at least 14.5 of 500 credits consumed");
  });

  test("of a year by day is smaller than 300 kB", () => {
    const html = renderSessionsPage(createReportOfDays(366));
    expect(html.length).toBeLessThan(300_000);
    expect(html).toContain("2026-11-22");
  });
});

/** A report by day that ends on 22 November 2026, with one session a day. */
function createReportOfDays(many: number): SessionsReportDocument {
  const days = Array.from({ length: many }, (_, at) => ({
    day: new Date(Date.UTC(2026, 10, 23 + at - many)).toISOString().slice(0, 10),
    sessions: 1,
    credits_consumed: 12_345.25 + at,
  }));
  const groups = days.map((day) => ({ ...reportSample.totals, ...day, key: day.day, sandbox_sessions: 12 }));
  return { ...reportSample, by: "day", days, groups };
}
