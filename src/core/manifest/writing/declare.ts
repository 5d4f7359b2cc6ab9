import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../../base/diagnostics/index.js";
import { isInside } from "../../../base/files/index.js";
import { documentKind, type Kind } from "../../kinds/index.js";
import { escapeTags } from "../../templates/index.js";
import { foldName, isReservedName } from "../forms/logical-name.js";
import type { Manifest } from "../reading/manifest.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { findGlobFolder, matchesGlob } from "../tree/glob.js";
import { toFileContent } from "../tree/markdown.js";
import { findNodeAt } from "../tree/node.js";
import { isCode, openProjectFiles, type ProjectFiles } from "../tree/project-files.js";
import type { Entries } from "../tree/yaml-text.js";
import { type NamedObject, toFields } from "./entry-text.js";
import { isDocument, renderDocument } from "./project.js";
import type { EditedFile } from "./write-back.js";
import { type NewText, writeFiles } from "./write-files.js";
import { editYaml } from "./yaml-edit.js";
import { findObstacle, parseYaml } from "./yaml-loss.js";

/*
 * Declares account objects in the project's files. An object becomes a Markdown file if an `include` would match the
 * new file. Otherwise, it becomes an entry in the main file, with its prompt in a separate file. Nothing in existing
 * files is changed or removed, and the result is parsed before it is written.
 */

/** New declarations, before they are written. */
export interface NewDeclarations {
  /** Existing files with added entries. */
  readonly edited: readonly EditedFile[];
  readonly added: readonly NewText[];
  readonly declared: readonly NewObject[];
  /** Objects that the user must add to code. Their prompts are already in the new files. */
  readonly inCode: readonly NewObject[];
  /** Objects that cannot be declared. `reason` completes a sentence. */
  readonly refused: readonly { readonly object: NamedObject; readonly reason: string }[];
}

interface NewObject {
  readonly object: NamedObject;
  readonly file: string;
}

/** Computes how to declare objects. Writes nothing. */
export function declareObjects(manifest: Manifest, objects: readonly NamedObject[]): NewDeclarations {
  const work: DeclareContext = {
    ...{ manifest, files: openProjectFiles(manifest.root, createCollector()), names: new Map() },
    ...{ added: [], declared: [], inCode: [], refused: [] },
  };
  const account = findOwnEnvironment(manifest, work.files);
  const folder = account === undefined ? findDocuments(manifest) : undefined;
  const entries: NamedObject[] = [];
  for (const object of objects) {
    if (folder !== undefined && isDocument(object)) addDocument(object, folder, work);
    else entries.push(object);
  }
  const edited = entries.length > 0 ? addEntries(entries, account, work) : [];
  const { added, declared, inCode, refused } = work;
  return { added, edited, declared, inCode, refused };
}

/**
 * Writes new files first, so that no entry refers to a missing file.
 *
 * @throws System errors. In that case, nothing is written, as far as the file system allows.
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

/** Lists the names that are already used by a kind's declarations or by the files in its folder. */
export function listTakenNames(manifest: Manifest, kind: Kind): string[] {
  const declared = manifest.declarations
    .filter((declaration) => declaration.kind.name === kind.name)
    .map(({ key }) => key);
  const folder = kind.name === documentKind.kind.name ? findDocuments(manifest) : undefined;
  const files = folder === undefined ? [] : listFoldedNames(path.join(manifest.root, folder));
  return [...declared, ...files.map((name) => path.parse(name).name)];
}

/** Working data for one {@link declareObjects} call. */
interface DeclareContext {
  readonly manifest: Manifest;
  readonly files: ProjectFiles;
  /** File names in each folder, including new ones, folded by {@link foldName}. */
  readonly names: Map<string, Set<string>>;
  readonly added: NewText[];
  readonly declared: NewObject[];
  readonly inCode: NewObject[];
  readonly refused: { object: NamedObject; reason: string }[];
}

/** Returns the selected environment if it has its own state. It then has its own account and declarations. */
function findOwnEnvironment({ environment, file }: Manifest, files: ProjectFiles): string | undefined {
  const text = isCode(file) || environment === undefined ? undefined : files.open(file, undefined)?.text;
  const root = text === undefined ? undefined : parseYaml(text);
  return findNodeAt(root, ["environments", environment ?? "", "state"]) && environment;
}

/** Finds the first folder where an `include` would match a new Markdown file. */
function findDocuments({ includes }: Manifest): string | undefined {
  return includes
    .map(findGlobFolder)
    .find((folder) => includes.some((pattern) => matchesGlob(path.posix.join(folder, "new.md"), pattern)));
}

function addDocument(object: NamedObject, folder: string, work: DeclareContext): void {
  const file = path.posix.join(folder, `${object.key}.md`);
  const { [documentKind.body]: body, ...fields } = object.spec;
  const spec = { ...fields, [documentKind.body]: escapeForFile(String(body), file, work) };
  const after = renderDocument({ ...object, spec });
  const reason = findFileProblem({ file, after }, work);
  if (reason === undefined) {
    add([{ file, after }], work);
    work.declared.push({ object, file });
  } else work.refused.push({ object, reason });
}

