import type { SessionsReportDocument, ShownSession } from "../../documents/index.js";
import { foreign, type HtmlContent, type HtmlElement, h, pageHtml } from "../html.js";
import { count, number } from "../phrases.js";
import { clockIn, compareMeasures, missing, unitSentence } from "../session-facts.js";
import { shareBar } from "./charts.js";
import { busiestHours, dayCharts } from "./days.js";
import { script } from "./script.js";
import { style } from "./style.js";
import { section } from "./table.js";
import { comparisonTable, groupsTable, sessionsTable, shares } from "./tables.js";

/** What a page that is served has besides the report. */
export interface SessionsPageOptions {
  /** Sessions that have not ended. Absent: the page has no table of them. */
  readonly active?: readonly ShownSession[] | undefined;
  /** The last sessions that the process has seen end. Absent: the page has no table of them. */
  readonly ended?: readonly ShownSession[] | undefined;
  /** When these were read, by the service's clock, ISO 8601: the last successful poll. Default: when the report was made. */
  readonly readAt?: string | undefined;
  /** The page loads itself again after as many seconds. */
  readonly refreshSeconds?: number | undefined;
  /** Why the page may be out of date, in a sentence. */
  readonly notice?: string | undefined;
}

/**
 * A report of sessions as one HTML file that loads nothing: its charts are SVG, and its policy allows no request. It needs no
 * JavaScript; with it, tables can be sorted.
 */
export function renderSessionsPage(
  report: SessionsReportDocument,
  options: SessionsPageOptions = {},
): string {
  const { refreshSeconds } = options;
  const clock = clockIn(report.period.time_zone);
  const title = `Sessions, ${clock(report.period.since)} – ${clock(report.period.until)}`;
  return pageHtml(
    { title, style, script, refreshSeconds },
    pageHead(report, options),
    h(
      "main",
      {},
      notices(report, options),
      live(report, options),
      overview(report, options.active !== undefined || options.ended !== undefined),
      dayCharts(report),
      busiestHours(report),
      breakdown(report),
      section("compared", "Compared with the period before", comparisonTable(report)),
      groups(report),
    ),
    pageFoot(report),
  );
}

function pageHead(
  { service, environment, period, previous }: SessionsReportDocument,
  { refreshSeconds }: SessionsPageOptions,
) {
  const clock = clockIn(period.time_zone);
  const about = `Time zone ${period.time_zone}. Compared with ${clock(previous.since)} – ${clock(previous.until)}.`;
  const named = environment === undefined ? undefined : h("strong", {}, foreign(environment));
  return h(
    "header",
    {},
    h("p", { class: "where" }, named, h("span", {}, foreign(service))),
    h("h1", {}, "Sessions"),
    h("p", { class: "period" }, `${clock(period.since)} – ${clock(period.until)}`),
    h("p", { class: "soft" }, about),
    refreshSeconds === undefined
      ? undefined
      : h(
          "p",
          { class: "live", "data-live": true },
          h("span", {}, `Refreshed every ${count(refreshSeconds, "second")}.`),
        ),
  );
}

function notices({ incomplete }: SessionsReportDocument, { notice }: SessionsPageOptions): HtmlContent {
  const sentences = [...(notice === undefined ? [] : [notice]), ...incomplete.map(({ message }) => message)];
  if (sentences.length === 0) return undefined;
  const items = sentences.map((sentence) => h("li", {}, foreign(sentence, 400)));
  return h("ul", { class: "notices", "aria-label": "Notices" }, ...items);
}

function live(
  report: SessionsReportDocument,
  { active, ended, readAt: read = report.generated_at }: SessionsPageOptions,
): HtmlContent {
  if (active === undefined && ended === undefined) return undefined;
  const zone = report.period.time_zone;
  const list = (id: "active" | "ended", sessions: readonly ShownSession[], none: string) =>
    sessions.length === 0
      ? h("p", { class: "empty" }, none)
      : sessionsTable(id, sessions, report, Date.parse(read));
  return h(
    "div",
    {},
    h("p", { class: "live" }, `Last successful poll: ${clockIn(zone)(read)} (${zone}).`),
    active &&
      section("now", `Active now: ${number(active.length)}`, list("active", active, "No session is active.")),
    ended &&
      section("last", "Last ended", list("ended", ended, "No session has ended since this process began.")),
  );
}

function overview(report: SessionsReportDocument, isLive: boolean): HtmlElement {
  const { sandbox, active } = report;
  const measures = compareMeasures(report);
  const tiles = measures
    .slice(0, 5)
    .map(({ title, before, change, shown }) =>
      h(
        "div",
        {},
        h("dt", {}, title),
        h("dd", { class: "amount" }, shown.now),
        h(
          "dd",
          { class: "change" },
          change === undefined ? undefined : h("b", {}, change),
          before === undefined ? "none before" : ` from ${shown.before}`,
        ),
      ),
    );
  return h(
    "section",
    { "aria-label": "Overview" },
    isLive ? h("h2", {}, "The report") : undefined,
    h("dl", { class: "tiles" }, ...tiles),
    h(
      "p",
      { class: "apart" },
      h("b", {}, "Sandbox: "),
      `${count(sandbox.sessions, "session")}, ${measures[1]?.shown.sandbox} credits, counted apart from all other numbers. `,
      h("b", {}, "Active: "),
      `${count(active.sessions, "session")}, counted once ended.`,
    ),
    budgetBar(report),
  );
}

const budgetWords = {
  kept: "within the budget",
  exceeded: "over the budget",
  unknown: "within the budget by what is known",
} as const;

function budgetBar({ budget }: SessionsReportDocument): HtmlContent {
  if (budget === undefined) return undefined;
  const { credits, consumed, status } = budget;
  const share = credits > 0 ? consumed / credits : consumed > 0 ? 1 : 0;
  return h(
    "div",
    { class: "card budget credits" },
    h("h3", {}, "Budget"),
    h(
      "p",
      {},
      h("span", {}, `${number(consumed)} of ${number(credits)} credits, active sessions included`),
      h("span", { class: status }, budgetWords[status]),
    ),
    shareBar(share, 10, status === "exceeded" ? "over" : "value"),
  );
}

function breakdown({ modes, sources, end_reasons }: SessionsReportDocument): HtmlElement {
  const lists = [shares("Mode", modes), shares("Source", sources), shares("End reason", end_reasons)];
  return section("kinds", "What sessions were, and how they ended", h("div", { class: "three" }, ...lists));
}

function groups(report: SessionsReportDocument): HtmlContent {
  const { by, by_note: note } = report;
  if (by === undefined) return undefined;
  const table =
    report.groups.length > 0 ? groupsTable(report, by) : h("p", { class: "empty" }, "No sessions.");
  return section(
    "grouped",
    `By ${by}`,
    table,
    note === undefined ? undefined : h("p", { class: "soft" }, note),
  );
}

function pageFoot(report: SessionsReportDocument): HtmlElement {
  const { generated_at, period } = report;
  const about = `A session belongs to the period in which it was created. ${missing} means that no session states it. ${unitSentence(report)}`;
  const made = `Made by avatarops, ${clockIn(period.time_zone)(generated_at)} (${period.time_zone}).`;
  return h("footer", {}, h("p", {}, about), h("p", {}, made));
}
