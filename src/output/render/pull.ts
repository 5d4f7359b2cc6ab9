import type { ImportDocument, ImportedObject, PullDocument } from "../documents/index.js";
import {
  type Block,
  facts,
  gap,
  type ListItem,
  lines,
  name,
  ownText,
  paragraph,
  sentence,
} from "./blocks.js";
import { formatCount } from "./phrases.js";
import type { Style } from "./span.js";

/** Describes each field with its file, or with the reason why it was refused. */
export function renderPullBlocks(pull: PullDocument): Block[] {
  const done = pull.dry_run ? "would pull" : "pulled";
  return [
    createOutcomeList([
      ...pull.pulled.map(({ address, field, file, merged }) => ({
        ...createOutcomeItem(done, "good", `${address}.${field}`),
        beside: [sentence(`into ${file}`)],
        ...(merged && { below: [paragraph([ownText(describeMerge(merged, file))])] }),
      })),
      ...pull.refused.map(({ address, field, reason, conflicts = [] }) => ({
        ...createOutcomeItem("refused", "error", field === undefined ? address : `${address}.${field}`),
        below: [paragraph([sentence(reason)]), ...conflicts.flatMap(renderConflict)],
      })),
    ]),
    gap,
    paragraph([ownText(summarize(pull), "strong")]),
  ];
}

/** Describes which edits a merge took from the dashboard, and which from the files. */
function describeMerge({ dashboard, yours, resolved, conflicts = [] }: PulledMerge, file: string): string {
  const found = formatCount(conflicts.length, "conflict");
  if (resolved === "markers")
    return `${found} to resolve: edit ${file}, and remove the markers. Until then, \`avatarops validate\` fails.`;
  const side = resolved === "ours" ? "your lines" : "the dashboard's lines";
  const how = resolved ? ` ${found} resolved with ${side}.` : "";
  return `Merged: ${formatCount(dashboard, "edit")} from the dashboard, ${formatCount(yours, "edit")} from the files.${how}`;
}

type PulledMerge = NonNullable<PullDocument["pulled"][number]["merged"]>;
type Conflict = NonNullable<PullDocument["refused"][number]["conflicts"]>[number];

/** Shows the last applied version of a conflict, and both sides. */
function renderConflict(conflict: Conflict): Block[] {
  const { part, location } = conflict;
  const title = [part, location && `${location.file}:${location.line}`]
    .filter((one) => one !== undefined)
    .join(", ");
  const sides = [
    ["last applied", conflict.applied, "dim"],
    ["dashboard", conflict.dashboard, "changed"],
    ["yours", conflict.yours, "changed"],
  ] as const;
  return [
    ...(title === "" ? [] : [paragraph([name(title, "dim")])]),
    facts(
      sides.flatMap(([side, value, style]) =>
        side === "last applied" && value === undefined ? [] : [[side, showSide(value), style] as const],
      ),
    ),
  ];
}

function showSide(value: Conflict["yours"]): string {
  if (value === undefined) return "(removed)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Creates a list for the terminal. */
function createOutcomeList(items: readonly ListItem[]): Block {
  return { is: "items", items, noun: "line", titles: [], width: 12 };
}

function createOutcomeItem(word: string, style: Style, of: string): ListItem {
  return { word, style, name: name(of), beside: [], cells: [] };
}

function summarize({ pulled, refused, files, dry_run }: PullDocument): string {
  if (pulled.length + refused.length === 0) return "Nothing to pull: no dashboard edits.";
  const into = files.length > 0 ? ` into ${formatCount(files.length, "file")}` : "";
  const not = refused.length > 0 ? `, ${formatCount(refused.length, "refusal")}` : "";
  const dry = dry_run ? " would be" : "";
  const fields = new Set(pulled.map(({ address, field }) => `${address}.${field}`));
  return `${formatCount(fields.size, "field")}${dry} pulled${into}${not}.`;
}

/** Describes each object with its file, and the code for the user to paste. */
export function renderImportBlocks(document: ImportDocument): Block[] {
  const { imported, to_paste, code, dry_run } = document;
  const createItem = (word: string, { address, id, label, file }: ImportedObject): ListItem => ({
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
    paragraph([ownText(summarizeImport(document), "strong")]),
  ];
}

function summarizeImport({ imported, to_paste, files, dry_run, left_out }: ImportDocument): string {
  if (imported.length + to_paste.length + left_out.length === 0) return "Nothing to import.";
  if (imported.length + to_paste.length === 0) return `Nothing ${dry_run ? "would be" : "was"} imported.`;
  const written = formatCount(files.length, "file");
  if (imported.length === 0) {
    const alsoWritten = files.length > 0 ? `; ${written} ${dry_run ? "would be " : ""}written` : "";
    return `${formatCount(to_paste.length, "object")} to paste${alsoWritten}.`;
  }
  const would = dry_run ? " would be" : "";
  const into = files.length > 0 ? ` into ${written}` : "";
  const paste = to_paste.length > 0 ? `, ${formatCount(to_paste.length, "object")} to paste` : "";
  return `${formatCount(imported.length, "object")}${would} imported${into}${paste}.`;
}
