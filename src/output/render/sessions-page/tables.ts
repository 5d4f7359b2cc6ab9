import {
  capitalize,
  type ReportedDay,
  type ReportedGroup,
  type SessionsReportDocument,
} from "../../documents/index.js";
import { type Html, type HtmlPart, html, toUntrustedText } from "../html.js";
import { formatCount, formatNumber } from "../phrases.js";
import { compareMeasures, describeDay, formatOptional, listMeasures, missingMark } from "../session-facts.js";
import { type ColumnChart, renderColumnChart } from "./charts.js";

/** Renders the groups. The first column names the group. */
export function renderGroupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): Html {
  const sandbox = {
    title: "Sandbox",
    getValue: (group: ReportedGroup) => group.sandbox_sessions,
    format: formatNumber,
  };
  const measures = [...listMeasures(report), sandbox];
  return renderTable(
    "groups",
    `Ended sessions by ${by}. Sandbox sessions are counted under Sandbox only.`,
    [capitalize(by), ...measures.map(({ title }) => title)],
    report.groups.map((group) => {
      const { key, partial } = group;
      const name = html`${key === undefined ? "not reported" : toUntrustedText(key)}${partial ? partialNote : ""}`;
      return [name, ...measures.map(({ getValue, format }) => formatOptional(getValue(group), format))];
    }),
  );
}

/** Renders a period's measures, with the previous period and the sandbox. */
export function renderComparisonTable(report: SessionsReportDocument): Html {
  return renderTable(
    "comparison",
    "Sandbox sessions are counted under Sandbox only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    compareMeasures(report).map(({ title, change, shown }) => {
      return [title, shown.now, shown.before, change ?? missingMark, shown.sandbox];
    }),
  );
}

/** Renders sessions and credits by day as two charts, with a folded table below. */
export function renderDays({ days }: SessionsReportDocument): Html {
  const described = days.map((day) => ({
    ...day,
    name: describeDay(day.day),
    isPartial: day.partial === true,
  }));
  const renderChart = (tone: ColumnChart["tone"], getValue: (day: ReportedDay) => number) => {
    const most = described.reduce<(typeof described)[number] | undefined>(
      (best, day) => (getValue(day) > (best ? getValue(best) : 0) ? day : best),
      undefined,
    );
    const columns = described.map((day) => ({
      label: day.name.split(" ").slice(1, 3).join(" "),
      tooltip: `${day.name}${day.isPartial ? partialNote : ""}: ${formatCount(getValue(day), tone.slice(0, -1))}`,
      value: getValue(day),
      isPartial: day.isPartial,
    }));
    const highest = most ? `Most: ${formatNumber(getValue(most))} on ${most.name}.` : `No ${tone}.`;
    const hasLighter = described.some((day) => day.isPartial && getValue(day) > 0);
    const lighter = hasLighter ? " Lighter: partial days." : "";
    const description = `${highest}${lighter}`;
    return renderColumnChart({ id: `${tone}-by-day`, title: capitalize(tone), tone, description, columns });
  };
  const rows = described.map(({ name, isPartial, sessions, credits_consumed: credits }) => {
    return [`${name}${isPartial ? partialNote : ""}`, formatNumber(sessions), formatNumber(credits)];
  });
  return html`
    <div class="charts">
      ${renderChart("sessions", ({ sessions }) => sessions)}
      ${renderChart("credits", ({ credits_consumed }) => credits_consumed)}
    </div>
    <details>
      <summary>Table by day</summary>
      ${renderTable("days", "Ended sessions and their credits, by day", ["Day", "Sessions", "Credits"], rows)}
    </details>
  `;
}

const partialNote = " (in part)";

/** Maximum number of columns that fit side by side on a phone. */
const maxPhoneColumns = 3;
/** Maximum number of columns that fit side by side on a tablet. */
const maxTabletColumns = 5;

/**
 * Renders a table. The first cell of each row is its header. In a narrow window, a table with many columns shows each
 * row as a header above its other cells, with column titles from `data-col`.
 */
function renderTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
): Html {
  const named = html`aria-labelledby="${id}-caption"`;
  const [, ...valueTitles] = titles;
  const stacks = titles.length > maxPhoneColumns;
  const width = titles.length > maxTabletColumns ? "table many" : stacks ? "table some" : "table";
  const head = titles.map((title) => html`<th scope="col">${title}</th>`);
  const body = rows.map(([name, ...cells]) => {
    return html`<tr><th scope="row">${name}</th>${cells.map((cell, at) => renderCell(cell, stacks ? valueTitles[at] : undefined))}</tr>`;
  });
  return html`
    <div class="${width}">
      <p id="${id}-caption">${caption}</p>
      <div class="scroll" role="region" tabindex="0" ${named}>
        <table id="${id}" ${named}>
          <thead><tr>${head}</tr></thead>
          <tbody>${body}</tbody>
        </table>
      </div>
    </div>
  `;
}

function renderCell(cell: HtmlPart, title: string | undefined): Html {
  return title === undefined ? html`<td>${cell}</td>` : html`<td data-col="${title}">${cell}</td>`;
}

export function renderSection(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}
