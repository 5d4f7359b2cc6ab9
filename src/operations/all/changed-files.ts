import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { commitNamed, openRepository, type Repository } from "../../base/git/index.js";
import { commitTree, repositoryAt } from "../../core/history/index.js";
import { isCode, loadBase, mainFiles } from "../../core/manifest/index.js";
import type { Runtime } from "../runtime.js";
import { basesInCi } from "../untrusted/base-in-ci.js";
import { readAllFromGit } from "../untrusted/load.js";

/*
 * What a change touches is what it changed since it left its base, so that a branch that is behind does not stand for what
 * others have merged since.
 */

/** What differs between a base and the working tree. Paths are relative to the repository. */
export interface ChangedFiles {
  readonly repository: Repository;
  readonly cwd: string;
  /** The id of the base. */
  readonly base: string;
  /** The commits that the base and the change have in common last. */
  readonly forks: readonly string[];
  readonly paths: readonly string[];
  /** Those of them that are gone. */
  readonly gone: readonly string[];
  /** Main files below the current folder that are gone, relative to it. */
  readonly deletedProjects: readonly string[];
}

/** What a project is made of. */
export interface ProjectInputs {
  /** The main file, relative to the current folder. */
  readonly file: string;
  /** What was read, relative to the project folder. */
  readonly files: readonly string[];
  /** What sources of secrets name, which may be files. */
  readonly named: readonly string[];
  /** Code judges it, which may import other code. */
  readonly hasFunctions: boolean;
}

/** @throws UsageError `no-base` if the base that the user names is not there. */
export async function findChangedFiles(
  runtime: Runtime,
  given: string | false | undefined,
): Promise<ChangedFiles | undefined> {
  const { host, options, output, signal } = runtime;
  if (given === false) return undefined;
  const named = given ?? options.base;
  const candidates = named === undefined ? basesInCi(host) : [named, `refs/remotes/origin/${named}`];
  const [first] = candidates;
  if (first === undefined) return undefined;
  const git = { environment: host.environment, signal };
  const repository =
    named === undefined
      ? await repositoryAt(host.cwd, git)
      : await openRepository({ ...git, folder: host.cwd });
  if (!repository) return undefined;
  let base: string | undefined;
  for (const candidate of candidates) base ??= await commitNamed(repository, candidate);
  if (base === undefined) {
    const lack = `The repository lacks the base ${JSON.stringify(first)} of the change`;
    const advice = "run `git fetch origin` first (in CI, check out the whole history)";
    if (named !== undefined) throw new UsageError("no-base", `${lack}: ${advice}.`);
    output.warn(`${lack}, so all projects count as changed: ${advice}.`);
    return undefined;
  }
  return compare(repository, base, host.cwd);
}

async function compare(repository: Repository, base: string, cwd: string): Promise<ChangedFiles> {
  const common = await repository.run(["merge-base", "--all", base, "HEAD"], { exits: [0, 1, 128] });
  const found = common.stdout.toString("latin1").split("\n").filter(Boolean);
  const forks = common.exit === 0 && found.length > 0 ? found : [base];
  const paths = new Set<string>();
  const gone = new Set<string>();
  for (const fork of forks) {
    const args = [
      "diff",
      "--ignore-submodules=all",
      "--no-ext-diff",
      "--no-relative",
      "--name-status",
      "--no-renames",
      "-z",
    ];
    const parts = (await repository.text([...args, fork, "--"])).split("\0");
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [status, file = ""] = parts.slice(at, at + 2);
      paths.add(file);
      if (status === "D") gone.add(file);
    }
  }
  const added = await repository.text(["ls-files", "--others", "--exclude-standard", "--full-name", "-z"]);
  for (const file of added.split("\0")) if (file !== "") paths.add(file);
  const isMain = (file: string) => mainFiles.some((name) => path.posix.basename(file) === name);
  const below = repository.prefix === "" ? "" : `${repository.prefix}/`;
  const isLeft = (file: string) =>
    mainFiles.some((name) => {
      const other = path.posix.join(path.posix.dirname(file), name);
      return paths.has(other) && !gone.has(other);
    });
  const deletedProjects = [...gone]
    .filter((file) => isMain(file) && file.startsWith(below) && !isLeft(file))
    .map((file) => file.slice(below.length))
    .toSorted();
  return { repository, cwd, base, forks, paths: [...paths], gone: [...gone], deletedProjects };
}

/** Whether any input of a project differs. `projects`: the main files of all. */
export async function isChanged(
  { repository, cwd, forks, paths, gone }: ChangedFiles,
  { file, files, named, hasFunctions }: ProjectInputs,
  projects: readonly string[],
): Promise<boolean> {
  const inRepository = (name: string) => path.posix.join(repository.prefix, name);
  const folder = inRepository(path.posix.dirname(file));
  if (hasFunctions || files.some(isCode)) {
    // What code imports, nobody lists: whatever is not another project's counts.
    const others = projects.map((other) => inRepository(path.posix.dirname(other)));
    const isOther = (changed: string) => others.some((other) => isIn(changed, other) && !isIn(folder, other));
    return paths.some((changed) => !isOther(changed));
  }
  const inputs = new Set([...files, ...named].map((name) => path.posix.join(folder, name)));
  // A link may lead to what has changed.
  for (const name of files) {
    const real = await realpath(path.join(repository.root, folder, name)).catch(() => undefined);
    if (real) inputs.add(path.relative(repository.root, real).split(path.sep).join("/"));
  }
  if (paths.some((changed) => inputs.has(changed))) return true;
  const lost = gone.filter((one) => isIn(one, folder));
  if (lost.length === 0) return false;
  const absolute = path.resolve(cwd, path.dirname(file));
  for (const fork of forks) {
    const tree = await commitTree(repository, fork, folder === "." ? "" : folder, absolute);
    const reading = { cwd: absolute, tree, file: path.basename(file) };
    const { manifest } = await readAllFromGit(tree, () => loadBase("the base", reading));
    const before = new Set(manifest?.files.map((name) => path.posix.join(folder, name)));
    if (!manifest || lost.some((one) => before.has(one))) return true;
  }
  return false;
}

function isIn(file: string, folder: string): boolean {
  return folder === "." || folder === file || file.startsWith(`${folder}/`);
}
