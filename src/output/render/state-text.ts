import type { ListedObject, StateListDocument, StateShowDocument } from "../documents/index.js";
import { largest } from "./largest.js";
import { count } from "./phrases.js";
import { flow, type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { tableText } from "./table.js";
import { describeSize, entryInLine, valueInLine } from "./value-text.js";

/** The objects of a state, for a terminal. */
export function renderStateListText(state: StateListDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const rows = state.objects.map(({ address, id, label }) => [address, id, label]);
  const columns = [{ title: "address" }, { title: "id" }, { title: "name" }];
  const table = rows.length === 0 ? [] : (tableText(columns, rows, width) ?? paragraphs(rows, width));
  const stale = state.objects.flatMap((object) => staleLines(object, width));
  const pending = state.pending.flatMap(({ address, action, label, at }) =>
    wrap(
      [
        styled("unsettled", "warning"),
        styled(
          `  ${action} of ${address}${label === "" ? "" : ` "${label}"`} at ${at}: the next plan looks for it.`,
        ),
      ],
      {
        width,
        first: [styled("  ")],
        rest: [styled("    ")],
      },
    ),
  );
  const ending = `${count(state.objects.length, "object")} of ${state.service}; state serial ${state.serial}, lineage ${state.lineage}.`;
  return toTerminal(
    [
      ...table,
      ...(stale.length + pending.length > 0 ? [[]] : []),
      ...stale,
      ...pending,
      ...(table.length + pending.length > 0 ? [[]] : []),
      ...wrap([styled(ending, "strong")], { width, first: [styled("  ")], rest: [styled("  ")] }),
    ],
    options.color,
  );
}

/** Everything recorded of one object, for a terminal. */
export function renderStateShowText(object: StateShowDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const facts: [name: string, value: string][] = [["id", object.id]];
  if (object.in_sync_at !== undefined) facts.push(["in sync at", object.in_sync_at]);
  for (const [field, value] of Object.entries(object.applied)) {
    if (Array.isArray(value)) for (const entry of value) facts.push([field, entryInLine(entry)]);
    else
      facts.push([
        field,
        typeof value === "string" && value.length > 400 ? describeSize(value) : valueInLine(value),
      ]);
  }
  const column =
    largest(
      facts.map(([name]) => name.length),
      0,
    ) + 2;
  const lines = facts.flatMap(([name, value], at) => {
    const again = facts[at - 1]?.[0] === name;
    const first = [styled("  "), styled((again ? "" : name).padEnd(column), "dim")];
    return wrap([styled(value)], { width, first, rest: [styled(" ".repeat(column + 2))] });
  });
  return toTerminal(
    [[styled(object.address, "strong")], ...lines, ...staleLines(object, width)],
    options.color,
  );
}

/** Superseded objects are listed until the user removes them by other means: the service has no delete. */
function staleLines({ address, stale }: ListedObject, width: number): Line[] {
  return stale.flatMap(({ id, label, since }) =>
    wrap([styled("stale", "warning"), styled(`  ${id}  "${label}", superseded by ${address} on ${since}`)], {
      width,
      first: [styled("  ")],
      rest: [styled("    ")],
    }),
  );
}

/** Without room for a table: address and name, and always the id below them. */
function paragraphs(rows: readonly (readonly string[])[], width: number): Line[] {
  return rows.flatMap(([address = "", id = "", label = ""]) => [
    ...flow([[styled("  "), styled(address, "strong")], [styled(label)]], width, "    "),
    ...wrap([styled(id, "dim")], { width, first: [styled("    ")], rest: [styled("      ")] }),
  ]);
}
