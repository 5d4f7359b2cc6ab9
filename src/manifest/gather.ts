import path from "node:path";
import { isDynamicPattern } from "tinyglobby";
import { nearest, type Source, type Spot } from "../diagnostics/index.js";
import { concealSecretLines, concealSecrets } from "./concealed.js";
import { type Definitions, isCode } from "./definitions.js";
import type { Findings } from "./findings.js";
import { collectionsForm, includedForm, manifestForm, ownKeyPattern } from "./form.js";
import type { Manifest } from "./manifest.js";
import { documentKind, endOfText, markdownParts, textOfFile } from "./markdown.js";
import { matching } from "./matching.js";
import { type Entry, emptyMap, type MapNode, type Node } from "./node.js";
import { allowFiles } from "./private-files.js";
import type { ProjectFiles } from "./project-files.js";
import { conceal, type Reading } from "./source-tag.js";
import { type YamlPart, yamlTree } from "./yaml-tree.js";

/**
 * The main file and all it includes as one tree: the collections of all files together, the settings of the main
 * file. Patterns are followed in the order written, the files of one pattern in the order of their names.
 */
export async function gather(
  mainFile: string,
  { files, findings }: Reading,
  definitions: () => Promise<Definitions>,
): Promise<{ root: MapNode; includes: Manifest["includes"] } | undefined> {
  const gathering: Gathering = {
    ...{ files, findings, definitions, collections: new Map(), includes: [] },
    done: new Set([mainFile]),
  };
  const source = files.open(mainFile, undefined);
  const main = source && (await readDataFile(source, undefined, gathering));
  if (!main) return undefined;
  reportUnknownKeys(main, mainFile, Object.keys(manifestForm.shape), findings);
  await allowFiles(main.entries.get("allow_files")?.value, gathering);
  await takeFile(main, [mainFile], gathering);
  const entries = new Map([...main.entries].filter(([key]) => !ownKeyPattern.test(key)));
  for (const [name, { from, entries: objects }] of gathering.collections) {
    entries.set(name, { spot: from.spot, value: { ...emptyMap(main.source), entries: objects } });
  }
  return { root: { ...main, entries }, includes: gathering.includes };
}

/** The collections below `node` as entries by name; empty where there is none or it is no mapping. */
export function entriesIn(node: Node | undefined): ReadonlyMap<string, Entry> {
  return node?.is === "map" ? node.entries : new Map();
}

interface Gathering {
  readonly files: ProjectFiles;
  readonly findings: Findings;
  /** Begun with the first file of code. */
  readonly definitions: () => Promise<Definitions>;
  /** The objects of all files by collection, and where the collection was begun. */
  readonly collections: Map<string, { from: Entry; entries: Map<string, Entry> }>;
  readonly includes: Manifest["includes"][number][];
  readonly done: Set<string>;
}

async function takeFile(root: MapNode, chain: readonly string[], gathering: Gathering): Promise<void> {
  for (const name of Object.keys(collectionsForm.shape)) {
    const collection = root.entries.get(name);
    if (collection) takeCollection(name, collection, gathering);
  }
  const include = root.entries.get("include")?.value;
  if (!include) return;
  for (const { file, spot } of await includedFiles(include, chain, gathering)) {
    if (chain.includes(file)) {
      const circle = [...chain.slice(chain.indexOf(file)), file].join(" → ");
      gathering.findings.error(
        "include-cycle",
        `files include each other: ${circle}`,
        spot,
        "remove one of them",
      );
    } else if (!gathering.done.has(file)) {
      gathering.done.add(file);
      const included = await readIncluded(file, spot, gathering);
      if (included) await takeFile(included, [...chain, file], gathering);
    }
  }
}

function takeCollection(name: string, from: Entry, { collections, findings }: Gathering): void {
  const { value } = from;
  if (value.is !== "map") {
    if (value.is === "scalar" && value.value === null) return;
    if (value.broken) return;
    const hint = "give each entry a name of your choice, and its fields below";
    findings.error("wrong-type", `${name} must be a mapping`, value, hint);
    return;
  }
  const gathered = collections.get(name) ?? { from, entries: new Map() };
  collections.set(name, gathered);
  for (const [key, entry] of value.entries) {
    const first = gathered.entries.get(key);
    if (first) reportTwice(`${name}.${key}`, entry.spot, first.spot, findings);
    else gathered.entries.set(key, entry);
  }
}

function reportTwice(what: string, second: Spot, first: Spot, findings: Findings): void {
  const { file, line } = first.source.place(first.start);
  findings.error(
    "duplicate-name",
    `${what} is declared twice`,
    second,
    `the first is at ${file}:${line}; rename one`,
  );
}

interface Included {
  readonly file: string;
  /** Where the include is written. */
  readonly spot: Spot;
}

async function includedFiles(
  node: Node,
  chain: readonly string[],
  gathering: Gathering,
): Promise<Included[]> {
  const { findings } = gathering;
  const patterns: { pattern: string; spot: Spot }[] = [];
  for (const item of node.is === "list" ? node.items : [node]) {
    if (item.is === "scalar" && typeof item.value === "string" && !item.tag && node.is === "list") {
      patterns.push({ pattern: item.value, spot: item });
    } else if (!item.broken) {
      findings.error(
        "wrong-type",
        "include must be a list of file names or patterns",
        item,
        "include: [contexts/*.md]",
      );
    }
  }
  const excluded = patterns.filter(({ pattern }) => pattern.startsWith("!"));
  const ignore = excluded.flatMap(
    ({ pattern, spot }) => gathering.files.resolve(pattern.slice(1), spot) ?? [],
  );
  const found: Included[] = [];
  for (const { pattern, spot } of patterns.filter((one) => !excluded.includes(one))) {
    const inProject = gathering.files.resolve(pattern, spot);
    if (inProject === undefined) continue;
    if (!isDynamicPattern(inProject)) {
      found.push({ file: inProject, spot });
      continue;
    }
    gathering.includes.push({ pattern: inProject, except: ignore });
    const skipped = ["**/node_modules/**", "**/.git/**", ...ignore];
    // By code units, not by locale: the order is the same on every machine.
    const matches = (await matching(inProject, spot, gathering, { ignore: skipped })).sort();
    // `**/*.yaml` means all the others.
    const others = matches.filter((file) => file !== chain.at(-1));
    if (others.length === 0)
      findings.warning("no-match", `${pattern} matches no file`, spot, "correct or remove it");
    for (const file of others) found.push({ file, spot });
  }
  return found;
}

