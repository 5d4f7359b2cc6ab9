import { existsSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, suggest } from "../../../base/diagnostics/index.js";
import { type Value, valueSettings } from "../../kinds/index.js";
import { collectionNames } from "../forms/form.js";
import { sourceKey } from "../sources/source-tag.js";
import { toDiagnostics } from "../sources/to-diagnostics.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { type Entry, entriesIn, type MapNode, overlay } from "../tree/node.js";
import { type FileTree, type ProjectFiles, projectFiles, type ReadFile } from "../tree/project-files.js";
import type { Base, Definitions, OpenDefinitions, Reading } from "../tree/reading.js";
import { refuseOtherSettings } from "./base.js";
import { type DefinitionsResult, type Desired, noDefinitions, readDesired } from "./desired.js";
import { environmentsIn, readEnvironments } from "./environments.js";
import { gather } from "./gather.js";
import { type Judge, type JudgedProject, judgedProject } from "./judging.js";
import type { Declaration, Manifest } from "./manifest.js";
import { readSettings } from "./settings.js";
import { loadForTemplates, openTemplateBudget, warnOfUnused } from "./templates.js";

export interface LoadOptions {
  /** Absolute; `file` is relative to it. */
  readonly cwd: string;
  /** The main file; its folder is the project folder. Default: avatarops.yaml, or avatarops.config.ts. */
  readonly file?: string | undefined;
  readonly environment?: string | undefined;
  /** Reads a file by its absolute path. Default: from disk. */
  readonly readFile?: ReadFile;
  /** The files of another time, instead of those on the disk; then `file` is given. */
  readonly tree?: FileTree;
  /** The environment variables that `!env` may read in addition to those of the service's settings. Default: all. */
  readonly allowedVariables?: ReadonlySet<string> | undefined;
  /** Whether code of the project may run. Without that right, TypeScript files are refused. */
  readonly allowCode: boolean;
  /** Runs TypeScript files; without it they cannot be run. */
  readonly definitions?: OpenDefinitions;
  /** The files are an untrusted change to this base: see `loadBase`. TypeScript files are refused. */
  readonly base?: Base;
  /** Judges by the policies, and by the rules that hold by default; without it they are only read. */
  readonly judge?: Judge | undefined;
  /** Keeps what the files declare for other environments, too. */
  readonly elsewhere?: boolean | undefined;
  /** Hears what is read, on the way. */
  readonly watch?: {
    readonly root?: (root: MapNode) => void;
    readonly source?: Reading["onSource"];
    readonly judged?: (project: JudgedProject) => void;
  };
}

export interface LoadedManifest {
  /** Undefined if there are errors, apart from those of policies. */
  readonly manifest?: Manifest | undefined;
  /** All diagnostics of all files and all environments, in the order of the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were read, relative to the project folder. */
  readonly files: readonly string[];
}

/**
 * Reads the desired state from the files of a project. Needs no network, no environment variable and no
 * secret: sources are recorded, not resolved.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  const { allowCode, base, definitions = withoutRunner } = options;
  return load(options, base ? untrustedCode : allowCode ? definitions : codeNotAllowed);
}

async function load(options: Omit<LoadOptions, "allowCode">, run: OpenDefinitions): Promise<LoadedManifest> {
  const { environment, judge } = options;
  const collector = createCollector();
  const main = path.resolve(options.cwd, options.file ?? mainFileIn(options.cwd, collector));
  const files = projectFiles(path.dirname(main), collector, options);
  const file = path.basename(main);
  let definitions: Promise<Definitions> | undefined;
  const open = () => {
    definitions ??= run({ files, collector, environment });
    return definitions;
  };
  const gathered = collector.hasErrors ? undefined : await gather(file, { files, collector }, open);
  (await definitions)?.close();
  if (gathered) await loadForTemplates(gathered.root);
  if (gathered) options.watch?.root?.(gathered.root);
  if (gathered && options.base) refuseOtherSettings(gathered.root, options.base, collector);
  let chosen: Desired | undefined;
  const elsewhere = new Map<string, readonly Declaration[]>();
  if (gathered) {
    const projects = (function* () {
      chosen = yield* readProjects(gathered, options, files, collector, elsewhere);
    })();
    await (judge ?? readOnly)(projects, { collector });
  }
  const diagnostics = toDiagnostics(collector);
  if (!gathered || !chosen || collector.hasErrors) return { diagnostics, files: files.read };
  const { includes, sourceKinds } = gathered;
  const own = sourceKinds.size > 0 ? { sourceKinds } : {};
  const { root, read } = files;
  const environments = readEnvironments(gathered.root);
  const manifest = {
    root,
    file,
    files: read,
    includes,
    ...own,
    environment,
    environments,
    ...chosen,
    elsewhere,
  };
  return { manifest, diagnostics, files: read };
}

const readOnly: Judge = async (projects) => {
  for (const _ of projects);
};

/** Refuses each TypeScript file. `why` continues its name. */
function refuseCode(code: string, why: string, hint?: string): OpenDefinitions {
  return async ({ files, collector }) => ({
    async read(file, from) {
      const source = from ? undefined : files.open(file, undefined);
      const at = from ?? (source && { source, start: 0, end: 1 });
      collector.error(code, `${file} ${why}`, at, hint);
      return undefined;
    },
    close() {},
  });
}

