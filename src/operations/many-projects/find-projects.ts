import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { type Manifest, mainFiles, matchesGlob } from "../../core/manifest/index.js";
import type { ProjectEnvironment, ProjectsHead } from "../../output/documents/index.js";
import { loadFiles } from "../project/open-project.js";
import { quietReporter, type Runtime } from "../runtime/runtime.js";
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

/**
 * Finds the projects below the current folder, in the order of their paths, each with its environments: not in `node_modules`,
 * folders that begin with a dot, other git repositories, or behind links.
 *
 * @returns those that are chosen, and what there is to say of the others.
 * @throws UsageError `no-projects`, `unknown-environment`, `no-base`, `usage`; GitError
 */
export async function findProjects(
  runtime: Runtime,
  options: FindProjectsOptions,
): Promise<{ readonly chosen: readonly ProjectEnvironment[]; readonly head: ProjectsHead }> {
  const { environments = [] } = options;
  const isRequested = pathFilter(options.path ?? []);
  const found = await findMainFiles(runtime.host.cwd);
  const files = found.filter(isRequested);
  const changed = await findChangedFiles(runtime, options.changedSince);
  const deleted = findDeleted(changed, found).filter(isRequested);
  if (files.length + deleted.length === 0)
    throw new UsageError(
      "no-projects",
      `There is no ${mainFiles.join(" or ")} below ${runtime.host.cwd}${options.path?.length ? " in a folder that --path names" : ""}.`,
    );
  const chosen: ProjectEnvironment[] = [];
  const unchanged: ProjectEnvironment[] = [];
  for (const file of files) {
    const inputs = await readInputs(runtime, file);
    const isOut = changed && inputs && !(await isChanged(changed, inputs, found));
    (isOut ? unchanged : chosen).push(...chooseEnvironments(file, inputs?.manifest, environments));
  }
  const all = [...chosen, ...unchanged];
  // What is broken may declare it.
  const isBroken = chosen.some(({ environment }) => environment === undefined);
  const unknown = environments.find((name) => !all.some(({ environment }) => environment === name));
  if (unknown !== undefined && !isBroken && files.length > 0)
    throw new UsageError("unknown-environment", `No project declares the environment "${unknown}".`);
  const since = changed ? { changed_since: changed.base } : {};
  return { chosen, head: { format: "avatarops/projects", version: 1, ...since, unchanged, deleted } };
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
  const { environments } = manifest;
  if (environments.size === 0) return only.length === 0 ? [{ project: file }] : [];
  const orders = new Map<string, number>();
  const order = (name: string): number => {
    const known = orders.get(name);
    if (known !== undefined) return known;
    const own = 1 + Math.max(-1, ...(environments.get(name)?.needs ?? []).map(order));
    orders.set(name, own);
    return own;
  };
  return [...environments]
    .filter(([name]) => only.length === 0 || only.includes(name))
    .map(([environment]) => ({ project: file, environment, order: order(environment) }))
    .toSorted((one, other) => one.order - other.order);
}

/** Relative to the current folder, with `/`. Of a folder with two, the project itself says that one must be chosen. */
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

/** Returns nothing for a folder that this user may not read, or that is gone by now. Any other error ends the search. */
async function readFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EACCES", "EPERM", "ENOENT"].includes(code)) return [];
    throw new UsageError(
      "unreadable-folder",
      `The projects below ${folder} cannot be found: ${code || String(error)}. Run the command again, or leave the folder out with --path.`,
    );
  }
}

function pathFilter(written: readonly string[]): (file: string) => boolean {
  const toMatcher = (one: string) => {
    const pattern = path.posix.normalize(one.replace(/^!/, "")).replace(/(?<=.)\/$/, "");
    return (file: string) => foldersAround(file).some((folder) => matchesGlob(folder, pattern));
  };
  const wanted = written.filter((one) => !one.startsWith("!")).map(toMatcher);
  const unwanted = written.filter((one) => one.startsWith("!")).map(toMatcher);
  return (file) =>
    (wanted.length === 0 || wanted.some((matches) => matches(file))) &&
    !unwanted.some((matches) => matches(file));
}

/** "a/b/avatarops.yaml": "a/b", "a" and ".". */
function foldersAround(file: string): string[] {
  const folder = path.posix.dirname(file);
  return folder === file ? [] : folder === "." ? ["."] : [folder, ...foldersAround(folder)];
}

/** What a project is made of, as far as it can be read. */
async function readInputs(runtime: Runtime, file: string): Promise<ProjectInputs | undefined> {
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
    return { file, manifest, files, named, hasFunctions };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    // It is said where the project is planned.
    return undefined;
  }
}
