import type { SessionsReportDocument } from "../../documents/index.js";
import { foreign, type Html, type HtmlPart, html, pageHtml } from "../html.js";
import { count, number } from "../phrases.js";
import { accountSentences, clockIn, compareMeasures, missing, unitSentence } from "../session-facts.js";
import { shareBar } from "./charts.js";
import { busiestHours, dayCharts } from "./days.js";
import { style } from "./style.js";
import { comparisonTable, groupsTable, section, shares } from "./tables.js";

/** A report of sessions as one HTML file that loads nothing: its charts are SVG, and its policy allows no request and no script. */
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

function pageHead(report: SessionsReportDocument): Html {
  const { service, environment, period, previous } = report;
  const clock = clockIn(period.time_zone);
  const compared = `Compared with ${clock(previous.since)} – ${clock(previous.until)}.`;
  const about = [`Time zone ${period.time_zone}.`, compared, ...accountSentences(report)].join(" ");
  const named = environment !== undefined && html`<strong>${foreign(environment)}</strong>`;
  return html`
    <header>
      <p class="where">${named}<span>${foreign(service)}</span></p>
      <h1>Sessions</h1>
      <p class="period">${clock(period.since)} – ${clock(period.until)}</p>
      <p class="soft">${about}</p>
    </header>
  `;
}

function notices({ incomplete }: SessionsReportDocument): HtmlPart {
  if (incomplete.length === 0) return undefined;
  const items = incomplete.map(({ message }) => html`<li>${foreign(message, 400)}</li>`);
  return html`<ul class="notices" aria-label="Notices">${items}</ul>`;
}

function overview(report: SessionsReportDocument): Html {
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
      <h2>Budget</h2>
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
