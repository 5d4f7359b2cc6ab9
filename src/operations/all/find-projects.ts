import { readdir } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { type Manifest, mainFiles, matchesGlob, parseGlob } from "../../core/manifest/index.js";
import type { ProjectEnvironment } from "../../output/documents/index.js";
import { loadFiles } from "../open-project.js";
import { quietReporter, type Runtime } from "../runtime.js";
import { type ChangedFiles, findChangedFiles, isChanged, type ProjectInputs } from "./changed-files.js";

/** Which of the projects below the current folder are meant. */
export interface FindProjectsOptions {
  /** Patterns of folders, which also stand for what is below them; with `!` before them, of those to leave out. */
  readonly path?: readonly string[] | undefined;
  /** Default: all that a project declares, or none if it declares none. */
  readonly environments?: readonly string[] | undefined;
  /** Only projects whose inputs differ from this commit's; default: the base of CI's pull request; false: all. */
  readonly changedSince?: string | false | undefined;
}

/** The projects below the current folder. */
export interface FoundProjects {
  readonly chosen: readonly ProjectEnvironment[];
  /** The commit that they were compared with, if they were. */
  readonly changedSince?: string | undefined;
  readonly unchanged: readonly ProjectEnvironment[];
  /** Main files that this commit has, and that are gone. */
  readonly deleted: readonly string[];
}

/**
 * Finds the projects below the current folder, in the order of their paths, each with its environments: not in `node_modules`,
 * folders that begin with a dot, other git repositories, or behind links.
 *
 * @throws UsageError `no-projects`, `unknown-environment`, `no-base`, `usage`; GitError
 */
export async function findProjects(runtime: Runtime, options: FindProjectsOptions): Promise<FoundProjects> {
  const { environments = [] } = options;
  const isMeant = pathFilter(options.path ?? []);
  const found = await findMainFiles(runtime.host.cwd);
  const files = found.filter(isMeant);
  const changed = await findChangedFiles(runtime, options.changedSince);
  const deleted = findDeleted(changed, found).filter(isMeant);
  if (files.length + deleted.length === 0)
    throw new UsageError(
      "no-projects",
      `There is no ${mainFiles.join(" or ")} below ${runtime.host.cwd}${options.path?.length ? " in a folder that --path names" : ""}.`,
    );
  const chosen: ProjectEnvironment[] = [];
  const unchanged: ProjectEnvironment[] = [];
  for (const file of files) {
    const { manifest, inputs } = await readInputs(runtime, file);
    const isOut = changed && inputs && !(await isChanged(changed, inputs, found));
    (isOut ? unchanged : chosen).push(...chooseEnvironments(file, manifest, environments));
  }
  const all = [...chosen, ...unchanged];
  // What is broken may declare it.
  const isBroken = chosen.some(({ environment }) => environment === undefined);
  const unknown = environments.find((name) => !all.some(({ environment }) => environment === name));
  if (unknown !== undefined && !isBroken && files.length > 0)
    throw new UsageError("unknown-environment", `No project declares the environment "${unknown}".`);
  return { chosen, changedSince: changed?.base, unchanged, deleted };
}

/** The main files that are gone from folders below the current one, if those have no other now. */
function findDeleted(changed: ChangedFiles | undefined, found: readonly string[]): string[] {
  if (!changed) return [];
  const folders = new Set(found.map((file) => path.posix.dirname(file)));
  const gone = [...changed.files.keys()].filter((file) => changed.files.get(file));
  return gone
    .map((file) => path.posix.relative(changed.repository.prefix, file))
    .filter((file) => {
      const { dir, base } = path.posix.parse(file);
      return mainFiles.some((name) => name === base) && !/^\.\.(\/|$)/.test(dir) && !folders.has(dir || ".");
    })
    .toSorted();
}

/** Those that others need come first. A broken project stands once, for its errors. */
function chooseEnvironments(
  file: string,
  manifest: Manifest | undefined,
  only: readonly string[],
): ProjectEnvironment[] {
  if (!manifest) return [{ project: file }];
  const { environments, inAll } = manifest;
  if (environments.size === 0) return inAll && only.length === 0 ? [{ project: file }] : [];
  const order = (name: string): number =>
    1 + Math.max(-1, ...(environments.get(name)?.needs ?? []).map(order));
  return [...environments]
    .filter(([name, own]) => (own.inAll ?? inAll) && (only.length === 0 || only.includes(name)))
    .map(([environment]) => ({ project: file, environment, order: order(environment) }))
    .toSorted((one, other) => one.order - other.order);
}

/** Relative to the current folder, with `/`. Of a folder with two, the project itself says that one must be chosen. */
async function findMainFiles(cwd: string, folder = ""): Promise<string[]> {
  // A folder that nobody may read has no project for us.
  const entries = await readdir(path.join(cwd, folder), { withFileTypes: true }).catch(() => []);
  const names = new Set(entries.map(({ name }) => name));
  if (folder !== "" && names.has(".git")) return [];
  const main = mainFiles.find((name) => names.has(name));
  const below = entries.filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules",
  );
  const found = main === undefined ? [] : [path.posix.join(folder, main)];
  for (const { name } of below) found.push(...(await findMainFiles(cwd, path.posix.join(folder, name))));
  return found.toSorted();
}

function pathFilter(written: readonly string[]): (file: string) => boolean {
  const patterns = written.map((one) => {
    const isExcluding = one.startsWith("!");
    const pattern = path.posix.normalize(isExcluding ? one.slice(1) : one).replace(/(?<=.)\/$/, "");
    const parsed = parseGlob(pattern);
    if (typeof parsed === "string") throw new UsageError("usage", `--path ${one} ${parsed}.`);
    return { isExcluding, parsed };
  });
  const wanted = patterns.filter(({ isExcluding }) => !isExcluding);
  return (file) => {
    const folders = foldersAround(file);
    const matches = ({ parsed }: (typeof patterns)[number]) =>
      folders.some((folder) => matchesGlob(folder, parsed, { dot: true }));
    return (
      (wanted.length === 0 || wanted.some(matches)) &&
      !patterns.some((one) => one.isExcluding && matches(one))
    );
  };
}

/** "a/b/avatarops.yaml": "a/b", "a" and ".". */
function foldersAround(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === file ? [] : folder === "." ? ["."] : [folder, ...foldersAround(folder)];
}

/** What a project is made of; without inputs, nobody knows. */
async function readInputs(
  runtime: Runtime,
  file: string,
): Promise<{ readonly manifest?: Manifest | undefined; readonly inputs?: ProjectInputs }> {
  const named: string[] = [];
  let hasFunctions = false;
  const options = { ...runtime.options, file, env: undefined };
  try {
    const { manifest, files } = await loadFiles(
      { ...runtime, options, opened: {}, output: quietReporter() },
      {
        judges: false,
        watch: {
          source: (_subject, source) => {
            named.push(...Object.values(source).filter((value) => typeof value === "string"));
          },
          judged: ({ policies }) => {
            hasFunctions ||= policies.functions.length > 0;
          },
        },
      },
    );
    return { manifest, inputs: { file, files, named, hasFunctions } };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    // It is said where the project is planned.
    return {};
  }
}
