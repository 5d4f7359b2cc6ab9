import { factsOf, type PlanDocument, type ShownChange } from "../documents/index.js";
import { cells, padTo } from "./cells.js";
import { commands } from "./commands.js";
import { diagnosticsLines } from "./diagnostics-text.js";
import { fieldText } from "./field-text.js";
import { largest } from "./largest.js";
import { textLegend } from "./legend.js";
import { grouped, isOfCheckout, isUndecided, planCounts, reasonOf, requestCount } from "./phrases.js";
import { flow, type Line, type Span, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { undeclaredText } from "./undeclared.js";
import { visible } from "./visible.js";

const actionColumn = 10;

/** A plan for a terminal: changes grouped by action, field by field, with the counts at the end. */
export function renderPlanText(plan: PlanDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const page = { color: options.color, width };
  const changes = grouped(plan.changes);
  const addressColumn = Math.min(
    24,
    largest(
      changes.map(({ address }) => cells(visible(address))),
      0,
    ),
  );
  const lines = changes.flatMap((change) => changeLines(change, addressColumn, page));
  return toTerminal(
    [
      ...wrap(titleOf(plan), { width, first: [], rest: [styled("  ")] }),
      ...noticeLines(plan, true, width),
      [],
      ...lines,
      ...(lines.length > 0 ? [[]] : []),
      ...undeclaredText(plan, width),
      ...diagnosticsLines(plan.policies ?? [], width),
      ...noticeLines(plan, false, width),
      ...wrap([styled(`${planCounts(plan)}. ${requestCount(plan.requests)}.`, "strong")], summary(width)),
    ],
    options.color,
  );
}

function titleOf({ service, environment, targets, compared_with }: PlanDocument): Span[] {
  const title = [styled("Plan for "), styled(service, "strong")];
  if (environment !== undefined) title.push(styled(` (${environment})`));
  if (targets !== undefined) title.push(styled(`, limited to ${targets.join(", ") || "nothing"}`));
  if (compared_with) title.push(styled(", not compared with the account", "warning"));
  return title;
}

function changeLines(change: ShownChange, addressColumn: number, page: TextOptions): Line[] {
  const indent = indentOf(page.width);
  const below = { width: page.width, first: [styled(indent)], rest: [styled(`${indent}  `)] };
  return [
    ...headLines(change, addressColumn, page.width),
    ...change.fields.flatMap((field) => fieldText(field, indent, page)),
    ...remarks(change).flatMap((remark) => wrap([remark], below)),
  ];
}

/** Action, address and label in columns; label, id and reason beside them as far as they fit. */
function headLines(change: ShownChange, addressColumn: number, width: number): Line[] {
  const { action, address, label, id, overwrites } = change;
  const warns = overwrites || isUndecided(action);
  const reason = reasonOf(change);
  const { symbol, style } = factsOf(action);
  const things: Line[] = [
    [
      styled(`${(symbol ?? "").padEnd(2)}${action.padEnd(actionColumn)}`, style),
      styled(padTo(visible(address), addressColumn), "strong"),
    ],
  ];
  if (label !== "") things.push([styled(`"${label}"`)]);
  if (id !== undefined && action !== "update") things.push([styled(id, "dim")]);
  if (reason !== undefined) things.push([styled(reason, warns ? "warning" : "dim")]);
  return flow(things, width, indentOf(width));
}

/** Details of a change go under its address, or under its action if there is little room. */
function indentOf(width: number): string {
  return " ".repeat(width < 60 ? 4 : actionColumn + 2);
}

function remarks(change: ShownChange): Span[] {
  const { address, overwrites, candidates = [], action, notes } = change;
  const lines: Span[] = [];
  if (overwrites && action === "delete") {
    lines.push(
      styled(
        `Not deleted unless you decide: keep it by declaring it again, or delete it anyway with \`${commands.overwrite}\`.`,
      ),
    );
  } else if (overwrites) {
    lines.push(
      styled(textLegend(change.fields), "dim"),
      styled(
        `Not applied unless you decide: keep the edit with \`${commands.pull(address)}\`, or overwrite it with \`${commands.overwrite}\`.`,
      ),
    );
  }
  for (const { id, label, created_at } of candidates) {
    const created = created_at === undefined ? "" : `, created ${created_at}`;
    lines.push(styled(`• ${id}  "${label}"${created}`), styled(`  ${commands.adopt(address, id)}`, "dim"));
  }
  if (action === "ambiguous") {
    const another = candidates.length > 0 ? "if it is none of these, create another" : "create it anyway";
    lines.push(styled(`• ${another}`), styled(`  ${commands.createAnyway(address)}`, "dim"));
  }
  return [...lines, ...notes.map((note) => styled(note, "dim"))];
}

function noticeLines(plan: PlanDocument, comesFirst: boolean, width: number): Line[] {
  const notices = plan.notices.filter((notice) => isOfCheckout(notice) === comesFirst);
  return notices.flatMap(({ message }) => wrap([styled(message)], note(width)));
}

function note(width: number) {
  return {
    width,
    first: [styled("  "), styled("note", "warning"), styled("  ")],
    rest: [styled(" ".repeat(8))],
  };
}

function summary(width: number) {
  return { width, first: [styled("  ")], rest: [styled("  ")] };
}
