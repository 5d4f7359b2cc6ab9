import { isForgotten, type ShownField } from "../documents/index.js";
import { cells } from "./cells.js";
import { diffEntries } from "./list-diff.js";
import { describeCause } from "./phrases.js";
import { type ProseFacts, proseFacts } from "./prose-facts.js";
import { proseDiffText } from "./prose-text.js";
import { type Line, type Margins, type Span, type Style, styled, type TextOptions, wrap } from "./span.js";
import {
  canCompare,
  describeSize,
  entryInLine,
  isShort,
  quoted,
  sizeChange,
  toEntries,
  valueInLine,
} from "./value-text.js";

const nameColumn = 14;

/** The difference of one field, under its change. */
export function fieldText(field: ShownField, indent: string, options: TextOptions): Line[] {
  const name = styled(field.field.padEnd(nameColumn - 1), "dim");
  const hanging = styled(`${indent}${" ".repeat(options.width < 60 ? 2 : nameColumn)}`);
  const margins = { width: options.width, first: [styled(indent), name, styled(" ")], rest: [hanging] };
  const cause = describeCause(field);
  const tail = cause ? [styled(`  (${cause})`, "warning")] : [];
  switch (field.type) {
    case "write-only":
      return wrap([styled("new value, never shown"), ...tail], margins);
    case "list":
      // URLs are long: in a narrow terminal, entries go below the field's name.
      if (options.width >= 60) return listLines(field, tail, margins);
      return [[styled(indent), name], ...listLines(field, tail, { ...margins, first: margins.rest })];
    case "prose":
      return proseLines(field, tail, margins, `${indent}  `, options);
    default:
      return wrap([...stringChange(field), ...tail], margins);
  }
}

function stringChange({ before, after, known_after }: ShownField): Span[] {
  if (known_after !== undefined) {
    const now = styled(`(id of ${known_after}, known after apply)`, "added");
    return before === undefined ? [now] : [styled(valueInLine(before), "removed"), styled(" → ", "dim"), now];
  }
  const now = after === undefined ? styled("(deleted)", "removed") : styled(valueInLine(after), "added");
  if (before === undefined) return [now];
  return [styled(valueInLine(before), "removed"), styled(" → ", "dim"), now];
}

function listLines({ before, after }: ShownField, tail: readonly Span[], margins: Margins): Line[] {
  if (before !== undefined && isForgotten(before)) {
    return wrap([styled("earlier entries not recorded; new entries:"), ...tail], margins).concat(
      entryLines(
        toEntries(after).map((entry) => ({ kind: "added", entry }) as const),
        { ...margins, first: margins.rest },
      ),
    );
  }
  const changes = diffEntries(toEntries(before), toEntries(after));
  const [head, ...lines] = entryLines(changes, margins);
  if (!head) return wrap([styled("(empty)"), ...tail], margins);
  const first = [...head, ...tail];
  const fits = first.reduce((sum, { text }) => sum + cells(text), 0) <= margins.width;
  return [...(fits ? [first] : [head, [...margins.rest, ...tail]]), ...lines];
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
    return wrap([styled(`${signs[kind]} ${text}`, styles[kind])], {
      width: margins.width,
      first: at === 0 ? margins.first : margins.rest,
      rest: [...margins.rest, styled("  ")],
    });
  });
}

function proseLines(
  field: ShownField,
  tail: readonly Span[],
  margins: Margins,
  diffMargin: string,
  options: TextOptions,
): Line[] {
  const { before, after } = field;
  if (typeof after !== "string") {
    const live = typeof before === "string" && !isShort(before) ? describeSize(before) : undefined;
    const shown =
      live === undefined ? stringChange(field) : [styled(live), styled(" → (deleted)", "removed")];
    return wrap([...shown, ...tail], margins);
  }
  const facts = factPieces(
    proseFacts(typeof before === "string" ? before : undefined, after, field.place?.line),
  ).flatMap((fact) => wrap([fact], { ...margins, first: margins.rest }));
  if (typeof before === "string" && canCompare(field)) {
    const file = field.place ? [styled(`  ${field.place.file}`, "dim")] : [];
    const head = wrap([styled(sizeChange(field) ?? ""), ...tail, ...file], margins);
    return [...head, ...facts, ...proseDiffText(before, after, diffMargin, options, field.place?.line)];
  }
  const now = styled(isShort(after) ? quoted(after) : describeSize(after), "added");
  const old = before === undefined ? [] : [styled(valueInLine(before), "dim"), styled(" → ", "dim")];
  return [...wrap([...old, now, ...tail], margins), ...facts];
}

function factPieces({ accidents, moved, placeholders }: ProseFacts): Span[] {
  const spans = [
    ...accidents.map((accident) => styled(accident, "warning")),
    ...moved.map(({ where }) => styled(where, "changed")),
  ];
  if (!placeholders) return spans;
  const signs = [
    ...placeholders.added.map((name) => `+ ${name}`),
    ...placeholders.removed.map((name) => `− ${name}`),
  ];
  return [...spans, styled(`placeholders: ${signs.join(", ")}`, "changed")];
}
