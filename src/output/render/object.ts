import { isForgotten, type ObjectDocument, type ObjectField } from "../documents/index.js";
import { type Block, heading, lines, name, paragraph, sentence } from "./blocks.js";
import { pointWords } from "./history-words.js";
import { entryInLine, valueInLine } from "./value-text.js";

/** An object as it was applied, with whole texts. */
export function objectBlocks({ address, id, at, fields }: ObjectDocument): Block[] {
  return [
    heading(name(address, "strong"), name(`  ${id}`, "dim"), sentence(`  as applied at ${pointWords(at)}`)),
    ...fields.flatMap(fieldBlocks),
  ];
}

function fieldBlocks({ field, type, value, missing }: ObjectField): Block[] {
  const title = lines([name(`  ${field}`, "dim")]);
  const below = (text: string) => (text === "" ? lines([]) : paragraph([name(text)], 0, 2));
  if (missing !== undefined || (typeof value === "object" && isForgotten(value))) {
    const why =
      missing === undefined ? [] : [paragraph([sentence(`text not shown: ${missing}`, "warning")], 0, 2)];
    return [title, below(valueInLine(value)), ...why];
  }
  if (Array.isArray(value))
    return [title, ...value.map((entry) => paragraph([name(entryInLine(entry))], 0, 2))];
  if (type !== "prose") return [paragraph([name(field, "dim"), name("  "), name(valueInLine(value))], 2)];
  return [title, ...String(value).split(/\r?\n/).map(below)];
}
