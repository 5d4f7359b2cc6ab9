import {
  capitalise,
  type ReportedDay,
  type ReportedGroup,
  type SessionsReportDocument,
} from "../../documents/index.js";
import { foreign, type Html, type HtmlPart, html } from "../html.js";
import { largest, number } from "../phrases.js";
import { compareMeasures, describeDay, missing, reportMeasures, shownOr } from "../session-facts.js";

/** The groups; the first column is what they are. */
export function groupsTable(report: SessionsReportDocument, by: NonNullable<typeof report.by>): Html {
  const sandbox = { title: "Sandbox", of: (group: ReportedGroup) => group.sandbox_sessions, shown: number };
  const measures = [...reportMeasures(report), sandbox];
  return table(
    "groups",
    `Ended sessions by ${by}, without sandbox sessions but for the last column.`,
    [capitalise(by), ...measures.map(({ title }) => title)],
    report.groups.map((group) => {
      const { key, partial } = group;
      const name = html`<span>${key === undefined ? "not stated" : foreign(key)}${partial ? " (in part)" : ""}</span>`;
      return [name, ...measures.map(({ of, shown }) => shownOr(of(group), shown))];
    }),
  );
}

/** What is said of a period, beside the period before and the sandbox. */
export function comparisonTable(report: SessionsReportDocument): Html {
  return table(
    "comparison",
    "Sandbox sessions are in the last column only.",
    ["Measure", "This period", "Before", "Change", "Sandbox"],
    compareMeasures(report).map(({ title, change, shown }) => {
      return [title, shown.now, shown.before, change ?? missing, shown.sandbox];
    }),
  );
}

/** Sessions and credits of each day, with bars to compare them by. */
export function renderDays({ days }: SessionsReportDocument): Html {
  const most = (of: (day: ReportedDay) => number) => largest(days.map(of), 0);
  const [mostSessions, mostCredits] = [most((day) => day.sessions), most((day) => day.credits_consumed)];
  return table(
    "days",
    "Ended sessions and their credits, by day",
    ["Day", "Sessions", "Credits"],
    days.map(({ day, sessions, credits_consumed: credits, partial }) => [
      `${describeDay(day)}${partial ? " (in part)" : ""}`,
      bar("sessions", sessions, mostSessions),
      bar("credits", credits, mostCredits),
    ]),
  );
}

/** A number, and a bar of its share of the largest one. */
function bar(kind: "sessions" | "credits", value: number, most: number): Html {
  const share = most > 0 ? Math.round((value / most) * 1000) / 10 : 0;
  const width = `${share}%`;
  return html`<svg class="${`bar ${kind}`}" aria-hidden="true"><rect width="${width}" height="100%"/></svg><span>${number(value)}</span>`;
}

/** A table. The first cell of a row says what the row is; the caption is outside of what scrolls where the window is narrow. */
function table(
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

export function section(id: string, title: string, ...content: readonly HtmlPart[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}
