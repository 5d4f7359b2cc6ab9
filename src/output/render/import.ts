import type { ImportDocument, ImportedObject } from "../documents/index.js";
import { type Block, gap, lines, name, ours, paragraph, quoted, row, sentence } from "./blocks.js";
import { count } from "./phrases.js";

/** A line for each object with its file, and the code to paste. */
export function importBlocks(document: ImportDocument): Block[] {
  const { imported, to_paste, code, dry_run } = document;
  const line = (word: string, { address, id, label, file }: ImportedObject) =>
    row(
      [ours(`  ${word.padEnd(10)}`, "good")],
      [name(address, "strong")],
      [quoted(label)],
      [name(id, "dim")],
      [sentence(`into ${file}`)],
    );
  return [
    ...imported.map((object) => line(dry_run ? "would import" : "imported", object)),
    ...to_paste.map((object) => line("to paste", object)),
    gap,
    ...(code === undefined ? [] : [lines(...code.split("\n").map((text) => [name(text)])), lines([])]),
    paragraph([ours(summarize(document), "strong")]),
  ];
}

function summarize({ imported, to_paste, files, dry_run }: ImportDocument): string {
  if (imported.length + to_paste.length === 0) return "Nothing to import.";
  const written = count(files.length, "file");
  if (imported.length === 0) {
    const alsoWritten = files.length > 0 ? `; ${written} ${dry_run ? "would be " : ""}written` : "";
    return `${count(to_paste.length, "object")} to paste${alsoWritten}.`;
  }
  const would = dry_run ? " would be" : "";
  const into = files.length > 0 ? ` into ${written}` : "";
  const paste = to_paste.length > 0 ? `, ${count(to_paste.length, "object")} to paste` : "";
  return `${count(imported.length, "object")}${would} imported${into}${paste}.`;
}
