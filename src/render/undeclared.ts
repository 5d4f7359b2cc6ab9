import type { PlanDocument } from "../documents/index.js";
import { commands } from "./commands.js";
import {
  type Cell,
  code,
  codeCell,
  details,
  type Html,
  htm,
  join,
  type Markdown,
  md,
  phrase,
  tableMarkdown,
} from "./markdown.js";
import { count } from "./phrases.js";
import { flow, type Line, styled, wrap } from "./span.js";
import { tableText } from "./table.js";

/** The objects that no file declares, for a terminal; no lines unless requested. */
export function undeclaredText({ undeclared }: Pick<PlanDocument, "undeclared">, width: number): Line[] {
  if (undeclared === undefined) return [];
  const below = { width, first: [styled("  ")], rest: [styled("    ")] };
  const columns = [{ title: "kind" }, { title: "id" }, { title: "name" }];
  const rows = undeclared.map(({ kind, id, label }) => [kind, id, label]);
  const paragraphs = () =>
    rows.flatMap(([kind = "", ...more]) =>
      flow([[styled("  "), styled(kind)], ...more.map((text): Line => [styled(text)])], width, "    "),
    );
  const table = rows.length === 0 ? [] : (tableText(columns, rows, width) ?? paragraphs());
  const [first] = undeclared;
  const hint = first
    ? wrap([styled(`To declare one: \`${commands.declare(first.kind, first.id)}\``, "dim")], below)
    : [];
  return [...wrap([styled(titleOf(undeclared), "strong")], below), ...table, ...hint, []];
}

/** The maximum number of table rows in a comment. */
const rowsInMarkdown = 100;

/** The same for a comment: a folded table, or one line to save room. */
export function undeclaredMarkdown(
  { undeclared }: Pick<PlanDocument, "undeclared">,
  withTable: boolean,
): Markdown {
  if (undeclared === undefined) return md``;
  const title = titleOf(undeclared);
  if (undeclared.length === 0) return phrase(title);
  const seeAll = md`${code(commands.undeclared)} lists them.`;
  if (!withTable) return md`${phrase<Markdown>(title)} ${seeAll}`;
  const rows = undeclared
    .slice(0, rowsInMarkdown)
    .map(({ kind, id, label }): Cell[] => [codeCell(kind), codeCell(id), codeCell(label)]);
  const left = undeclared.length - rows.length;
  const more =
    left > 0 ? md`_${phrase<Markdown>(count(left, "more object"))} not shown here._ ${seeAll}` : md``;
  const table = tableMarkdown(["Kind", "Id", "Name"], rows);
  return details(htm`${phrase<Html>(title)}`, join([table, more], "\n\n"));
}

function titleOf(undeclared: readonly unknown[]): string {
  if (undeclared.length === 0) return "Every object of the account is declared.";
  return `${count(undeclared.length, "object")} of the account ${undeclared.length === 1 ? "is" : "are"} not declared in any file.`;
}
