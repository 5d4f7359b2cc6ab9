import { isForgotten, type ShownField } from "../documents/index.js";
import { diffEntries } from "./list-diff.js";
import { code, fenced, join, type Markdown, md, phrase } from "./markdown.js";
import { causeOf } from "./phrases.js";
import { proseFacts } from "./prose-facts.js";
import { proseDiffMarkdown } from "./prose-markdown.js";
import { canCompare, entryInLine, sizeChange, sizeOf, valueInLine } from "./value-text.js";

const longestValue = 300;

/** The difference of one field; without the diff if there is no room. */
export function fieldMarkdown(field: ShownField, withDiff: boolean): Markdown {
  const cause = causeOf(field);
  const why = phrase<Markdown>(cause ? `(${cause})` : "");
  const head = join([md`**${code(field.field)}**`, headOf(field), why], " ");
  const blocks = [head, ...factsOf(field)];
  if (withDiff) blocks.push(diffOf(field));
  return join(blocks, "\n\n");
}

function headOf(field: ShownField): Markdown {
  const { type, before, after, known_after } = field;
  if (known_after !== undefined) {
    const now = md`id of ${code(known_after)}, known after apply`;
    return before === undefined ? now : md`${inLine(before)} → ${now}`;
  }
  if (type === "write-only") return phrase("new value, never shown");
  if (after === undefined)
    return before === undefined ? phrase("(deleted)") : md`${inLine(before)} → (deleted)`;
  if (type === "list") return phrase("");
  if (canCompare(field)) return phrase(sizeChange(field) ?? "");
  return before === undefined ? inLine(after) : md`${inLine(before)} → ${inLine(after)}`;
}

function inLine(value: NonNullable<ShownField["before"]>): Markdown {
  if (typeof value !== "string") return phrase(valueInLine(value));
  return value.length <= longestValue && !value.includes("\n") ? code(value) : phrase(sizeOf(value));
}

function factsOf({ type, before, after, place }: ShownField): Markdown[] {
  if (type !== "prose" || typeof after !== "string") return [];
  const { accidents, moved, placeholders } = proseFacts(
    typeof before === "string" ? before : undefined,
    after,
    place?.line,
  );
  const facts = [
    ...accidents.map((accident) => md`⚠ ${phrase<Markdown>(accident)}`),
    ...moved.map((sentence) => phrase<Markdown>(sentence)),
  ];
  if (!placeholders) return facts;
  const signs = [
    ...placeholders.added.map((name) => md`+ ${code(name)}`),
    ...placeholders.removed.map((name) => md`− ${code(name)}`),
  ];
  return [...facts, md`placeholders: ${join(signs, ", ")}`];
}

function diffOf(field: ShownField): Markdown {
  const { type, before, after } = field;
  if (type === "list") {
    const signs = { removed: "-", added: "+", moved: " " } as const;
    const lines = diffEntries(entriesOf(before), entriesOf(after)).map(
      ({ kind, entry }) => `${signs[kind]} ${entryInLine(entry)}${kind === "moved" ? "  (moved)" : ""}`,
    );
    return lines.length > 0 ? fenced(lines, "diff") : phrase("(empty)");
  }
  const texts = canCompare(field) && typeof before === "string" && typeof after === "string";
  return texts ? proseDiffMarkdown(before, after, field.place) : phrase("");
}

function entriesOf(value: ShownField["before"]): readonly Readonly<Record<string, string>>[] {
  return value === undefined || typeof value === "string" || isForgotten(value) ? [] : value;
}