/** Adds entries to the main file. If that file is code, only adds the prompt files. */
function addEntries(
  objects: readonly NamedObject[],
  account: string | undefined,
  work: DeclareContext,
): readonly EditedFile[] {
  const { file } = work.manifest;
  const separated = objects.map((object) => separateText(object, work));
  const texts = separated.flatMap(({ text }) => text);
  if (isCode(file)) {
    add(texts, work);
    work.inCode.push(...separated.map(({ object }) => ({ object, file })));
    return [];
  }
  const before = work.files.open(file, undefined)?.text ?? "";
  const changes = toEntries(separated.map(({ object }) => object));
  const within = account === undefined ? changes : { environments: { [account]: changes } };
  const after = insertEntries(file, before, within);
  if (typeof after === "string") {
    const reason = `${file} cannot be edited: ${after}`;
    work.refused.push(...objects.map((object) => ({ object, reason })));
    return [];
  }
  add(texts, work);
  work.declared.push(...objects.map((object) => ({ object, file })));
  return [{ file, before, ...after }];
}

function toEntries(objects: readonly NamedObject[]): Entries {
  const collections: Record<string, Record<string, Entries>> = {};
  for (const object of objects) {
    collections[object.kind.collection] ??= {};
    Object.assign(collections[object.kind.collection] ?? {}, { [object.key]: toFields(object) });
  }
  return collections;
}

/**
 * Adds new files. Skips files that exist, because an interrupted run has already written them with the same content.
 */
function add(texts: readonly NewText[], { manifest: { root }, added }: DeclareContext): void {
  added.push(...texts.filter(({ file }) => !existsSync(path.join(root, file))));
}

/** Moves an object's prompt into a new file, if a file can contain it. */
function separateText(
  object: NamedObject,
  work: DeclareContext,
): { object: NamedObject; text: readonly NewText[] } {
  const { [documentKind.body]: body, ...spec } = object.spec;
  const content = isDocument(object) ? toFileContent(String(body)) : undefined;
  if (content === undefined || doesLeadOutside(work.manifest.root, "prompts")) return { object, text: [] };
  const createFile = (number: number) => {
    const file = `prompts/${object.key}${number > 1 ? `-${number}` : ""}.md`;
    return { file, after: escapeForFile(content, file, work) };
  };
  let number = 1;
  while (findFileProblem(createFile(number), work) !== undefined) number += 1;
  const text = createFile(number);
  const sources = { ...object.sources, [documentKind.body]: { from: "file", path: text.file } as const };
  return { object: { ...object, spec, sources }, text: [text] };
}

/** Escapes a text if `templates` matches its new file. */
function escapeForFile(text: string, file: string, { manifest: { templates } }: DeclareContext): string {
  return templates.some((pattern) => matchesGlob(file, pattern)) ? escapeTags(text) : text;
}

/**
 * Explains why a file with this text cannot be added. Compares names case-insensitively, because some file systems
 * ignore case.
 */
function findFileProblem(
  { file, after }: NewText,
  { manifest: { root }, files, names }: DeclareContext,
): string | undefined {
  const folder = path.posix.dirname(file);
  if (doesLeadOutside(root, folder)) return `${folder} leads outside the project folder through a symlink`;
  const taken = names.get(folder) ?? new Set(listFoldedNames(path.join(root, folder)));
  names.set(folder, taken);
  if (isReservedName(path.posix.basename(file)))
    return `Windows does not allow a file named ${file}. Import the object under another name`;
  const name = foldName(path.posix.basename(file));
  const isSame = () => existsSync(path.join(root, file)) && files.open(file, undefined)?.text === after;
  if (taken.has(name) && !isSame())
    return `${file} already exists and is not overwritten. Import the object under another name`;
  taken.add(name);
  return undefined;
}

function listFoldedNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (!statSync(folder).isDirectory())
    throw new UsageError(
      "unwritable",
      `Cannot write into ${folder}: it is a file. Rename it, and re-run the command.`,
    );
  return readdirSync(folder).map(foldName);
}

/** Returns whether a symlink in a folder's path leads out of the project. The folder may not exist yet. */
function doesLeadOutside(root: string, folder: string): boolean {
  let nearest = path.join(root, folder);
  while (!existsSync(nearest)) nearest = path.dirname(nearest);
  return !isInside(realpathSync(root), realpathSync(nearest));
}

/** Inserts entries into the main file's text. If that is impossible, returns a string with the reason. */
function insertEntries(file: string, text: string, entries: Entries): { after: string } | string {
  if (/\.json$/i.test(file)) return "avatarops does not edit JSON, so add the entry by hand";
  const root = parseYaml(text);
  if (!root) return "it is not valid YAML, so correct it first";
  const obstacles = Object.keys(entries).map((name) => findObstacle(root, [name]));
  const after = editYaml(text, entries);
  const unsafe = "avatarops cannot edit the surrounding text safely, so add the entry by hand";
  return after === undefined ? (obstacles.find((one) => one !== undefined) ?? unsafe) : { after };
}
