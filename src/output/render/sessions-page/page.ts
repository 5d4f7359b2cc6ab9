import type { SessionsReportDocument } from "../../documents/index.js";
import { foreign, type Html, type HtmlPart, html, pageHtml } from "../html.js";
import {
  budgetSentence,
  clockIn,
  missing,
  reportSentences,
  unitSentence,
  valueSentences,
} from "../session-facts.js";
import { style } from "./style.js";
import { comparisonTable, groupsTable, renderDays, section } from "./tables.js";

/** Renders a report of sessions as one self-contained HTML file. */
export function renderSessionsPage(report: SessionsReportDocument): string {
  const clock = clockIn(report.period.time_zone);
  const title = `Sessions, ${clock(report.period.since)} – ${clock(report.period.until)}`;
  return pageHtml(
    { title, style },
    html`
      ${pageHead(report)}
      <main>
        ${notices(report)}
        ${overview(report)}
        ${section("over-time", "By day", renderDays(report))}
        ${groups(report)}
      </main>
      ${pageFoot(report)}
    `,
  );
}

function pageHead(report: SessionsReportDocument): Html {
  const { service, environment, period, previous } = report;
  const clock = clockIn(period.time_zone);
  const compared = `Compared with ${clock(previous.since)} – ${clock(previous.until)}.`;
  const about = [`Time zone ${period.time_zone}.`, compared, ...reportSentences(report)].join(" ");
  const named = environment !== undefined && html`<strong>${foreign(environment)}</strong>`;
  return html`
    <header>
      <p class="where">${named}<span>${foreign(service)}</span></p>
      <h1>Sessions</h1>
      <p class="period">${clock(period.since)} – ${clock(period.until)}</p>
      <p class="soft">${about}</p>
      ${valueSentences(report).map((one) => html`<p class="soft">${foreign(one, 1_000)}</p>`)}
    </header>
  `;
}

function notices({ incomplete }: SessionsReportDocument): HtmlPart {
  if (incomplete.length === 0) return undefined;
  const items = incomplete.map(({ message }) => html`<li>${foreign(message, 400)}</li>`);
  return html`<ul class="notices" aria-label="Notices">${items}</ul>`;
}

function overview(report: SessionsReportDocument): Html {
  const budget = budgetSentence(report);
  return html`
    <section class="overview" aria-label="Overview">
      ${budget !== undefined && html`<p class="${`card ${report.budget?.status}`}">${budget}</p>`}
      ${comparisonTable(report)}
    </section>
  `;
}

function groups(report: SessionsReportDocument): HtmlPart {
  const { by } = report;
  if (by === undefined) return undefined;
  const table = report.groups.length > 0 ? groupsTable(report, by) : html`<p class="empty">No sessions.</p>`;
  return section("grouped", `By ${by}`, table);
}

function pageFoot(report: SessionsReportDocument): Html {
  const { generated_at, period } = report;
  const about = `A session belongs to the period in which it was created. ${missing} means that no session states it. ${unitSentence(report)}`;
  const made = `Made by avatarops, ${clockIn(period.time_zone)(generated_at)} (${period.time_zone}).`;
  return html`<footer><p>${about}</p><p>${made}</p></footer>`;
}
