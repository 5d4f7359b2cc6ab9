import type { ReportedBudget, SessionsReportDocument } from "../documents/index.js";
import { clip } from "./cells.js";
import { number } from "./phrases.js";
import { type ReportTable, viewReport } from "./report-view.js";
import { flow, type Line, type Style, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { fittingTable, paragraphs } from "./table.js";
import { visible } from "./visible.js";

const budgetStyles: Readonly<Record<ReportedBudget["status"], Style>> = {
  kept: "good",
  exceeded: "error",
  unknown: "warning",
};

/** The names of charts have one width. */
const nameWidth = 18;

/** A report for a terminal: numbers beside those of the period before, charts of one line, groups, notes. */
export function renderReportText(
  report: SessionsReportDocument,
  { color, width: columns }: TextOptions,
): string {
  const width = Math.max(columns, 24);
  const view = viewReport(report, Math.max(20, Math.min(60, width - nameWidth - 20)));
  const { environment, groups, budget } = view;
  const sentence = (text: string | undefined, style: Style = "plain"): Line[] =>
    text === undefined
      ? []
      : wrap([styled(text, style)], { width, first: [styled("  ")], rest: [styled("    ")] });
  const named = (name: string, ...things: readonly Line[]): Line[] =>
    flow([[styled(`  ${name.padEnd(nameWidth)}`, "dim")], ...things], width, "    ");
  const blocks: Line[][] = [
    [
      ...wrap([styled(view.title, "strong")], { width, first: [], rest: [styled("  ")] }),
      ...sentence(`${view.service}${environment === undefined ? "" : ` (${environment})`}`, "dim"),
      ...sentence(view.compared, "dim"),
    ],
    [...table(view.measures, width), ...view.apart.flatMap((text) => sentence(text))],
    [
      ...(view.charts ?? []).flatMap(({ name, marks, most }) => {
        const scale = most === undefined ? "0 to 23 h" : `most: ${number(most)}`;
        return named(name, [styled(marks, "changed")], [styled(scale, "dim")]);
      }),
      ...(view.busiest === undefined ? [] : named("busiest hours", [styled(view.busiest)])),
    ],
    groups === undefined
      ? []
      : [
          ...(groups.rows.length === 0 ? sentence(groups.none) : table(groups, width)),
          ...sentence(groups.note, "dim"),
        ],
    view.values.flatMap(([name, counts]) =>
      named(
        name,
        ...counts.map(([value, sessions]) => [
          styled(clip(visible(value), 40)),
          styled(` ${number(sessions)}`, "dim"),
        ]),
      ),
    ),
    [
      ...view.incomplete.flatMap((message) =>
        wrap([styled("note", "warning"), styled(`  ${message}`)], {
          width,
          first: [styled("  ")],
          rest: [styled("        ")],
        }),
      ),
      ...view.basis.flatMap((text) => sentence(text, "dim")),
    ],
    sentence(budget, report.budget && budgetStyles[report.budget.status]),
  ];
  const shown = blocks.filter((block) => block.length > 0);
  return toTerminal(
    shown.flatMap((block, at) => (at === 0 ? block : [[], ...block])),
    color,
  );
}

/** Where there is little room, without its least important columns, or a paragraph for each row. */
function table({ titles, rows, words, dispensable }: ReportTable, width: number): Line[] {
  const columns = titles.map((title, at) => ({ title, ...(at >= words && { align: "right" as const }) }));
  const shown = rows.map((row) => row.map((text) => clip(visible(text), words > 1 ? 60 : 40)));
  return fittingTable(columns, shown, width, dispensable) ?? paragraphs(columns, shown, width);
}
