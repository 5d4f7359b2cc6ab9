import { isForgotten, type ShownField, type ShownValue } from "../documents/index.js";
import { diffEntries } from "./list-diff.js";
import { causeOf } from "./phrases.js";
import { type Line, type Margins, type Piece, type Style, say, type TextOptions, wrap } from "./piece.js";
import { type ProseFacts, proseFacts } from "./prose-facts.js";
import { proseDiffText } from "./prose-text.js";
import { canCompare, entryInLine, isShort, quoted, sizeChange, sizeOf, valueInLine } from "./value-text.js";

const nameColumn = 14;

/** The difference of one field, below its change. */
export function fieldText(field: ShownField, indent: string, options: TextOptions): Line[] {
  const name = say(field.field.padEnd(nameColumn - 1), "dim");
  const hanging = say(`${indent}${" ".repeat(options.width < 60 ? 2 : nameColumn)}`);
  const margins = { width: options.width, first: [say(indent), name, say(" ")], rest: [hanging] };
  const cause = causeOf(field);
  const tail = cause ? [say(`  (${cause})`, "warning")] : [];
  switch (field.type) {
    case "write-only":
      return wrap([say("new value, never shown"), ...tail], margins);
    case "list":
      // Addresses are long: where there is little room, entries stand below the field's name.
      if (options.width >= 60) return listLines(field, tail, margins);
      return [[say(indent), name], ...listLines(field, tail, { ...margins, first: margins.rest })];
    case "prose":
      return proseLines(field, tail, margins, `${indent}  `, options);
    default:
      return wrap([...stringChange(field), ...tail], margins);
  }
}

function stringChange({ before, after }: ShownField): Piece[] {
  const now = say(after === undefined ? "(not managed any more)" : valueInLine(after), "added");
  if (before === undefined) return [now];
  return [say(valueInLine(before), "removed"), say(" → ", "dim"), now];
}

function listLines({ before, after }: ShownField, tail: readonly Piece[], margins: Margins): Line[] {
  if (before !== undefined && isForgotten(before)) {
    return wrap([say("earlier entries not kept; will be:"), ...tail], margins).concat(
      entryLines(
        entriesOf(after).map((entry) => ({ kind: "added", entry }) as const),
        { ...margins, first: margins.rest },
      ),
    );
  }
  const changes = diffEntries(entriesOf(before), entriesOf(after));
  const [head, ...lines] = entryLines(changes, margins);
  return head ? [[...head, ...tail], ...lines] : wrap([say("(empty)"), ...tail], margins);
}

function entryLines(changes: ReturnType<typeof diffEntries>, margins: Margins): Line[] {
  const signs = { removed: "−", added: "+", moved: "↕" } as const;
  const styles: Readonly<Record<keyof typeof signs, Style>> = {
    removed: "removed",
    added: "added",
    moved: "changed",
  };
  return changes.flatMap(({ kind, entry }, at) => {
    const text = `${entryInLine(entry)}${kind === "moved" ? "  (moved)" : ""}`;
    return wrap([say(`${signs[kind]} ${text}`, styles[kind])], {
      width: margins.width,
      first: at === 0 ? margins.first : margins.rest,
      rest: [...margins.rest, say("  ")],
    });
  });
}

function proseLines(
  field: ShownField,
  tail: readonly Piece[],
  margins: Margins,
  diffMargin: string,
  options: TextOptions,
): Line[] {
  const { before, after } = field;
  if (typeof after !== "string") return wrap([say("(not managed any more)"), ...tail], margins);
  const facts = factPieces(
    proseFacts(typeof before === "string" ? before : undefined, after, field.place?.line),
  ).flatMap((fact) => wrap([fact], { ...margins, first: margins.rest }));
  if (typeof before === "string" && canCompare(field)) {
    const file = field.place ? [say(`  ${field.place.file}`, "dim")] : [];
    const head = wrap([say(sizeChange(field) ?? ""), ...tail, ...file], margins);
    return [...head, ...facts, ...proseDiffText(before, after, diffMargin, options, field.place?.line)];
  }
  const now = say(isShort(after) ? quoted(after) : sizeOf(after), "added");
  const old = before === undefined ? [] : [say(valueInLine(before), "dim"), say(" → ", "dim")];
  return [...wrap([...old, now, ...tail], margins), ...facts];
}

function factPieces({ accidents, moved, placeholders }: ProseFacts): Piece[] {
  const pieces = [
    ...accidents.map((accident) => say(accident, "warning")),
    ...moved.map((sentence) => say(sentence, "changed")),
  ];
  if (!placeholders) return pieces;
  const signs = [
    ...placeholders.added.map((name) => `+ ${name}`),
    ...placeholders.removed.map((name) => `− ${name}`),
  ];
  return [...pieces, say(`placeholders: ${signs.join(", ")}`, "changed")];
}

function entriesOf(value: ShownValue | ShownField["before"]): readonly Readonly<Record<string, string>>[] {
  return value === undefined || typeof value === "string" || isForgotten(value) ? [] : value;
}
