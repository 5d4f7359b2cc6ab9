import {
  capitalise,
  type ReportedDay,
  type ReportedGroup,
  type SessionsReportDocument,
} from "../../documents/index.js";
import { type Html, type HtmlPart, html, toForeignText } from "../html.js";
import { findLargest, number } from "../phrases.js";
import { compareMeasures, describeDay, formatKnown, listMeasures, missing } from "../session-facts.js";

/** Renders the groups. The first column names the group. */
export function renderGroupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): Html {
  const sandbox = { title: "Sandbox", of: (group: ReportedGroup) => group.sandbox_sessions, shown: number };
  const measures = [...listMeasures(report), sandbox];
  return renderTable(
    "groups",
    `Ended sessions by ${by}. Sandbox sessions are in the last column only.`,
    [capitalise(by), ...measures.map(({ title }) => title)],
    report.groups.map((group) => {
      const { key, partial } = group;
      const name = html`<span>${key === undefined ? "not stated" : toForeignText(key)}${partial ? " (in part)" : ""}</span>`;
      return [name, ...measures.map(({ of, shown }) => formatKnown(of(group), shown))];
    }),
  );
}

/** Renders the measures of a period, with the period before and the sandbox. */
export function renderComparisonTable(report: SessionsReportDocument): Html {
  return renderTable(
    "comparison",
    "Sandbox sessions are in the last column only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    compareMeasures(report).map(({ title, change, shown }) => {
      return [title, shown.now, shown.before, change ?? missing, shown.sandbox];
    }),
  );
}

/** Renders sessions and credits of each day with bars. */
export function renderDays({ days }: SessionsReportDocument): Html {
  const findMost = (of: (day: ReportedDay) => number) => findLargest(days.map(of), 0);
  const [mostSessions, mostCredits] = [
    findMost((day) => day.sessions),
    findMost((day) => day.credits_consumed),
  ];
  return renderTable(
    "days",
    "Ended sessions and their credits, by day",
    ["Day", "Sessions", "Credits"],
    days.map(({ day, sessions, credits_consumed: credits, partial }) => [
      `${describeDay(day)}${partial ? " (in part)" : ""}`,
      renderBar("sessions", sessions, mostSessions),
      renderBar("credits", credits, mostCredits),
    ]),
  );
}

/** Renders a number with a bar relative to the largest one. */
function renderBar(kind: "sessions" | "credits", value: number, most: number): Html {
  const share = most > 0 ? Math.round((value / most) * 1000) / 10 : 0;
  const width = `${share}%`;
  return html`<svg class="${`bar ${kind}`}" aria-hidden="true"><rect width="${width}" height="100%"/></svg><span>${number(value)}</span>`;
}

/** Renders a table. The first cell of a row is its header. In a narrow window, the caption does not scroll. */
function renderTable(
  id: string,
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
): Html {
  const named = html`aria-labelledby="${id}-caption"`;
  const head = titles.map((title) => html`<th scope="col">${title}</th>`);
  const body = rows.map(([name, ...cells]) => {
    return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  });
  return html`
    <div class="table">
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

export function renderSection(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}
