import { existsSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, suggest } from "../../../base/diagnostics/index.js";
import { type Value, valueSettings } from "../../kinds/index.js";
import { collectionNames } from "../forms/form.js";
import { toSourceKey } from "../sources/source-tag.js";
import { toDiagnostics } from "../sources/to-diagnostics.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { listEntries, type MapEntry, type MapNode, overlayNode } from "../tree/node.js";
import { type FileTree, openProjectFiles, type ProjectFiles, type ReadFile } from "../tree/project-files.js";
import type {
  BaseManifest,
  CheckState,
  DefinitionReader,
  OpenDefinitions,
  Reading,
} from "../tree/reading.js";
import { rejectChangedSettings } from "./base.js";
import { createReadCache, type Desired, type ReadCache, readDesired } from "./desired.js";
import { listEnvironments, readEnvironments } from "./environments.js";
import { gather } from "./gather.js";
import { type Judge, type JudgedProject, toJudgedProject } from "./judging.js";
import type { Declaration, Manifest, Reload } from "./manifest.js";
import { readSettings } from "./settings.js";
import { loadForTemplates, openTemplateBudget, warnAboutUnused } from "./templates.js";

export interface LoadOptions {
  /** Absolute path to the folder that `file` is relative to. */
  readonly cwd: string;
  /** The main file, whose folder is the project folder. Default: avatarops.yaml, or avatarops.config.ts. */
  readonly file?: string | undefined;
  readonly environment?: string | undefined;
  /** Reads a file by its absolute path. Default: from disk. */
  readonly readFile?: ReadFile;
  /** Files of another commit, used instead of the files on disk. Requires `file`. */
  readonly tree?: FileTree;
  /** Environment variables that `!env` may read, in addition to those for the service settings. Default: all. */
  readonly allowedVariables?: ReadonlySet<string> | undefined;
  /** Whether project code may run. If not, TypeScript files are rejected. */
  readonly allowCode: boolean;
  /** Runs TypeScript files. If omitted, they are rejected. */
  readonly definitions?: OpenDefinitions;
  /** Base of an untrusted change. Limits the settings, sources and functions that the change may use. */
  readonly base?: BaseManifest;
  /** Checks the policies and the default rules. If omitted, they are read but not checked. */
  readonly judge?: Judge | undefined;
  /** Checks the state URL of every environment. */
  readonly checkState?: CheckState | undefined;
  /** Whether to keep the declarations of all environments, not only of the selected one. */
  readonly elsewhere?: boolean | undefined;
  /** Callbacks during the read. */
  readonly watch?: {
    readonly onRoot?: (root: MapNode) => void;
    readonly onSource?: Reading["onSource"];
    readonly onJudged?: (project: JudgedProject) => void;
  };
}

export interface LoadedManifest {
  /** Desired state. Undefined if there are errors other than policy violations. */
  readonly manifest?: Manifest | undefined;
  /** Diagnostics of all files and environments, in file order. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files read, relative to the project folder. */
  readonly files: readonly string[];
}

/**
 * Reads the desired state from a project's files, without network, environment variables or secrets. Sources stay
 * unresolved.
 */
export async function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  const { allowCode, base, definitions = rejectAllCode } = options;
  return load(options, base ? rejectUntrustedCode : allowCode ? definitions : rejectProjectCode);
}