async function readIncluded(file: string, spot: Spot, gathering: Gathering): Promise<MapNode | undefined> {
  const { files, findings } = gathering;
  const extension = path.posix.extname(file).toLowerCase();
  const known = [".md", ".markdown", ".yaml", ".yml", ".json", ".ts", ".mts", ".cts"];
  if (!known.includes(extension)) {
    const hint = "include *.yaml, *.yml, *.md or *.ts";
    findings.error("unknown-file-type", `${file} is neither YAML, Markdown nor TypeScript`, spot, hint);
    return undefined;
  }
  const source = files.open(file, spot);
  if (!source) findings.incomplete();
  if (!source) return undefined;
  if (extension === ".md" || extension === ".markdown") return readMarkdownFile(source, findings);
  const root = await readDataFile(source, spot, gathering);
  if (root) reportUnknownKeys(root, file, Object.keys(includedForm.shape), findings);
  return root;
}

/** A file of YAML, or of code that says the same. */
async function readDataFile(
  source: Source,
  from: Spot | undefined,
  { findings, definitions }: Gathering,
): Promise<MapNode | undefined> {
  if (!isCode(source.file)) return readYamlFile(source, from !== undefined, findings);
  const root = await (await definitions()).read(source.file, from);
  if (root) concealSecrets(root, findings);
  else findings.incomplete();
  return root;
}

function readYamlFile(source: Source, isIncluded: boolean, findings: Findings): MapNode | undefined {
  const root = readTree({ source, at: "yaml", start: 0, end: source.text.length }, findings);
  if (root === "broken") return undefined;
  if (root && isIncluded) concealForeign(root, findings);
  const spot = { source, start: 0, end: 1 };
  if (!root) {
    const hint = "declare something in it, or remove it";
    findings.error("empty-document", `${source.file} declares nothing`, spot, hint);
  } else if (root.is === "map") return root;
  else {
    findings.error(
      "wrong-type",
      `${source.file} must be a mapping`,
      root,
      "begin with contexts: or avatars:",
    );
  }
  findings.incomplete();
  return undefined;
}

/** What is included may be a file of something else altogether, such as credentials: of that, only keys are shown. */
function concealForeign(root: Node, findings: Findings): void {
  if (root.is !== "map") conceal(root, findings);
  else
    for (const [key, { value }] of root.entries)
      if (!Object.hasOwn(includedForm.shape, key)) conceal(value, findings);
}

function readTree(part: YamlPart, findings: Findings): Node | undefined | "broken" {
  const { root, isWhole } = yamlTree(part, findings);
  if (root) concealSecrets(root, findings);
  if (isWhole) return root;
  concealSecretLines(part, findings);
  findings.incomplete();
  return "broken";
}

/** A Markdown file as the tree of a YAML file that declares one object. */
export function readMarkdownFile(source: Source, findings: Findings): MapNode | undefined {
  const { frontMatter, bodyStart } = markdownParts(source);
  const fields = frontMatter && readTree(frontMatter, findings);
  if (fields === "broken") return undefined;
  const object = emptyMap(source);
  // Some file systems give the letters of a name and their marks apart.
  const key = path.posix
    .basename(source.file)
    .replace(/\.[^.]*$/, "")
    .normalize("NFC");
  const entries = new Map(entriesIn(fields));
  if (fields && fields.is !== "map") {
    findings.error(
      "wrong-type",
      "front matter must be a mapping",
      fields,
      'write "name: …" between the --- lines',
    );
    return undefined;
  }
  const value: Node = {
    ...{ is: "scalar", at: "body", source, trail: undefined, style: "BODY" },
    start: bodyStart,
    end: endOfText(source.text, bodyStart),
    value: textOfFile(source.text, bodyStart),
  };
  const spot = { source, start: bodyStart, end: bodyStart + 1 };
  const inFrontMatter = entries.get(documentKind.body);
  if (!inFrontMatter) entries.set(documentKind.body, { spot, value });
  else if (value.value !== "") reportTwice(documentKind.body, spot, inFrontMatter.spot, findings);
  const declared = { spot: { source, start: 0, end: 3 }, value: { ...object, entries } };
  const collection = { ...object, entries: new Map([[key, declared]]) };
  return {
    ...object,
    entries: new Map([[documentKind.kind.collection, { spot: declared.spot, value: collection }]]),
  };
}

function reportUnknownKeys(root: MapNode, file: string, known: readonly string[], findings: Findings): void {
  for (const [key, { spot }] of root.entries) {
    if (known.includes(key) || ownKeyPattern.test(key)) continue;
    const belongsInMain = key in manifestForm.shape;
    const meant = nearest(key, known);
    const hint = belongsInMain
      ? "move it to the main file"
      : meant
        ? `did you mean "${meant}"?`
        : `its keys are ${known.join(", ")}`;
    findings.error("unknown-field", `${file} has no key ${JSON.stringify(key)}`, spot, hint);
  }
}
