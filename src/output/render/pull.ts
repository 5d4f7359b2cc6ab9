import type { ImportDocument, ImportedObject, PullDocument } from "../documents/index.js";
import { type Block, gap, type Item, lines, name, ours, paragraph, sentence } from "./blocks.js";
import { count } from "./phrases.js";
import type { Style } from "./span.js";

/** Describes each field with its file, or with the reason why it was refused. */
export function renderPullBlocks(pull: PullDocument): Block[] {
  const done = pull.dry_run ? "would pull" : "pulled";
  return [
    createOutcomeList([
      ...pull.pulled.map(({ address, field, file }) => ({
        ...createOutcomeItem(done, "good", `${address}.${field}`),
        beside: [sentence(`into ${file}`)],
      })),
      ...pull.refused.map(({ address, field, reason }) => ({
        ...createOutcomeItem("refused", "error", field === undefined ? address : `${address}.${field}`),
        below: [paragraph([sentence(reason)])],
      })),
    ]),
    gap,
    paragraph([ours(summarize(pull), "strong")]),
  ];
}

/** Creates items for a terminal only. */
function createOutcomeList(items: readonly Item[]): Block {
  return { is: "items", items, noun: "line", titles: [], width: 12 };
}

function createOutcomeItem(word: string, style: Style, of: string): Item {
  return { word, style, name: name(of), beside: [], cells: [] };
}

function summarize({ pulled, refused, files, dry_run }: PullDocument): string {
  if (pulled.length + refused.length === 0) return "Nothing to pull: no dashboard edits.";
  const into = files.length > 0 ? ` into ${count(files.length, "file")}` : "";
  const not = refused.length > 0 ? `, ${count(refused.length, "refusal")}` : "";
  const dry = dry_run ? " would be" : "";
  const fields = new Set(pulled.map(({ address, field }) => `${address}.${field}`));
  return `${count(fields.size, "field")}${dry} pulled${into}${not}.`;
}

/** Describes each object with its file, and the code to paste. */
export function renderImportBlocks(document: ImportDocument): Block[] {
  const { imported, to_paste, code, dry_run } = document;
  const createItem = (word: string, { address, id, label, file }: ImportedObject): Item => ({
    ...createOutcomeItem(word, "good", address),
    label,
    beside: [name(id, "dim"), sentence(`into ${file}`)],
  });
  return [
    createOutcomeList([
      ...imported.map((object) => createItem(dry_run ? "would import" : "imported", object)),
      ...to_paste.map((object) => createItem("to paste", object)),
    ]),
    gap,
    ...(code === undefined ? [] : [lines(...code.split("\n").map((text) => [name(text)])), lines([])]),
    paragraph([ours(summarizeImport(document), "strong")]),
  ];
}

function summarizeImport({ imported, to_paste, files, dry_run }: ImportDocument): string {
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