const withoutRunner = refuseCode("unknown-file-type", "is code, which cannot be run here");

const codeNotAllowed = refuseCode(
  "code-not-allowed",
  "is code, and code of the project may not run here",
  "start sync with --allow-code if everyone with push access may run programs here",
);

const untrustedCode = refuseCode(
  "untrusted-code",
  "is TypeScript, and an untrusted change is not run",
  "let somebody with write access to the repository propose it",
);

/**
 * Reads what an untrusted change may do from the files of its base, which are trusted: their errors are not reported,
 * and what cannot be read allows nothing. Nothing is run.
 *
 * @param name for messages: "the base main".
 */
export async function loadBase(
  name: string,
  options: Pick<LoadOptions, "cwd" | "file" | "environment" | "tree">,
): Promise<{ readonly base: Base; readonly manifest: Manifest | undefined }> {
  const sources = new Set<string>();
  const functions = new Set<string>();
  let root: MapNode | undefined;
  const watch: LoadOptions["watch"] = {
    root: (read) => {
      root = read;
    },
    source: (subject, source) => sources.add(sourceKey(subject, source)),
    judged: ({ policies }) => {
      for (const { file } of policies.functions) functions.add(file);
    },
  };
  const { manifest } = await load({ ...options, watch }, skipCode);
  return { base: { name, root, sources, functions }, manifest };
}

const skipCode: OpenDefinitions = async () => ({ read: async () => undefined, close() {} });

export const mainFiles = ["avatarops.yaml", "avatarops.config.ts"] as const;
const [yamlFile, codeFile] = mainFiles;

/** Whether a folder has the main file of a project. */
export function isProject(folder: string): boolean {
  return mainFiles.some((file) => existsSync(path.join(folder, file)));
}

/** The default manifest. If both exist, avatarops does not guess. */
function mainFileIn(cwd: string, collector: DiagnosticsCollector): string {
  if (!existsSync(path.join(cwd, codeFile))) return yamlFile;
  if (!existsSync(path.join(cwd, yamlFile))) return codeFile;
  const hint = "choose one with --file; it may include the other";
  collector.error("two-manifests", `${cwd} has both ${yamlFile} and ${codeFile}`, undefined, hint);
  return yamlFile;
}

/**
 * Checks the tree as written, and once with each environment merged over it. Each is read when the one before was judged,
 * and may be forgotten.
 */
