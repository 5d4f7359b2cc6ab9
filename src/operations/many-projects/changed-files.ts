import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { toPosixPath } from "../../base/files/index.js";
import { GitError, openRepository, type Repository } from "../../base/git/index.js";
import { loadCommitted } from "../../core/history/index.js";
import { isCode, type Manifest } from "../../core/manifest/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { listBasesInCi } from "../untrusted/base-in-ci.js";
import { findBase } from "../untrusted/load.js";

/** Differences between the working tree and the merge base. Commits added to the base since then do not count. */
export interface ChangedFiles {
  readonly repository: Repository;
  /** Ids of the base and the merge base. */
  readonly base: string;
  readonly fork: string;
  /** Whether each changed file was deleted, by path in the repository. */
  readonly files: ReadonlyMap<string, boolean>;
}

export interface ProjectInputs {
  /** Main file, relative to the current folder. */
  readonly file: string;
  readonly manifest: Manifest | undefined;
  /** Files that were read, relative to the project folder. */
  readonly files: readonly string[];
  /** Words in secret sources that may be file names. */
  readonly named: readonly string[];
  /** Whether policies are code, which may import other files. */
  readonly hasFunctions: boolean;
}

/** @throws UsageError `no-base` if the base that the user named does not exist; GitError */
export async function findChangedFiles(
  runtime: Runtime,
  given: string | false | undefined,
): Promise<ChangedFiles | undefined> {
  const { host, options, output, signal } = runtime;
  const named = given ?? options.base;
  const isAsked = named !== undefined;
  // CI hosts use a commit id of zeros for "no commit", such as before the first push of a branch.
  if (named === false || (isAsked ? /^0+$/.test(named) : listBasesInCi(host).length === 0)) return undefined;
  try {
    const repository = await openRepository({ folder: host.cwd, environment: host.environment, signal });
    const base = await findBase({ ...runtime, options: { ...options, base: named } }, repository);
    return await compare(repository, base);
  } catch (error) {
    if (isAsked || signal.aborted || !(error instanceof UsageError || error instanceof GitError)) throw error;
    output.warn(`All projects count as changed: ${error.message}`);
    return undefined;
  }
}

async function compare(repository: Repository, base: string): Promise<ChangedFiles> {
  const { exit, stdout } = await repository.run(["merge-base", base, "HEAD"], { exits: [0, 1, 128] });
  const fork = exit === 0 ? stdout.toString("latin1").trim() : base;
  const how = ["--ignore-submodules=all", "--no-ext-diff", "--no-relative", "--name-status", "--no-renames"];
  const changed = (await repository.readText(["diff", ...how, "-z", fork, "--"])).split("\0");
  const files = new Map<string, boolean>();
  for (let at = 0; at + 1 < changed.length; at += 2) files.set(changed[at + 1] ?? "", changed[at] === "D");
  const added = await repository.readText([
    "ls-files",
    "--others",
    "--exclude-standard",
    "--full-name",
    "-z",
  ]);
  for (const file of added.split("\0")) if (file !== "") files.set(file, false);
  return { repository, base, fork, files };
}

/** Returns whether any input of a project changed. `projects` contains all main files. */
export async function isChanged(
  { repository, fork, files: changed }: ChangedFiles,
  { file, files, named, hasFunctions }: ProjectInputs,
  projects: readonly string[],
): Promise<boolean> {
  const toFolder = (main: string) => path.posix.join(repository.prefix, path.posix.dirname(main));
  const folder = toFolder(file);
  if (hasFunctions || files.some(isCode)) {
    // Code may import any file, so every change outside other projects counts.
    const others = projects.map(toFolder);
    const isOther = (name: string) => others.some((other) => isIn(name, other) && !isIn(folder, other));
    return [...changed.keys()].some((name) => !isOther(name));
  }
  for (const name of [...files, ...named]) {
    const own = path.posix.join(folder, name);
    if (changed.has(own)) return true;
    // A symlink may lead to a changed file.
    const real = await realpath(path.join(repository.root, own)).catch(() => repository.root);
    if (changed.has(toPosixPath(path.relative(repository.root, real)))) return true;
  }
  const gone = [...changed.keys()].filter((name) => changed.get(name) && isIn(name, folder));
  if (gone.length === 0) return false;
  const at = { commit: fork, folder: folder === "." ? "" : folder, file: path.basename(file) };
  const before = (await loadCommitted(repository, at))?.manifest?.files.map((name) =>
    path.posix.join(folder, name),
  );
  return !before || gone.some((name) => before.includes(name));
}

function isIn(file: string, folder: string): boolean {
  return folder === "." || folder === file || file.startsWith(`${folder}/`);
}