async function load(options: Omit<LoadOptions, "allowCode">, run: OpenDefinitions): Promise<LoadedManifest> {
  const { environment, judge } = options;
  const collector = createCollector();
  const main = path.resolve(options.cwd, options.file ?? findMainFile(options.cwd, collector));
  const files = openProjectFiles(path.dirname(main), collector, options);
  const file = path.basename(main);
  let definitions: Promise<DefinitionReader> | undefined;
  const open = () => {
    definitions ??= run({ files, collector, environment });
    return definitions;
  };
  let gathered: Awaited<ReturnType<typeof gather>>;
  let modules: readonly string[] = [];
  try {
    if (!collector.hasErrors) gathered = await gather(file, { files, collector }, open);
  } finally {
    const reader = await definitions;
    modules = reader?.modules?.() ?? [];
    reader?.close();
  }
  if (gathered) await loadForTemplates(gathered.root);
  if (gathered) options.watch?.onRoot?.(gathered.root);
  if (gathered && options.base) rejectChangedSettings(gathered.root, options.base, collector);
  let chosen: Desired | undefined;
  const elsewhere = new Map<string, readonly Declaration[]>();
  if (gathered) {
    const projects = (function* () {
      chosen = yield* readProjects(gathered, options, files, collector, elsewhere);
    })();
    await (judge ?? skipJudging)(projects, { collector });
  }
  const diagnostics = toDiagnostics(collector);
  if (!gathered || !chosen || collector.hasErrors) return { diagnostics, files: files.read };
  const { includes, sourceKinds } = gathered;
  const definedKinds = sourceKinds.size > 0 ? { sourceKinds } : {};
  const { root, read } = files;
  const environments = readEnvironments(gathered.root);
  const { cwd, allowedVariables } = options;
  const reload: Reload = (environment, readFile) =>
    load({ cwd, file: main, environment, allowedVariables, ...(readFile && { readFile }) }, run);
  const manifest = {
    root,
    file,
    files: read,
    ...(modules.length > 0 && { modules }),
    includes,
    ...definedKinds,
    environment,
    environments,
    ...chosen,
    elsewhere,
    ...(options.elsewhere && definitions && { reload }),
  };
  return { manifest, diagnostics, files: read };
}

const skipJudging: Judge = async (projects) => {
  for (const _ of projects);
};

/** Rejects each TypeScript file. `reason` follows the file name in the message. */
function rejectCode(code: string, reason: string, hint?: string): OpenDefinitions {
  return async ({ files, collector }) => ({
    async read(file, from) {
      const source = from ? undefined : files.open(file, undefined);
      const at = from ?? (source && { source, start: 0, end: 1 });
      collector.error(code, `${file} ${reason}`, at, hint);
      return undefined;
    },
    close() {},
  });
}

const rejectAllCode = rejectCode("unknown-file-type", "is TypeScript, which this command cannot run");

const rejectProjectCode = rejectCode(
  "code-not-allowed",
  "is TypeScript, and this run does not allow project code",
  "start sync with --allow-code if everyone with push access may run programs here",
);

const rejectUntrustedCode = rejectCode(
  "untrusted-code",
  "is TypeScript, and code from untrusted changes is not run",
  "ask someone with write access to the repository to propose this change",
);

/**
 * Reads the base's files, which are trusted, to find the sources and functions that an untrusted change may use. Runs
 * no code and reports no errors. A file that cannot be read permits nothing.
 *
 * @param name Name of the base in messages, such as "the base main".
 */
export async function loadBase(
  name: string,
  options: Pick<LoadOptions, "cwd" | "file" | "environment" | "tree">,
): Promise<{ readonly base: BaseManifest; readonly manifest: Manifest | undefined }> {
  const sources = new Set<string>();
  const functions = new Set<string>();
  let root: MapNode | undefined;
  const watch: LoadOptions["watch"] = {
    onRoot: (read) => {
      root = read;
    },
    onSource: (subject, source) => sources.add(toSourceKey(subject, source)),
    onJudged: ({ policies }) => {
      for (const { file } of policies.functions) functions.add(file);
    },
  };
  const { manifest } = await load({ ...options, watch }, skipCode);
  return { base: { name, root, sources, functions }, manifest };
}

const skipCode: OpenDefinitions = async () => ({ read: async () => undefined, close() {} });

export const mainFiles = ["avatarops.yaml", "avatarops.config.ts"] as const;
const [yamlFile, codeFile] = mainFiles;

/** Returns whether a folder contains a project's main file. */
export function isProject(folder: string): boolean {
  return mainFiles.some((file) => existsSync(path.join(folder, file)));
}

/** Finds the default main file. Reports an error if both names exist. */
function findMainFile(cwd: string, collector: DiagnosticsCollector): string {
  if (!existsSync(path.join(cwd, codeFile))) return yamlFile;
  if (!existsSync(path.join(cwd, yamlFile))) return codeFile;
  const hint = "choose one with --file. It may include the other";
  collector.error("two-manifests", `${cwd} has both ${yamlFile} and ${codeFile}`, undefined, hint);
  return yamlFile;
}

