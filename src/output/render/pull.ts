import type { PullDocument } from "../documents/index.js";
import { type Block, gap, name, ours, paragraph, row, sentence } from "./blocks.js";
import { count } from "./phrases.js";

/** A line for each field with its file, and the reason if it was refused. */
export function pullBlocks(pull: PullDocument): Block[] {
  const done = ours(pull.dry_run ? "  would pull" : "  pulled    ", "good");
  return [
    ...pull.pulled.map(({ address, field, file }) =>
      row([done], [name(`${address}.${field}`, "strong")], [sentence(`into ${file}`)]),
    ),
    ...pull.refused.flatMap(({ address, field, reason }) => [
      row(
        [ours("  refused   ", "error")],
        [name(field === undefined ? address : `${address}.${field}`, "strong")],
      ),
      paragraph([sentence(reason)], 0, 2),
    ]),
    gap,
    paragraph([ours(summarize(pull), "strong")]),
  ];
}

function summarize({ pulled, refused, files, dry_run }: PullDocument): string {
  if (pulled.length + refused.length === 0) return "Nothing to pull: nothing was edited elsewhere.";
  const into = files.length > 0 ? ` into ${count(files.length, "file")}` : "";
  const not = refused.length > 0 ? `, ${count(refused.length, "refusal")}` : "";
  const dry = dry_run ? " would be" : "";
  return `${count(pulled.length, "field")}${dry} pulled${into}${not}.`;
}
