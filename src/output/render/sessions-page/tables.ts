import type { ReportedCount, ReportedGroup, SessionsReportDocument } from "../../documents/index.js";
import { attributes, foreign, type Html, type HtmlPart, html, shortened } from "../html.js";
import { count, largest, number } from "../phrases.js";
import {
  compareMeasures,
  groupingTitle,
  missing,
  reportMeasures,
  sharePercent,
  shownOr,
} from "../session-facts.js";
import { percent, shareBar } from "./charts.js";

export function groupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): Html {
  const inOrder = by === "day" || by === "week";
  const key: Column<ReportedGroup> = {
    title: groupingTitle(by),
    is: "words",
    value: (group) => group.key,
    shown: ({ key, partial }) =>
      html`<span>${key === undefined ? "not stated" : foreign(key)}${partial ? " (in part)" : ""}</span>`,
  };
  return sortableTable({
    id: "groups",
    caption: `Ended sessions by ${by}, without sandbox sessions but for the last column.`,
    columns: [
      key,
      ...reportMeasures(report).map(({ title, of, shown }) => amount(title, of, shown)),
      amount<ReportedGroup>("Sandbox", ({ sandbox_sessions }) => sandbox_sessions, number),
    ],
    rows: report.groups,
    sorted: inOrder ? { column: 0, direction: "ascending" } : { column: 1, direction: "descending" },
  });
}

function amount<Row>(
  title: string,
  value: (row: Row) => number | undefined,
  shown: (value: number) => string,
): Column<Row> {
  return { title, is: "number", value, shown: (row) => shownOr(value(row), shown) };
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

/** A column: words, or numbers that are sorted as such. */
interface Column<Row> {
  readonly title: string;
  readonly is: "words" | "time" | "number";
  /** What it is sorted by; undefined: not stated, so it comes last. */
  readonly value: (row: Row) => string | number | undefined;
  readonly shown: (row: Row) => HtmlPart;
}

interface Table<Row> {
  /** Id of the element; unique in the page. */
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** How the rows are sorted as they stand, by a column's number. */
  readonly sorted?: { readonly column: number; readonly direction: "ascending" | "descending" };
}

const classes = { words: "words", time: "words time", number: undefined };

/** A table that the script makes sortable. */
function sortableTable<Row>({ id, caption, columns, rows, sorted }: Table<Row>): Html {
  const head = columns.map(({ is, title }, at) => {
    const direction = sorted?.column === at ? sorted.direction : undefined;
    return html`<th scope="col"${attributes({ class: classes[is], "aria-sort": direction })}>${title}</th>`;
  });
  const body = rows.map((row) =>
    columns.map(({ is, value, shown }, at) => {
      const sortedBy = value(row);
      const facts = attributes({
        class: classes[is],
        "data-value": typeof sortedBy === "string" ? shortened(sortedBy) : sortedBy,
      });
      return at === 0
        ? html`<th scope="row"${facts}>${shown(row)}</th>`
        : html`<td${facts}>${shown(row)}</td>`;
    }),
  );
  return frame(id, caption, html` data-sortable`, head, body);
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
