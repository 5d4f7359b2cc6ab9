import path from "node:path";
import { findNearest, type SourceFile, type SourceRange } from "../../../base/diagnostics/index.js";
import { documentKind, toAddress } from "../../kinds/index.js";
import type { SourceKind } from "../../secrets/index.js";
import { collectionsForm, includedForm, manifestForm, ownKeyPattern } from "../forms/form.js";
import { type ParsedFile, redactSecrets } from "../sources/redact.js";
import { loadTags, reportUnknownTags } from "../sources/tags.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { findGlobFolder, isGlob, type MatchBudget } from "../tree/glob.js";
import { findMisplacedFrontMatter, findTextEnd, readFileText, splitMarkdown } from "../tree/markdown.js";
import { findMatches } from "../tree/matching.js";
import { createMap, listEntries, type MapEntry, type MapNode, type Node } from "../tree/node.js";
import { isCode, type ProjectFiles } from "../tree/project-files.js";
import type { DefinitionReader, Reading } from "../tree/reading.js";
import { readTextList } from "../tree/to-plain.js";
import { parseYamlTree } from "../tree/yaml-tree.js";
import { checkCollection, reportDuplicate, reportUnknownKeys } from "./names.js";

export interface GatheredFiles {
  readonly root: MapNode;
  readonly includes: readonly string[];
  readonly sourceKinds: SourceKinds;
}

/**
 * Reads the main file and its includes into one tree, with the collections of all files and the main file's settings.
 * Keeps the order of the patterns, and sorts the files that match a pattern by name.
 */
export async function gather(
  mainFile: string,
  { files, collector }: Reading,
  definitions: () => Promise<DefinitionReader>,
): Promise<GatheredFiles | undefined> {
  const gathering: Gathering = {
    files,
    collector,
    definitions,
    collections: new Map(),
    includes: [],
    sourceKinds: new Map(),
    foreignTags: [],
    parsed: [],
    done: new Set([mainFile]),
    steps: { left: 25_000_000 },
  };
  const root = await gatherFrom(mainFile, gathering);
  const { includes, sourceKinds, parsed } = gathering;
  redactSecrets(parsed, collector);
  return root && { root, includes, sourceKinds };
}

async function gatherFrom(mainFile: string, gathering: Gathering): Promise<MapNode | undefined> {
  const { files, collector } = gathering;
  if (/\.(?:md|markdown)$/i.test(mainFile)) {
    const hint = "name the manifest that includes it, such as avatarops.yaml";
    collector.error(
      "unknown-file-type",
      `${mainFile} is Markdown, but --file takes a manifest`,
      undefined,
      hint,
    );
    return undefined;
  }
  const source = files.open(mainFile, undefined);
  const main = source && (await readDataFile(source, undefined, gathering));
  if (!main) return undefined;
  if (!/^avatarops\./i.test(mainFile) && isForeign(main)) {
    const hint = `a manifest has keys such as ${documentKind.kind.collection}: or include:`;
    const range = { source: main.source, start: main.start, end: main.start + 1 };
    collector.error("wrong-type", `${mainFile} is not a manifest: all its keys are unknown`, range, hint);
    return undefined;
  }
  reportUnknownFields(main, Object.keys(manifestForm.shape), collector);
  await addFile(main, [mainFile], gathering);
  reportUnknownTags(gathering.foreignTags, gathering.sourceKinds, collector);
  const entries = new Map([...main.entries].filter(([key]) => !ownKeyPattern.test(key)));
  for (const [name, { from, entries: objects }] of gathering.collections) {
    entries.set(name, { range: from.range, value: { ...createMap(main.source), entries: objects } });
  }
  return { ...main, entries };
}

/** Returns whether no key resembles a manifest key, which means that the file belongs to another program. */
function isForeign({ entries }: MapNode): boolean {
  const known = Object.keys(manifestForm.shape);
  return (
    entries.size > 0 &&
    [...entries.keys()].every((key) => !ownKeyPattern.test(key) && !findNearest(key, known))
  );
}

/** Secret sources that the project defines, by name. */
type SourceKinds = Map<string, SourceKind>;

