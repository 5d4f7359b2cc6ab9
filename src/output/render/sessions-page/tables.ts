import {
  capitalise,
  type ReportedCount,
  type ReportedGroup,
  type SessionsReportDocument,
} from "../../documents/index.js";
import { attributes, foreign, type Html, type HtmlPart, html, shortened } from "../html.js";
import { count, largest, number } from "../phrases.js";
import { compareMeasures, missing, reportMeasures, sharePercent, shownOr } from "../session-facts.js";
import { percent, shareBar } from "./charts.js";

/** The groups, which the script makes sortable by any column: by the words of the first one, and by numbers. */
export function groupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): Html {
  const sorted = by === "day" || by === "week" ? "ascending" : "descending";
  const sandbox = { title: "Sandbox", of: (group: ReportedGroup) => group.sandbox_sessions, shown: number };
  const measures = [...reportMeasures(report), sandbox];
  const words = (facts: {
    readonly "aria-sort"?: string | false;
    readonly "data-value"?: string | undefined;
  }) => attributes({ class: "words", ...facts });
  const head = [
    html`<th scope="col"${words({ "aria-sort": sorted === "ascending" && sorted })}>${capitalise(by)}</th>`,
    ...measures.map(
      ({ title }, at) =>
        html`<th scope="col"${attributes({ "aria-sort": at === 0 && sorted === "descending" && sorted })}>${title}</th>`,
    ),
  ];
  const body = report.groups.map((group) => {
    const { key, partial } = group;
    const shown = html`<span>${key === undefined ? "not stated" : foreign(key)}${partial ? " (in part)" : ""}</span>`;
    return [
      html`<th scope="row"${words({ "data-value": key && shortened(key) })}>${shown}</th>`,
      ...measures.map(({ of, shown }) => {
        const value = of(group);
        return html`<td${attributes({ "data-value": value })}>${shownOr(value, shown)}</td>`;
      }),
    ];
  });
  const caption = `Ended sessions by ${by}, without sandbox sessions but for the last column.`;
  return frame("groups", caption, html` data-sortable`, head, body);
}

/** What is said of a period, beside the period before and the sandbox. */
export function comparisonTable(report: SessionsReportDocument): Html {
  return plainTable(
    "comparison",
    "The upper bar is this period, the lower one the period before. Sandbox sessions are in the last column only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    compareMeasures(report).map(({ title, now = 0, before = 0, change, shown }) => {
      const bars = html`<span class="paired">${pairOfBars(now, before)}<span>${change ?? missing}</span></span>`;
      return [title, shown.now, shown.before, bars, shown.sandbox];
    }),
  );
}

function pairOfBars(now: number, before: number): Html {
  const most = largest([now, before], 0) || 1;
  const bar = (kind: string, y: number, value: number) =>
    html`<rect class="${kind}" y="${y}" width="${percent((100 * value) / most)}" height="7" rx="2"/>`;
  return html`
    <svg class="pair sessions wide" width="140" height="16" aria-hidden="true">
      ${bar("value", 0, now)}
      ${bar("before", 9, before)}
    </svg>
  `;
}

/** How many sessions have which value, with a bar each; the many rare ones together. */
export function shares(title: string, counts: readonly ReportedCount[]): Html {
  const most = 10;
  const whole = counts.reduce((sum, { sessions }) => sum + sessions, 0);
  const rest = counts.slice(most).reduce((sum, { sessions }) => sum + sessions, 0);
  const row = (name: HtmlPart, sessions: number) => {
    const share = html`<span class="soft"> (${sharePercent(sessions, whole)})</span>`;
    const stated = html`<span class="stated">${number(sessions)}${share}</span>`;
    return html`<li><span>${name}</span>${stated}${shareBar(sessions / (whole || 1), 6)}</li>`;
  };
  const rows = counts
    .slice(0, most)
    .map(({ value, sessions }) => row(value === undefined ? "not stated" : foreign(value), sessions));
  if (rest > 0) rows.push(row(count(counts.length - most, "other value"), rest));
  const list =
    rows.length === 0 ? html`<p class="empty">No sessions.</p>` : html`<ul class="shares">${rows}</ul>`;
  return html`<div class="card sessions"><h3>${title}</h3>${list}</div>`;
}

/** A table that stays as it is. The first cell of a row says what the row is. */
export function plainTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
): Html {
  const head = titles.map((title) => html`<th scope="col">${title}</th>`);
  const body = rows.map(([name, ...cells]) => [
    html`<th scope="row">${name}</th>`,
    ...cells.map((cell) => html`<td>${cell}</td>`),
  ]);
  return frame(id, caption, html``, head, body);
}

/** The table with its caption above, outside of what scrolls where the window is narrow. */
function frame(
  id: string,
  caption: string,
  kind: Html,
  head: readonly Html[],
  body: readonly (readonly Html[])[],
): Html {
  const named = html`aria-labelledby="${id}-caption"`;
  return html`
    <div class="table">
      <p id="${id}-caption">${caption}</p>
      <div class="scroll" role="region" tabindex="0" ${named}>
        <table id="${id}" ${named}${kind}>
          <thead><tr>${head}</tr></thead>
          <tbody>${body.map((cells) => html`<tr>${cells}</tr>`)}</tbody>
        </table>
      </div>
    </div>
  `;
}

/** Charts in words, where they are looked for but not in the way. */
export function asTable(summary: string, table: Html): Html {
  return html`<details><summary>${summary}</summary>${table}</details>`;
}

export function section(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}
