import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { type Manifest, mainFiles, matchesGlob } from "../../core/manifest/index.js";
import type { ProjectEnvironment, ProjectsHead } from "../../output/documents/index.js";
import { loadFiles } from "../project/open-project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { type ChangedFiles, findChangedFiles, isChanged, type ProjectInputs } from "./changed-files.js";

/** Options that select projects below the current folder. */
export interface FindProjectsOptions {
  /** Folder patterns, which include subfolders. A leading `!` excludes a folder. */
  readonly path?: readonly string[] | undefined;
  /** Environments to select. Default: all environments of each project. */
  readonly environments?: readonly string[] | undefined;
  /**
   * Base commit, to select only projects with inputs that have changed since. False selects all projects. Default: the
   * base of the pull request in CI.
   */
  readonly changedSince?: string | false | undefined;
}

/**
 * Finds the projects below the current folder, sorted by path, each with its environments. Skips `node_modules`,
 * folders that begin with a dot, other git repositories, and links.
 *
 * @returns the selected projects, and messages about other projects.
 * @throws UsageError `no-projects`, `unknown-environment`, `no-base`, `usage`; GitError
 */
export async function findProjects(
  runtime: Runtime,
  options: FindProjectsOptions,
): Promise<{ readonly chosen: readonly ProjectEnvironment[]; readonly head: ProjectsHead }> {
  const { environments = [] } = options;
  const isRequested = createPathFilter(options.path ?? []);
  const found = await findMainFiles(runtime.host.cwd);
  const files = found.filter(isRequested);
  const changed = await findChangedFiles(runtime, options.changedSince);
  const deleted = findDeleted(changed, found).filter(isRequested);
  if (files.length + deleted.length === 0)
    throw new UsageError(
      "no-projects",
      `There is no ${mainFiles.join(" or ")} below ${runtime.host.cwd}${options.path?.length ? " in a folder that matches --path" : ""}.`,
    );
  const chosen: ProjectEnvironment[] = [];
  const unchanged: ProjectEnvironment[] = [];
  for (const file of files) {
    const inputs = await readInputs(runtime, file);
    const isOut = changed && inputs && !(await isChanged(changed, inputs, found));
    (isOut ? unchanged : chosen).push(...chooseEnvironments(file, inputs?.manifest, environments));
  }
  const all = [...chosen, ...unchanged];
  // The environment may be declared in a project that cannot be loaded.
  const isBroken = chosen.some(({ environment }) => environment === undefined);
  const unknown = environments.find((name) => !all.some(({ environment }) => environment === name));
  if (unknown !== undefined && !isBroken && files.length > 0)
    throw new UsageError("unknown-environment", `No project declares the environment "${unknown}".`);
  const since = changed ? { changed_since: changed.base } : {};
  return { chosen, head: { format: "avatarops/projects", version: 1, ...since, unchanged, deleted } };
}

/** Finds deleted main files in folders without another main file. */
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

/**
 * Selects environments, with required environments first. A project that cannot be loaded is included once, to report
 * its errors.
 */
function chooseEnvironments(
  file: string,
  manifest: Manifest | undefined,
  only: readonly string[],
): ProjectEnvironment[] {
  if (!manifest) return [{ project: file }];
  const { environments } = manifest;
  if (environments.size === 0) return only.length === 0 ? [{ project: file }] : [];
  const orders = new Map<string, number>();
  const getOrder = (name: string): number => {
    const known = orders.get(name);
    if (known !== undefined) return known;
    const own = 1 + Math.max(-1, ...(environments.get(name)?.needs ?? []).map(getOrder));
    orders.set(name, own);
    return own;
  };
  return [...environments]
    .filter(([name]) => only.length === 0 || only.includes(name))
    .map(([environment]) => ({ project: file, environment, order: getOrder(environment) }))
    .toSorted((one, other) => one.order - other.order);
}

/**
 * Finds the main file of each folder. The paths use `/` and are relative to the current folder. A second main file in
 * a folder is reported when the project is loaded.
 */
async function findMainFiles(cwd: string, folder = ""): Promise<string[]> {
  const entries = await readFolder(path.join(cwd, folder));
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

/** Returns no entries for a folder that disappeared or that the user cannot read. Other errors end the search. */
async function readFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "ENOENT"].includes(code)) return [];
    throw new UsageError(
      "unreadable-folder",
      `Cannot search ${folder} for projects: ${code || String(error)}. Re-run the command, or exclude the folder with --path.`,
    );
  }
}

function createPathFilter(written: readonly string[]): (file: string) => boolean {
  const toMatcher = (one: string) => {
    const pattern = path.posix.normalize(one.replace(/^!/, "")).replace(/(?<=.)\/$/, "");
    return (file: string) => listFoldersAround(file).some((folder) => matchesGlob(folder, pattern));
  };
  const wanted = written.filter((one) => !one.startsWith("!")).map(toMatcher);
  const unwanted = written.filter((one) => one.startsWith("!")).map(toMatcher);
  return (file) =>
    (wanted.length === 0 || wanted.some((matches) => matches(file))) &&
    !unwanted.some((matches) => matches(file));
}

/** Lists the folders that contain a file: "a/b", "a" and "." for "a/b/avatarops.yaml". */
function listFoldersAround(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === file ? [] : folder === "." ? ["."] : [folder, ...listFoldersAround(folder)];
}

/** Reads a project's inputs. Returns undefined if they cannot be read. */
async function readInputs(runtime: Runtime, file: string): Promise<ProjectInputs | undefined> {
  const named: string[] = [];
  let hasFunctions = false;
  const options = { ...runtime.options, file, env: undefined };
  try {
    const { manifest, files } = await loadFiles(
      { ...runtime, options, opened: {}, output: createQuietReporter() },
      {
        judges: false,
        watch: {
          onSource: (_subject, source) => {
            named.push(...Object.values(source).filter((value) => typeof value === "string"));
          },
          onJudged: ({ policies }) => {
            hasFunctions ||= policies.functions.length > 0;
          },
        },
      },
    );
    return { file, manifest, files, named, hasFunctions };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    // The project's plan reports the error.
    return undefined;
  }
}