interface Gathering {
  readonly files: ProjectFiles;
  readonly collector: DiagnosticsCollector;
  /** Opens the reader of TypeScript files on first use. */
  readonly definitions: () => Promise<DefinitionReader>;
  /** Objects from all files by collection, and the position of each collection. */
  readonly collections: Map<string, { from: MapEntry; entries: Map<string, MapEntry> }>;
  readonly includes: string[];
  readonly sourceKinds: SourceKinds;
  /** Nodes with unknown tags, which a later file may define. */
  readonly foreignTags: Node[];
  /** Every tree, including broken trees, for redaction. */
  readonly parsed: ParsedFile[];
  readonly done: Set<string>;
  /** Match budget shared by all patterns (a few seconds of work). */
  readonly steps: MatchBudget;
}

async function addFile(root: MapNode, chain: readonly string[], gathering: Gathering): Promise<void> {
  for (const name of Object.keys(collectionsForm.shape)) {
    const collection = root.entries.get(name);
    if (collection) addCollection(name, collection, gathering);
  }
  const include = root.entries.get("include")?.value;
  if (!include) return;
  for (const { file, range } of await findIncludedFiles(include, chain, gathering)) {
    if (chain.includes(file)) {
      const cycle = [...chain.slice(chain.indexOf(file)), file].join(" → ");
      gathering.collector.error(
        "include-cycle",
        `files include each other: ${cycle}`,
        range,
        "remove one of these includes",
      );
    } else if (!gathering.done.has(file)) {
      gathering.done.add(file);
      const included = await readIncluded(file, range, gathering);
      if (included) await addFile(included, [...chain, file], gathering);
    }
  }
}

function addCollection(name: string, from: MapEntry, { collections, collector }: Gathering): void {
  const { value } = from;
  checkCollection(name, value, collector);
  if (value.is !== "map") return;
  const gathered = collections.get(name) ?? { from, entries: new Map() };
  collections.set(name, gathered);
  for (const [key, entry] of value.entries) {
    const first = gathered.entries.get(key);
    if (first) reportDuplicate(`${name}.${key}`, entry.range, first.range, collector);
    else gathered.entries.set(key, entry);
  }
}

interface Included {
  readonly file: string;
  readonly range: SourceRange;
}

async function findIncludedFiles(
  node: Node,
  chain: readonly string[],
  gathering: Gathering,
): Promise<Included[]> {
  const { collector } = gathering;
  const hint = `include: [${documentKind.kind.collection}/*.md]`;
  const patterns = readTextList(node, "include", collector, hint);
  const found: Included[] = [];
  for (const { text: pattern, range } of patterns) {
    const inProject = gathering.files.resolve(pattern, range);
    if (inProject === undefined) continue;
    if (!isGlob(inProject)) {
      found.push({ file: inProject, range });
      continue;
    }
    gathering.includes.push(inProject);
    // Sorts by code units, not by locale, so that the order is the same on every machine.
    const matches = (await findMatches(inProject, range, gathering)).sort();
    // `**/*.yaml` also matches the including file.
    const others = matches.filter((file) => file !== chain.at(-1));
    if (others.length === 0 && gathering.steps.left >= 0)
      collector.warning(
        "no-match",
        `${pattern} matches no file`,
        range,
        pattern.includes("\\")
          ? "write the path with forward slashes"
          : (gathering.files.suggestFolder(findGlobFolder(inProject)) ?? "correct or remove the pattern"),
      );
    for (const file of others) found.push({ file, range });
  }
  return found;
}

async function readIncluded(
  file: string,
  range: SourceRange,
  gathering: Gathering,
): Promise<MapNode | undefined> {
  const { files, collector } = gathering;
  const extension = path.posix.extname(file).toLowerCase();
  const known = [".md", ".markdown", ".yaml", ".yml", ".json", ".ts", ".mts", ".cts"];
  if (!known.includes(extension)) {
    const hint = "include *.yaml, *.yml, *.md or *.ts";
    collector.error("unknown-file-type", `${file} is not YAML, Markdown or TypeScript`, range, hint);
    return undefined;
  }
  const source = files.open(file, range);
  if (!source) collector.incomplete();
  if (!source) return undefined;
  if (extension === ".md" || extension === ".markdown") {
    const root = readMarkdownFile(source, gathering);
    if (root) gathering.foreignTags.push(...(await loadTags(root)));
    return root;
  }
  const root = await readDataFile(source, range, gathering);
  if (root) reportUnknownFields(root, Object.keys(includedForm.shape), collector);
  return root;
}

