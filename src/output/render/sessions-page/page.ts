import type { SessionsReportDocument } from "../../documents/index.js";
import { type Html, type HtmlPart, html, renderPage, toForeignText } from "../html.js";
import {
  createClockFormat,
  describeBudget,
  describeUnit,
  describeValues,
  listReportSentences,
  missing,
} from "../session-facts.js";
import { style } from "./style.js";
import { renderComparisonTable, renderDays, renderGroupsTable, renderSection } from "./tables.js";

/** Renders a session report as one self-contained HTML file. */
export function renderSessionsPage(report: SessionsReportDocument): string {
  const clock = createClockFormat(report.period.time_zone);
  const title = `Sessions, ${clock(report.period.since)} – ${clock(report.period.until)}`;
  return renderPage(
    { title, style },
    html`
      ${renderPageHead(report)}
      <main>
        ${renderNotices(report)}
        ${renderOverview(report)}
        ${renderSection("over-time", "By day", renderDays(report))}
        ${renderGroups(report)}
      </main>
      ${renderPageFoot(report)}
    `,
  );
}

function renderPageHead(report: SessionsReportDocument): Html {
  const { service, environment, period, previous } = report;
  const clock = createClockFormat(period.time_zone);
  const compared = `Compared with ${clock(previous.since)} – ${clock(previous.until)}.`;
  const about = [`Time zone ${period.time_zone}.`, compared, ...listReportSentences(report)].join(" ");
  const named = environment !== undefined && html`<strong>${toForeignText(environment)}</strong>`;
  return html`
    <header>
      <p class="where">${named}<span>${toForeignText(service)}</span></p>
      <h1>Sessions</h1>
      <p class="period">${clock(period.since)} – ${clock(period.until)}</p>
      <p class="soft">${about}</p>
      ${describeValues(report).map((one) => html`<p class="soft">${toForeignText(one, 1_000)}</p>`)}
    </header>
  `;
}

function renderNotices({ incomplete }: SessionsReportDocument): HtmlPart {
  if (incomplete.length === 0) return undefined;
  const items = incomplete.map(({ message }) => html`<li>${toForeignText(message, 400)}</li>`);
  return html`<ul class="notices" aria-label="Notices">${items}</ul>`;
}

function renderOverview(report: SessionsReportDocument): Html {
  const budget = describeBudget(report);
  return html`
    <section class="overview" aria-label="Overview">
      ${budget !== undefined && html`<p class="${`card ${report.budget?.status}`}">${budget}</p>`}
      ${renderComparisonTable(report)}
    </section>
  `;
}

function renderGroups(report: SessionsReportDocument): HtmlPart {
  const { by } = report;
  if (by === undefined) return undefined;
  const table =
    report.groups.length > 0 ? renderGroupsTable(report, by) : html`<p class="empty">No sessions.</p>`;
  return renderSection("grouped", `By ${by}`, table);
}

function renderPageFoot(report: SessionsReportDocument): Html {
  const { generated_at, period } = report;
  const about = `A session belongs to the period in which it was created. ${missing} means that no session has a value. ${describeUnit(report)}`;
  const made = `Made by avatarops, ${createClockFormat(period.time_zone)(generated_at)} (${period.time_zone}).`;
  return html`<footer><p>${about}</p><p>${made}</p></footer>`;
}
