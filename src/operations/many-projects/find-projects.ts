import { readdir } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import { type Manifest, mainFiles, matchesGlob } from "../../core/manifest/index.js";
import type { ProjectEnvironment, ProjectsHead } from "../../output/documents/index.js";
import { loadFiles } from "../project/open-project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
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
  /** Called with each folder that cannot be read. Default: the search fails. */
  readonly onUnreadable?: (folder: string) => void;
}

/**
 * Finds the projects below the current folder, sorted by path, each with its environments. Skips `node_modules`,
 * folders that begin with a dot, other git repositories, and links.
 *
 * @returns the selected projects, and messages about other projects.
 * @throws UsageError `no-projects`, `unreadable-folder`, `unknown-environment`, `no-base`, `usage`; GitError
 */
export async function findProjects(
  runtime: Runtime,
  options: FindProjectsOptions,
): Promise<{ readonly chosen: readonly ProjectEnvironment[]; readonly head: ProjectsHead }> {
  const { environments = [] } = options;
  const { isRequested, mayContainRequested } = createPathFilter(options.path ?? []);
  const { found, unreadable } = await findMainFiles(runtime.host.cwd);
  const missed = unreadable.filter(({ folder }) => mayContainRequested(folder));
  if (options.onUnreadable) for (const { folder } of missed) options.onUnreadable(folder);
  else assertReadable(missed);
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

interface UnreadableFolder {
  /** Path relative to the current folder. */
  readonly folder: string;
  readonly code: string;
}

interface FoundFiles {
  readonly found: readonly string[];
  readonly unreadable: readonly UnreadableFolder[];
}

/**
 * Finds the main file of each folder. The paths use `/` and are relative to the current folder. A second main file in
 * a folder is reported when the project is loaded.
 */
async function findMainFiles(cwd: string): Promise<FoundFiles> {
  const found: string[] = [];
  const unreadable: UnreadableFolder[] = [];
  async function search(folder: string): Promise<void> {
    const entries = await readdir(path.join(cwd, folder), { withFileTypes: true }).catch(
      ({ code = "" }: NodeJS.ErrnoException) => {
        // Ignores a folder that disappeared.
        if (code !== "ENOENT") unreadable.push({ folder: folder || ".", code });
        return [];
      },
    );
    const names = new Set(entries.map(({ name }) => name));
    if (folder !== "" && names.has(".git")) return;
    const main = mainFiles.find((name) => names.has(name));
    if (main !== undefined) found.push(path.posix.join(folder, main));
    const below = entries.filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules",
    );
    for (const { name } of below) await search(path.posix.join(folder, name));
  }
  await search("");
  return { found: found.toSorted(), unreadable };
}

/** @throws UsageError `unreadable-folder`, because a gate must not pass projects that it cannot see. */
function assertReadable(unreadable: readonly UnreadableFolder[]): void {
  if (unreadable.length === 0) return;
  const names = listNames(unreadable.map(({ folder, code }) => `${folder} (${code})`));
  const exclusions = unreadable.map(({ folder }) => `--path ${quoteShellWord(`!${folder}`)}`).join(" ");
  throw new UsageError(
    "unreadable-folder",
    `Cannot search ${names} for projects. Make ${unreadable.length === 1 ? "the folder" : "the folders"} readable, or add \`${exclusions}\`.`,
  );
}

interface PathFilter {
  isRequested(file: string): boolean;
  /** Returns whether a file in the folder or below it may be requested. */
  mayContainRequested(folder: string): boolean;
}

function createPathFilter(written: readonly string[]): PathFilter {
  const normalize = (one: string) => path.posix.normalize(one.replace(/^!/, "")).replace(/(?<=.)\/$/, "");
  const matchesAround = (file: string) => (pattern: string) =>
    listFoldersAround(file).some((folder) => matchesGlob(folder, pattern));
  const wanted = written.filter((one) => !one.startsWith("!")).map(normalize);
  const unwanted = written.filter((one) => one.startsWith("!")).map(normalize);
  return {
    isRequested: (file) =>
      (wanted.length === 0 || wanted.some(matchesAround(file))) && !unwanted.some(matchesAround(file)),
    mayContainRequested(folder) {
      const matches = matchesAround(path.posix.join(folder, "file"));
      const isAround = (pattern: string) => matches(pattern) || mayMatchBelow(folder, pattern);
      return (wanted.length === 0 || wanted.some(isAround)) && !unwanted.some(matches);
    },
  };
}

/** Returns whether the pattern may match a folder below this one. */
function mayMatchBelow(folder: string, pattern: string): boolean {
  const depth = folder === "." ? 0 : folder.split("/").length;
  const names = pattern.split("/");
  const above = names.slice(0, depth);
  return (
    above.includes("**") || (names.length > depth && (depth === 0 || matchesGlob(folder, above.join("/"))))
  );
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