/** Reads a YAML file, or an equivalent code file. */
async function readDataFile(
  source: SourceFile,
  from: SourceRange | undefined,
  gathering: Gathering,
): Promise<MapNode | undefined> {
  const { collector, definitions, sourceKinds, foreignTags, parsed } = gathering;
  if (!isCode(source.file)) return readYamlFile(source, from !== undefined, gathering);
  const { read, sources } = await definitions();
  const root = await read(source.file, from);
  for (const kind of sources?.() ?? []) sourceKinds.set(kind.name, kind);
  if (root) {
    foreignTags.push(...(await loadTags(root)));
    parsed.push({ root, isWhole: true });
  } else collector.incomplete();
  return root;
}

async function readYamlFile(
  source: SourceFile,
  isIncluded: boolean,
  { collector, foreignTags, parsed }: Gathering,
): Promise<MapNode | undefined> {
  const tree = parseYamlTree({ source, at: "yaml", start: 0, end: source.text.length }, collector);
  parsed.push({ ...tree, isIncluded });
  const { root, isWhole } = tree;
  if (root) foreignTags.push(...(await loadTags(root)));
  if (isWhole && root?.is === "map") return root;
  collector.incomplete();
  if (!isWhole) return undefined;
  if (!root) {
    const hint = "declare an object in it, or remove it";
    collector.error("empty-document", `${source.file} declares nothing`, { source, start: 0, end: 1 }, hint);
  } else {
    const hint = `start with ${documentKind.kind.collection}: or include:`;
    collector.error("wrong-type", `${source.file} must be a mapping`, root, hint);
  }
  return undefined;
}

/** Converts a Markdown file to the same tree as a YAML file that declares one object. */
function readMarkdownFile(
  source: SourceFile,
  { collector, parsed }: Pick<Gathering, "collector" | "parsed">,
): MapNode | undefined {
  const { frontMatter, bodyStart } = splitMarkdown(source);
  const misplaced = frontMatter ? undefined : findMisplacedFrontMatter(source);
  if (misplaced) {
    const { problem, at, hint } = misplaced;
    const range = { source, start: at, end: at + 3 };
    collector.error("front-matter", `the front matter in ${source.file} ${problem}`, range, hint);
    collector.incomplete();
    return undefined;
  }
  const tree = frontMatter && parseYamlTree(frontMatter, collector);
  if (tree) parsed.push(tree);
  if (tree?.isWhole === false) {
    collector.incomplete();
    return undefined;
  }
  const fields = tree?.root;
  const object = createMap(source);
  // Some file systems return letters and accents as separate characters.
  const key = path.posix
    .basename(source.file)
    .replace(/\.[^.]*$/, "")
    .normalize("NFC");
  const entries = new Map(listEntries(fields));
  if (fields && fields.is !== "map") {
    collector.error(
      "wrong-type",
      "front matter must be a mapping",
      fields,
      'write "name: …" between the --- lines',
    );
    return undefined;
  }
  const templateEntry = entries.get("template");
  const flag = templateEntry?.value;
  const isFlag = flag?.is === "scalar" && typeof flag.value === "boolean" && !flag.tag;
  const isTemplate = isFlag && flag.value === true;
  if (flag && !isFlag && !flag.broken) {
    const message = `${toAddress(documentKind.kind, key)}.template must be true or false`;
    collector.error("wrong-type", message, templateEntry?.range, "write it without quotes");
  }
  entries.delete("template");
  const value: Node = {
    ...{ is: "scalar", at: "body", source, trail: undefined, style: "BODY", template: isTemplate },
    start: bodyStart,
    end: findTextEnd(source.text, bodyStart),
    value: readFileText(source.text, bodyStart),
  };
  const range = { source, start: bodyStart, end: bodyStart + 1 };
  const inFrontMatter = entries.get(documentKind.body);
  if (!inFrontMatter) entries.set(documentKind.body, { range, value });
  else if (value.value !== "") reportDuplicate(documentKind.body, range, inFrontMatter.range, collector);
  const declared = { range: { source, start: 0, end: 3 }, value: { ...object, entries } };
  const collection = { ...object, entries: new Map([[key, declared]]) };
  return {
    ...object,
    entries: new Map([[documentKind.kind.collection, { range: declared.range, value: collection }]]),
  };
}

function reportUnknownFields(root: MapNode, known: readonly string[], collector: DiagnosticsCollector): void {
  const entries = new Map([...root.entries].filter(([key]) => !ownKeyPattern.test(key)));
  reportUnknownKeys(root.source.file, entries, known, collector, (key) =>
    key in manifestForm.shape ? "move it to the main file" : undefined,
  );
}