/**
 * Reads the tree without an environment, and then merged with each environment. Yields one tree at a time, so that its
 * memory can be freed before the next tree is read.
 */
function* readProjects(
  { root, sourceKinds }: NonNullable<Awaited<ReturnType<typeof gather>>>,
  {
    environment: chosen,
    allowedVariables,
    base,
    watch,
    judge,
    checkState,
    elsewhere: keepsOthers,
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
    checkState,
    onSource: watch?.onSource,
    templateBudget: openTemplateBudget(),
    usedVariables: new Set(),
    isJudged: judge !== undefined || watch?.onJudged !== undefined,
  };
  const cache = createReadCache();
  const counted = new WeakSet<Declaration>();
  let left = maxCharacters;
  const take = (cost: number) => {
    left -= cost;
    if (left >= 0) return;
    const message = "the environments have too many objects, or their texts are too long";
    const hint = "split the project, or change objects in fewer environments";
    collector.error("too-large", message, root.entries.get("environments")?.range, hint);
  };
  const read = function* (tree: MapNode, results: ReadCache): Generator<JudgedProject, Desired> {
    const desired = readDesired(tree, reading, results);
    const costs = desired.declarations.map((declaration) => {
      if (counted.has(declaration)) return reuseCost;
      counted.add(declaration);
      return objectCost + measureText(declaration);
    });
    take(sum(costs));
    if (left < 0) return desired;
    const project = toJudgedProject(tree, desired, reading);
    if (project) watch?.onJudged?.(project);
    if (project) yield project;
    return desired;
  };
  const plain = yield* read(root, cache);
  const environments = listEnvironments(root, collector);
  let result = chosen === undefined ? plain : undefined;
  for (const [name, entry] of environments) {
    if (listEntries(entry.value).size > 0) take(settingsCost);
    if (left < 0) return undefined;
    let desired = plain;
    if (doesChangeObjects(entry))
      desired = yield* read(applyOverlay(root, entry), doesChangeValues(entry) ? createReadCache() : cache);
    else if (listEntries(entry.value).size > 0) {
      const tree = applyOverlay(root, entry);
      desired = { ...plain, ...readSettings(tree, reading) };
    }
    if (name === chosen) result = desired;
    else if (keepsOthers) elsewhere.set(name, desired.declarations);
  }
  warnAboutUnused([root, ...Array.from(environments.values(), ({ value }) => value)], reading);
  if (chosen !== undefined && !environments.has(chosen))
    reportUnknownEnvironment(chosen, [...environments.keys()], collector);
  return result;
}

/** Returns whether an environment changes objects or policies, so that its merged tree must be read. */
function doesChangeObjects(environment: MapEntry): boolean {
  const changed = listEntries(environment.value);
  return (
    doesChangeValues(environment) ||
    [...collectionNames, "policies"].some((name) => {
      const value = changed.get(name)?.value;
      return value && !(value.is === "map" && value.entries.size === 0 && !value.tag);
    })
  );
}

/** Returns whether an environment changes the profile, allowed values or template settings, which affect every object. */
function doesChangeValues(environment: MapEntry): boolean {
  const changed = listEntries(environment.value);
  if (["variables", "templates", "partials"].some((name) => changed.has(name))) return true;
  const service = listEntries(changed.get("service")?.value);
  return service.has("profile") || valueSettings.some(({ name }) => service.has(name));
}

/**
 * Maximum number of characters read for all environments together, such as ten thousand prompts of 4 KB in six
 * environments. Protects against a single file or alias that thousands of objects use as their text.
 */
const maxCharacters = 256_000_000;
/** Costs of reading an object, reusing an object, and reading an environment's settings, in characters. */
const [objectCost, reuseCost, settingsCost] = [1_000, 200, 10_000];

function measureText({ spec }: Declaration): number {
  const measure = (value: Value): number =>
    typeof value === "object" ? sum(Object.values<Value>(value).map(measure)) : String(value).length;
  return sum(Object.values(spec).map(measure));
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((total, length) => total + length, 0);
}

function applyOverlay(root: MapNode, { value }: MapEntry): MapNode {
  const result = overlayNode(root, value);
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