function* readProjects(
  { root, sourceKinds }: NonNullable<Awaited<ReturnType<typeof gather>>>,
  {
    environment: chosen,
    allowedVariables,
    base,
    watch,
    judge,
    elsewhere: isAsked,
  }: Omit<LoadOptions, "allowCode">,
  files: ProjectFiles,
  collector: DiagnosticsCollector,
  elsewhere: Map<string, readonly Declaration[]>,
): Generator<JudgedProject, Desired | undefined> {
  const reading: Reading = {
    files,
    collector,
    kinds: sourceKinds,
    allowedVariables,
    base,
    onSource: watch?.source,
    templateBudget: openTemplateBudget(),
    usedVariables: new Set(),
    isJudged: judge !== undefined || watch?.judged !== undefined,
  };
  const done = noDefinitions();
  const counted = new WeakSet<Declaration>();
  let left = mostCharacters;
  const take = (cost: number) => {
    left -= cost;
    if (left >= 0) return;
    const message = "the objects of all environments are too many, or their texts too long";
    const hint = "split the project, or change objects in fewer environments";
    collector.error("too-large", message, root.entries.get("environments")?.range, hint);
  };
  const read = function* (tree: MapNode, results: DefinitionsResult): Generator<JudgedProject, Desired> {
    const desired = readDesired(tree, reading, results);
    const costs = desired.declarations.map((declaration) => {
      if (counted.has(declaration)) return costOfLook;
      counted.add(declaration);
      return costOfObject + textLength(declaration);
    });
    take(total(costs));
    if (left < 0) return desired;
    const project = judgedProject(tree, desired, reading);
    if (project) watch?.judged?.(project);
    if (project) yield project;
    return desired;
  };
  const plain = yield* read(root, done);
  const environments = environmentsIn(root, collector);
  let result = chosen === undefined ? plain : undefined;
  for (const [name, entry] of environments) {
    if (entriesIn(entry.value).size > 0) take(costOfSettings);
    if (left < 0) return undefined;
    let own = plain;
    if (changesObjects(entry))
      own = yield* read(overlaid(root, entry), changesValues(entry) ? noDefinitions() : done);
    else if (entriesIn(entry.value).size > 0) {
      const tree = overlaid(root, entry);
      own = { ...plain, ...readSettings(tree, reading) };
    }
    if (name === chosen) result = own;
    else if (isAsked) elsewhere.set(name, own.declarations);
  }
  warnOfUnused([root, ...Array.from(environments.values(), ({ value }) => value)], reading);
  if (chosen !== undefined && !environments.has(chosen))
    reportUnknownEnvironment(chosen, [...environments.keys()], collector);
  return result;
}

/** Whether it changes objects, or what is said of them: then all are looked at once more. */
function changesObjects(environment: Entry): boolean {
  const changed = entriesIn(environment.value);
  return (
    changesValues(environment) ||
    [...collectionNames, "policies"].some((name) => {
      const value = changed.get(name)?.value;
      return value && !(value.is === "map" && value.entries.size === 0 && !value.tag);
    })
  );
}

/** If an environment changes the profile, the allowed values or the templates' settings, every object is read again. */
function changesValues(environment: Entry): boolean {
  const changed = entriesIn(environment.value);
  if (["variables", "templates", "partials"].some((name) => changed.has(name))) return true;
  const service = entriesIn(changed.get("service")?.value);
  return service.has("profile") || valueSettings.some(({ name }) => service.has(name));
}

/**
 * What may be read for all environments together, in characters: six times ten thousand prompts of 4 KB, in a few seconds. A file,
 * or an alias, may be the text of thousands of objects, and an environment may change one of thousands.
 */
const mostCharacters = 256_000_000;
/** What else takes as long as so many characters: to read an object, to look at it once more, and the settings of an environment. */
const [costOfObject, costOfLook, costOfSettings] = [1_000, 200, 10_000];

function textLength({ spec }: Declaration): number {
  const lengthIn = (value: Value): number =>
    typeof value === "object" ? total(Object.values<Value>(value).map(lengthIn)) : String(value).length;
  return total(Object.values(spec).map(lengthIn));
}

function total(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0);
}

function overlaid(root: MapNode, { value }: Entry): MapNode {
  const result = overlay(root, value);
  return result.is === "map" ? result : root;
}

function reportUnknownEnvironment(
  chosen: string,
  names: readonly string[],
  collector: DiagnosticsCollector,
): void {
  const existing =
    names.length > 0 ? `the environments are ${names.join(", ")}` : "the manifest has no environments";
  const message = `there is no environment ${JSON.stringify(chosen)}`;
  collector.error("unknown-environment", message, undefined, suggest(chosen, names, existing));
}
