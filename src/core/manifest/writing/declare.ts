import { existsSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isInside } from "../../../base/files/index.js";
import { applySplices } from "../../../base/text/index.js";
import { documentKind, type Kind } from "../../kinds/index.js";
import { isFile } from "../../secrets/index.js";
import { foldedName, isReservedName } from "../forms/logical-name.js";
import type { Manifest } from "../reading/manifest.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { fileText } from "../tree/markdown.js";
import type { Node } from "../tree/node.js";
import { isCode, type ProjectFiles, projectFiles } from "../tree/project-files.js";
import { type EditedFile, parseTree, plainTree, plainValue } from "./edit.js";
import { declaredSpec, type NamedObject, toObjectEntry } from "./entry-text.js";
import { isIncluded, type Layout, layoutFor, type Texts } from "./layout.js";
import { documentText, isDocument } from "./project.js";
import { type NewText, writeFiles } from "./write-files.js";
import { spliceForEntries } from "./yaml-add.js";

/*
 * Declares objects of the account in the files: in the places where the project keeps such objects, in the
 * style it uses. Only adds to existing files, and reads the result again before it writes anything.
 */

/** The result of declaring objects. Nothing is written yet. */
export interface NewDeclarations {
  /** Existing files that get entries. */
  readonly edited: readonly EditedFile[];
  readonly added: readonly NewText[];
  /** The objects that will be declared. */
  readonly declared: readonly PlacedObject[];
  /** The objects that somebody must add to code; their prose is in the new files. */
  readonly inCode: readonly PlacedObject[];
  /** What cannot be declared, and why: the end of a sentence. */
  readonly refused: readonly { readonly object: NamedObject; readonly reason: string }[];
}

interface PlacedObject {
  readonly object: NamedObject;
  readonly file: string;
}

/** Computes how to declare objects. Reads the files as they are now, and writes nothing. */
export function declareObjects(manifest: Manifest, objects: readonly NamedObject[]): NewDeclarations {
  const work: Work = {
    ...{ manifest, files: projectFiles(manifest.root, createCollector()), names: new Map() },
    ...{ added: [], edited: new Map(), declared: [], inCode: [], refused: [] },
  };
  const main = mainTree(manifest);
  const layouts = new Map<string, Layout>();
  const groups = new Map<string, { layout: Entries; objects: NamedObject[] }>();
  for (const object of objects) {
    const asDocument = isDocument(object);
    const sort = `${object.kind.name} ${asDocument}`;
    const layout = layouts.get(sort) ?? layoutFor(object.kind, manifest, main, asDocument);
    layouts.set(sort, layout);
    if (layout.as === "document") addDocument(object, layout, work);
    else if (layout.as === "code") addCode(object, layout, work);
    else {
      const group = groups.get(sort) ?? { layout, objects: [] };
      groups.set(sort, group);
      group.objects.push(object);
    }
  }
  for (const group of groups.values()) addEntries(group.objects, group.layout, work);
  const { added, edited, declared, inCode, refused } = work;
  return { added, edited: [...edited.values()], declared, inCode, refused };
}

/**
 * Writes the result: new files first, so that no entry names a missing file.
 *
 * @throws Whatever the system reports; then nothing was written, as far as the file system allows.
 */
export async function writeDeclarations(
  root: string,
  { added, edited }: Pick<NewDeclarations, "added" | "edited">,
): Promise<void> {
  await writeFiles(root, [...added, ...edited]);
}

export async function undoDeclarations(
  root: string,
  { added, edited }: Pick<NewDeclarations, "added" | "edited">,
): Promise<void> {
  await writeFiles(
    root,
    edited.map(({ file, before }) => ({ file, after: before })),
  );
  await Promise.all(added.map(({ file }) => rm(path.join(root, file), { force: true })));
}

/** The names that no new object of a kind may get: those declared, and those of existing files in its folder. */
export function takenNames(manifest: Manifest, kind: Kind): string[] {
  const declared = manifest.declarations
    .filter((declaration) => declaration.kind.name === kind.name)
    .map(({ key }) => key);
  const layout = layoutFor(kind, manifest, mainTree(manifest), kind.name === documentKind.kind.name);
  if (layout.as !== "document") return declared;
  const files = namesIn(path.join(manifest.root, layout.folder));
  return [...declared, ...files.map((name) => path.parse(name).name)];
}

type Entries = Extract<Layout, { as: "entry" }>;

/** The declarations found so far. */
interface Work {
  readonly manifest: Manifest;
  readonly files: ProjectFiles;
  /** The file names of each folder, including planned ones, in the form of {@link foldedName}. */
  readonly names: Map<string, Set<string>>;
  readonly added: NewText[];
  readonly edited: Map<string, EditedFile>;
  readonly declared: PlacedObject[];
  readonly inCode: PlacedObject[];
  readonly refused: { object: NamedObject; reason: string }[];
}

function addDocument(object: NamedObject, { folder, extension }: Texts, work: Work): void {
  const file = path.posix.join(folder, `${object.key}${extension}`);
  const after = documentText(object);
  const reason = isIncluded(file, work.manifest)
    ? problemWith(file, after, work)
    : `no pattern of \`include\` matches ${file}`;
  if (reason === undefined) {
    add([{ file, after }], work);
    work.declared.push({ object, file });
  } else work.refused.push({ object, reason });
}

function addCode(given: NamedObject, { file, texts }: Extract<Layout, { as: "code" }>, work: Work): void {
  const { object, text } = withTextApart(given, texts, "", work);
  add(text, work);
  work.inCode.push({ object, file });
}

