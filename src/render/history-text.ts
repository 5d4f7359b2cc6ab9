import {
  type HistoryChange,
  type HistoryDiffDocument,
  type HistoryField,
  type HistoryItemDocument,
  type HistoryRecordDocument,
  isForgotten,
  type ObjectDocument,
  type ObjectField,
} from "../documents/index.js";
import { fieldText } from "./field-text.js";
import {
  asShownField,
  changeRemarks,
  commitWords,
  effectWords,
  fieldWords,
  gapWords,
  momentOf,
  pointWords,
  remarksOf,
} from "./history-words.js";
import { flow, type Line, type Style, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { entryInLine, valueInLine } from "./value-text.js";

/** How much of a record is shown. */
export interface HistoryOptions {
  /** Show the differences themselves; otherwise only which fields differ. */
  readonly diff: boolean;
}

const serialColumn = 6;
const effectColumn = 9;

/** One part of a history for a terminal. */
export function renderHistoryItemText(
  item: HistoryItemDocument,
  options: TextOptions & HistoryOptions,
): string {
  const page = { color: options.color, width: Math.max(options.width, 24), diff: options.diff };
  const indent = " ".repeat(page.width < 60 ? 2 : serialColumn);
  const below = { width: page.width, first: [styled(indent)], rest: [styled(`${indent}  `)] };
  if ("gap" in item) return toTerminal([...wrap([styled(gapWords(item), "warning")], below), []], page.color);
  const lines = [
    ...headLines(item, indent, page.width),
    ...item.changes.flatMap((change) => changeLines(change, indent, page)),
    [],
  ];
  return toTerminal(lines, page.color);
}

function headLines(record: HistoryRecordDocument, indent: string, width: number): Line[] {
  const { serial, at, command, by, commit, environment } = record;
  const below = { width, first: [styled(indent)], rest: [styled(`${indent}  `)] };
  const place = by.ci ?? (by.host === undefined ? undefined : `on ${by.host}`);
  const who = [...(by.user === undefined ? [] : [`by ${by.user}`]), ...(place === undefined ? [] : [place])];
  const where = [
    ...(commit ? [`${commitWords(commit)}, ${commit.file}`] : []),
    ...(environment === undefined ? [] : [`environment ${environment}`]),
  ];
  const things: Line[] = [
    [styled(`${serial}`.padEnd(serialColumn - 2), "strong")],
    [styled(momentOf(at))],
    [styled(command)],
  ];
  return [
    ...flow(things, width, indent),
    ...(who.length > 0 ? wrap([styled(who.join(", "), "dim")], below) : []),
    ...(by.run === undefined ? [] : wrap([styled(by.run, "dim")], below)),
    ...(where.length > 0 ? wrap([styled(where.join(", "), "dim")], below) : []),
    ...remarksOf(record).flatMap((remark) => wrap([styled(remark, "changed")], below)),
  ];
}

const styles: Readonly<Record<HistoryChange["effect"], Style>> = {
  added: "added",
  changed: "changed",
  removed: "removed",
  none: "warning",
};

function changeLines(change: HistoryChange, indent: string, page: TextOptions & HistoryOptions): Line[] {
  const { address, effect, fields } = change;
  const told = page.diff ? [] : fields.map(fieldWords);
  const things: Line[] = [
    [
      styled(`${indent}${effectWords(change).padEnd(effectColumn)}`, styles[effect]),
      styled(address, "strong"),
    ],
    ...changeRemarks(change).map((remark): Line => [styled(remark, "warning")]),
    ...(told.length > 0 ? [[styled(told.join(", "), "dim")]] : []),
  ];
  const inner = `${indent}${" ".repeat(page.width < 60 ? 2 : effectColumn)}`;
  return [
    ...flow(things, page.width, inner),
    ...(page.diff ? fields.flatMap((field) => differenceLines(field, inner, page)) : []),
  ];
}

/** The difference of an object at two moments, for a terminal. */
export function renderHistoryDiffText(
  { address, from, to, fields }: HistoryDiffDocument,
  options: TextOptions,
): string {
  const width = Math.max(options.width, 24);
  const margins = { width, first: [], rest: [styled("  ")] };
  return toTerminal(
    [
      ...wrap(
        [styled(address, "strong"), styled(` from ${pointWords(from)}`), styled(` to ${pointWords(to)}`)],
        margins,
      ),
      ...(fields.length === 0 ? [[styled("  no difference")]] : []),
      ...fields.flatMap((field) => differenceLines(field, "  ", { color: options.color, width })),
    ],
    options.color,
  );
}

function differenceLines(field: HistoryField, indent: string, page: TextOptions): Line[] {
  const shown = asShownField(field);
  const below = { width: page.width, first: [styled(indent)], rest: [styled(`${indent}  `)] };
  return [
    ...(shown ? fieldText(shown, indent, page) : wrap([styled(fieldWords(field))], below)),
    ...(field.missing === undefined
      ? []
      : wrap([styled(`text not shown: ${field.missing}`, "warning")], below)),
  ];
}

/** An object as it was applied, with whole texts, for a terminal. */
export function renderObjectText({ address, id, at, fields }: ObjectDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const margins = { width, first: [], rest: [styled("  ")] };
  return toTerminal(
    [
      ...wrap(
        [styled(address, "strong"), styled(`  ${id}`, "dim"), styled(`  as applied at ${pointWords(at)}`)],
        margins,
      ),
      ...fields.flatMap((field) => valueLines(field, width)),
    ],
    options.color,
  );
}

function valueLines({ field, type, value, missing }: ObjectField, width: number): Line[] {
  const below = { width, first: [styled("    ")], rest: [styled("    ")] };
  const name: Line = [styled(`  ${field}`, "dim")];
  if (missing !== undefined || (typeof value === "object" && isForgotten(value))) {
    const size = wrap([styled(valueInLine(value))], below);
    const why = missing === undefined ? [] : wrap([styled(`text not shown: ${missing}`, "warning")], below);
    return [name, ...size, ...why];
  }
  if (Array.isArray(value))
    return [name, ...value.flatMap((entry) => wrap([styled(entryInLine(entry))], below))];
  if (type !== "prose")
    return wrap([styled(valueInLine(value))], { width, first: [...name, styled("  ")], rest: below.rest });
  return [
    name,
    ...String(value)
      .split(/\r?\n/)
      .flatMap((line) => (line === "" ? [[]] : wrap([styled(line)], below))),
  ];
}
