import type { PlanDocument, ShownChange } from "../documents/index.js";
import { cells, padTo } from "./cells.js";
import { commands } from "./commands.js";
import { fieldText } from "./field-text.js";
import { largest } from "./largest.js";
import { textLegend } from "./legend.js";
import { grouped, isUndecided, planCounts, reasonOf, requestCount } from "./phrases.js";
import { flow, type Line, type Piece, paint, type Style, say, type TextOptions, wrap } from "./piece.js";
import { undeclaredText } from "./undeclared.js";
import { visible } from "./visible.js";

const actionColumn = 10;

const styles: Readonly<Record<ShownChange["action"], Style>> = {
  create: "good",
  update: "changed",
  adopt: "changed",
  supersede: "changed",
  forget: "dim",
  missing: "error",
  unreadable: "error",
  ambiguous: "error",
};

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
  return paint(
    [
      ...wrap(titleOf(plan), { width, first: [], rest: [say("  ")] }),
      [],
      ...lines,
      ...(lines.length > 0 ? [[]] : []),
      ...undeclaredText(plan, width),
      ...plan.notices.flatMap(({ message }) => wrap([say(message)], note(width))),
      ...wrap([say(`${planCounts(plan)}. ${requestCount(plan.requests)}.`, "strong")], summary(width)),
    ],
    options.color,
  );
}

function titleOf({ service, environment, targets }: PlanDocument): Piece[] {
  const title = [say("Plan for "), say(service, "strong")];
  if (environment !== undefined) title.push(say(` (${environment})`));
  if (targets !== undefined) title.push(say(`, limited to ${targets.join(", ")}`));
  return title;
}

function changeLines(change: ShownChange, addressColumn: number, page: TextOptions): Line[] {
  const indent = indentOf(page.width);
  const below = { width: page.width, first: [say(indent)], rest: [say(`${indent}  `)] };
  return [
    ...headLines(change, addressColumn, page.width),
    ...change.fields.flatMap((field) => fieldText(field, indent, page)),
    ...remarks(change).flatMap((remark) => wrap([remark], below)),
  ];
}

/** Action, address and label in columns; the label, the id and the reason beside them as far as they fit. */
function headLines(change: ShownChange, addressColumn: number, width: number): Line[] {
  const { action, address, label, id, overwrites } = change;
  const warns = overwrites || isUndecided(action);
  const reason = reasonOf(change);
  const things: Line[] = [
    [
      say(`  ${action.padEnd(actionColumn)}`, styles[action]),
      say(padTo(visible(address), addressColumn), "strong"),
    ],
  ];
  if (label !== "") things.push([say(`"${label}"`)]);
  if (id !== undefined && action !== "update") things.push([say(id, "dim")]);
  if (reason !== undefined) things.push([say(reason, warns ? "warning" : "dim")]);
  return flow(things, width, indentOf(width));
}

/** What belongs to a change stands under its address, or where there is little room under its action. */
function indentOf(width: number): string {
  return " ".repeat(width < 60 ? 4 : actionColumn + 2);
}

function remarks(change: ShownChange): Piece[] {
  const { address, overwrites, candidates = [], action, notes } = change;
  const lines: Piece[] = [];
  if (overwrites) {
    lines.push(
      say(textLegend(change.fields), "dim"),
      say(
        `Not applied unless you decide: keep the edit with \`${commands.pull(address)}\`, or write over it with \`${commands.overwrite}\`.`,
      ),
    );
  }
  for (const { id, label, created_at } of candidates) {
    const created = created_at === undefined ? "" : `, created ${created_at}`;
    lines.push(say(`• ${id}  "${label}"${created}`), say(`  ${commands.adopt(address, id)}`, "dim"));
  }
  if (action === "ambiguous") {
    const another =
      candidates.length > 0 ? "none of them is meant: make another" : "make it again all the same";
    lines.push(say(`• ${another}`), say(`  ${commands.createAnyway(address)}`, "dim"));
  }
  return [...lines, ...notes.map((note) => say(note, "dim"))];
}

function note(width: number) {
  return { width, first: [say("  "), say("note", "warning"), say("  ")], rest: [say(" ".repeat(8))] };
}

function summary(width: number) {
  return { width, first: [say("  ")], rest: [say("  ")] };
}
