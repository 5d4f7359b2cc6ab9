import type { ImportDocument, ImportedObject } from "../documents/index.js";
import { count } from "./phrases.js";
import { flow, type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** The result of an import for a terminal: a line for each object with its file, and the code to paste. */
export function renderImportText(document: ImportDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const { imported, to_paste, code, dry_run } = document;
  const lines = [
    ...imported.flatMap((object) => objectLines(dry_run ? "would import" : "imported", object, width)),
    ...to_paste.flatMap((object) => objectLines("to paste", object, width)),
  ];
  // Not wrapped, because the user pastes it.
  const codeLines = (code ?? "").split("\n").map((line): Line => [styled(line)]);
  const ending = wrap([styled(summarize(document), "strong")], {
    width,
    first: [styled("  ")],
    rest: [styled("  ")],
  });
  return toTerminal(
    [
      ...lines,
      ...(lines.length > 0 ? [[]] : []),
      ...(code === undefined ? [] : [...codeLines, []]),
      ...ending,
    ],
    options.color,
  );
}

function objectLines(word: string, { address, id, label, file }: ImportedObject, width: number): Line[] {
  const things: Line[] = [
    [styled(`  ${word.padEnd(10)}`, "good")],
    [styled(address, "strong")],
    [styled(`"${label}"`)],
    [styled(id, "dim")],
    [styled(`into ${file}`)],
  ];
  return flow(things, width, "    ");
}

function summarize({ imported, to_paste, files, dry_run }: ImportDocument): string {
  if (imported.length + to_paste.length === 0) return "Nothing to import.";
  const written = count(files.length, "file");
  if (imported.length === 0) {
    const besides = files.length > 0 ? `; ${written} ${dry_run ? "would be " : ""}written` : "";
    return `${count(to_paste.length, "object")} to paste${besides}.`;
  }
  const would = dry_run ? " would be" : "";
  const into = files.length > 0 ? ` into ${written}` : "";
  const paste = to_paste.length > 0 ? `, ${count(to_paste.length, "object")} to paste` : "";
  return `${count(imported.length, "object")}${would} imported${into}${paste}.`;
}
