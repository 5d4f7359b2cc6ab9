import type { SessionsReportDocument, ShownSession } from "../../documents/index.js";
import { foreign, type Html, type HtmlPart, html, pageHtml } from "../html.js";
import { count, number } from "../phrases.js";
import { accountSentences, clockIn, compareMeasures, missing, unitSentence } from "../session-facts.js";
import { shareBar } from "./charts.js";
import { busiestHours, dayCharts } from "./days.js";
import { script } from "./script.js";
import { style } from "./style.js";
import { comparisonTable, groupsTable, section, sessionsTable, shares } from "./tables.js";

/** What a served page has in addition to the report. */
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
    html`
      ${pageHead(report, options)}
      <main>
        ${notices(report, options)}
        ${live(report, options)}
        ${overview(report, options.active !== undefined || options.ended !== undefined)}
        ${dayCharts(report)}
        ${busiestHours(report)}
        ${breakdown(report)}
        ${section("compared", "Compared with the period before", comparisonTable(report))}
        ${groups(report)}
      </main>
      ${pageFoot(report)}
    `,
  );
}

function pageHead(report: SessionsReportDocument, { refreshSeconds }: SessionsPageOptions): Html {
  const { service, environment, period, previous } = report;
  const clock = clockIn(period.time_zone);
  const compared = `Compared with ${clock(previous.since)} – ${clock(previous.until)}.`;
  const about = [`Time zone ${period.time_zone}.`, compared, ...accountSentences(report)].join(" ");
  const named = environment !== undefined && html`<strong>${foreign(environment)}</strong>`;
  const refreshed =
    refreshSeconds !== undefined &&
    html`<p class="live" data-live><span>Refreshed every ${count(refreshSeconds, "second")}.</span></p>`;
  return html`
    <header>
      <p class="where">${named}<span>${foreign(service)}</span></p>
      <h1>Sessions</h1>
      <p class="period">${clock(period.since)} – ${clock(period.until)}</p>
      <p class="soft">${about}</p>
      ${refreshed}
    </header>
  `;
}

function notices({ incomplete }: SessionsReportDocument, { notice }: SessionsPageOptions): HtmlPart {
  const sentences = [...(notice === undefined ? [] : [notice]), ...incomplete.map(({ message }) => message)];
  if (sentences.length === 0) return undefined;
  const items = sentences.map((sentence) => html`<li>${foreign(sentence, 400)}</li>`);
  return html`<ul class="notices" aria-label="Notices">${items}</ul>`;
}

function live(
  report: SessionsReportDocument,
  { active, ended, readAt: read = report.generated_at }: SessionsPageOptions,
): HtmlPart {
  if (active === undefined && ended === undefined) return undefined;
  const zone = report.period.time_zone;
  const list = (id: "active" | "ended", sessions: readonly ShownSession[], none: string) =>
    sessions.length === 0
      ? html`<p class="empty">${none}</p>`
      : sessionsTable(id, sessions, report, Date.parse(read));
  return html`
    <div>
      <p class="live">Last successful poll: ${clockIn(zone)(read)} (${zone}).</p>
      ${active && section("now", `Active now: ${number(active.length)}`, list("active", active, "No session is active."))}
      ${ended && section("last", "Last ended", list("ended", ended, "No session has ended since this process began."))}
    </div>
  `;
}

function overview(report: SessionsReportDocument, isLive: boolean): Html {
  const { sandbox, active } = report;
  const measures = compareMeasures(report);
  const tiles = measures.slice(0, 5).map(({ title, before, change, shown }) => {
    const from = before === undefined ? "none before" : ` from ${shown.before}`;
    return html`
      <div>
        <dt>${title}</dt>
        <dd class="amount">${shown.now}</dd>
        <dd class="change">${change !== undefined && html`<b>${change}</b>`}${from}</dd>
      </div>
    `;
  });
  return html`
    <section aria-label="Overview">
      ${isLive && html`<h2>The report</h2>`}
      <dl class="tiles">${tiles}</dl>
      <p class="apart">
        <b>Sandbox: </b>${count(sandbox.sessions, "session")}, ${measures[1]?.shown.sandbox} credits, counted apart from all other numbers. <b>Active: </b>${count(active.sessions, "session")}, counted once ended.
      </p>
      ${budgetBar(report)}
    </section>
  `;
}

const budgetWords = {
  kept: "within the budget",
  exceeded: "over the budget",
  unknown: "within the budget by what is known",
} as const;

function budgetBar({ budget }: SessionsReportDocument): HtmlPart {
  if (budget === undefined) return undefined;
  const { credits, consumed, status } = budget;
  const share = credits > 0 ? consumed / credits : consumed > 0 ? 1 : 0;
  return html`
    <div class="card budget credits">
      <h3>Budget</h3>
      <p>
        <span>${number(consumed)} of ${number(credits)} credits, active sessions included</span>
        <span class="${status}">${budgetWords[status]}</span>
      </p>
      ${shareBar(share, 10, status === "exceeded" ? "over" : "value")}
    </div>
  `;
}

function breakdown({ modes, sources, end_reasons }: SessionsReportDocument): Html {
  const lists = [shares("Mode", modes), shares("Source", sources), shares("End reason", end_reasons)];
  return section("kinds", "What sessions were, and how they ended", html`<div class="three">${lists}</div>`);
}

function groups(report: SessionsReportDocument): HtmlPart {
  const { by, by_note: note } = report;
  if (by === undefined) return undefined;
  const table = report.groups.length > 0 ? groupsTable(report, by) : html`<p class="empty">No sessions.</p>`;
  return section("grouped", `By ${by}`, table, note !== undefined && html`<p class="soft">${note}</p>`);
}

function pageFoot(report: SessionsReportDocument): Html {
  const { generated_at, period } = report;
  const about = `A session belongs to the period in which it was created. ${missing} means that no session states it. ${unitSentence(report)}`;
  const made = `Made by avatarops, ${clockIn(period.time_zone)(generated_at)} (${period.time_zone}).`;
  return html`<footer><p>${about}</p><p>${made}</p></footer>`;
}