function addEntries(objects: readonly NamedObject[], { file, path: way, texts }: Entries, work: Work): void {
  const folder = path.posix.dirname(file);
  const apart = objects.map((object) =>
    texts ? withTextApart(object, texts, folder, work) : { object, text: [] },
  );
  const known = work.edited.get(file);
  const before = known?.after ?? work.files.open(file, undefined)?.text;
  const written = apart.map(({ object }) => object);
  const result = before === undefined ? "it cannot be read" : withEntries(file, before, way, written);
  if (before === undefined || typeof result === "string") {
    const reason = `${file} cannot be added to: ${result}`;
    work.refused.push(...objects.map((object) => ({ object, reason })));
    return;
  }
  add(
    apart.flatMap(({ text }) => text),
    work,
  );
  work.edited.set(file, { file, before: known?.before ?? before, after: result.after });
  work.declared.push(...objects.map((object) => ({ object, file })));
}

/** An identical file is left from an interrupted run. */
function add(texts: readonly NewText[], { manifest: { root }, added }: Work): void {
  added.push(...texts.filter(({ file }) => !existsSync(path.join(root, file))));
}

/** The object with its prose in a new file of its own, if a file can hold it. */
function withTextApart(
  object: NamedObject,
  { folder, extension }: Texts,
  from: string,
  work: Work,
): { object: NamedObject; text: readonly NewText[] } {
  const { [documentKind.body]: body, ...spec } = object.spec;
  const after =
    object.kind.name === documentKind.kind.name && typeof body === "string" ? fileText(body) : undefined;
  if (after === undefined || leadsOutside(work.manifest.root, folder)) return { object, text: [] };
  const fileAt = (number: number) =>
    path.posix.join(folder, `${object.key}${number > 1 ? `-${number}` : ""}${extension}`);
  let number = 1;
  while (problemWith(fileAt(number), after, work) !== undefined) number += 1;
  const file = fileAt(number);
  const source = { from: "file", path: path.posix.relative(from, file) } as const;
  const sources = { ...object.sources, [documentKind.body]: source };
  return { object: { ...object, spec, sources }, text: [{ file, after }] };
}

/** Why a file with this text cannot be added; some file systems ignore case in names. */
function problemWith(
  file: string,
  text: string,
  { manifest: { root }, files, names }: Work,
): string | undefined {
  const folder = path.posix.dirname(file);
  if (leadsOutside(root, folder)) return `${folder} leads outside the project folder through a link`;
  const taken = names.get(folder) ?? new Set(namesIn(path.join(root, folder)));
  names.set(folder, taken);
  if (isReservedName(path.posix.basename(file)))
    return `Windows does not allow a file named ${file}; import it under another name`;
  const name = foldedName(path.posix.basename(file));
  const isSame = () => existsSync(path.join(root, file)) && files.open(file, undefined)?.text === text;
  if (taken.has(name) && !isSame())
    return `${file} already exists and is not overwritten; import it under another name`;
  taken.add(name);
  return undefined;
}

/** The tree of the main file, if it is YAML. */
function mainTree({ root, file }: Manifest): Node | undefined {
  const text = isCode(file) ? undefined : projectFiles(root, createCollector()).open(file, undefined)?.text;
  return text === undefined ? undefined : parseTree(file, text, "yaml");
}

/** In the form in which case-insensitive file systems compare names. */
function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map(foldedName) : [];
}

/** Whether a folder, or the one that would contain it, is a link to another place. */
function leadsOutside(root: string, folder: string): boolean {
  let nearest = path.join(root, folder);
  while (!existsSync(nearest)) nearest = path.dirname(nearest);
  return !isInside(realpathSync(root), realpathSync(nearest));
}

/** The text of a YAML file with the entries added, read again; otherwise the reason. */
function withEntries(
  file: string,
  text: string,
  way: readonly string[],
  objects: readonly NamedObject[],
): { after: string } | string {
  if (/\.json$/i.test(file)) return "it is JSON, which avatarops does not edit: add the entry by hand";
  const root = parseTree(file, text, "yaml");
  if (!root) return "it is not valid";
  const splice = spliceForEntries(root, way, objects.map(toObjectEntry));
  if (typeof splice === "string") return splice;
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? "\n";
  const after = applySplices(text, [{ ...splice, text: splice.text.replaceAll("\n", lineEnd) }]);
  const again = after === undefined ? undefined : parseTree(file, after, "yaml");
  const expected = plainTree(root);
  const collection = mapAt(expected, way);
  for (const object of objects) collection?.set(object.key, plainEntry(object));
  if (after !== undefined && again && collection && isDeepStrictEqual(plainTree(again), expected))
    return { after };
  return "avatarops cannot edit the surrounding text safely";
}

/** The mapping at a path of a plain tree, created if missing. */
function mapAt(tree: unknown, way: readonly string[]): Map<string, unknown> | undefined {
  let at = tree;
  for (const key of way) {
    if (!(at instanceof Map)) return undefined;
    const next: unknown = at.get(key) ?? new Map();
    at.set(key, next);
    at = next;
  }
  return at instanceof Map ? at : undefined;
}

function plainEntry({ kind, id, spec, sources = {} }: NamedObject): Map<string, unknown> {
  const entry = new Map<string, unknown>(id === undefined ? [] : [["id", id]]);
  for (const [name, value] of Object.entries(declaredSpec(kind, spec))) {
    entry.set(name, plainValue(value));
  }
  for (const [name, source] of Object.entries(sources)) {
    if (isFile(source)) entry.set(name, { "!file": source.path });
  }
  return entry;
}
