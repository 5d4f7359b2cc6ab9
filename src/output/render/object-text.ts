import { isForgotten, type ObjectDocument, type ObjectField } from "../documents/index.js";
import { pointWords } from "./history-words.js";
import { type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";
import { entryInLine, valueInLine } from "./value-text.js";

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
