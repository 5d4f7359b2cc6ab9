import { existsSync, realpathSync, statSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isInside, readScheme } from "../../base/files/index.js";
import {
  fetchQuietly,
  GitError,
  ignoreGitFailure,
  isAncestor,
  isShallow,
  isSubmodule,
  mergeCommits,
  openRepository,
  type Repository,
  resolveCommit,
} from "../../base/git/index.js";
import { listNames } from "../../base/text/index.js";
import { findRepository, readDefinitions } from "../../core/history/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { isExec, type ValueSource } from "../../core/secrets/index.js";
import type { BaseComparison } from "../../output/render/index.js";
import { findInputs } from "../plan/repository-values.js";
import { readRemoteTip } from "../project/applied-branch.js";
import { linkPackages } from "../project/link-packages.js";
import { loadFiles } from "../project/open-project.js";
import { hasCode } from "../runtime/project.js";
import { createQuietReporter, type Runtime } from "../runtime/runtime.js";
import { listBasesInCi } from "../untrusted/base-in-ci.js";
import { findBase } from "../untrusted/load.js";

/*
 * If a branch lacks commits of its base, its plan would revert them. So the plan is made from a merge of both: in a
 * separate work tree, or for an untrusted change, from the git objects of the merge commit. This plan is the same for
 * every merge method.
 */

/** Tips of base branches, by repository and branch. Shared by all projects, so that the remote is read once. */
export type BaseTips = Map<string, Promise<string | undefined>>;

/**
 * Runs `use` on the project merged with its base. If the merge fails, runs `use` on the change alone, with the problem.
 */
export async function withMergedBase<Result>(
  runtime: Runtime,
  { branch, tips }: { readonly branch: string | undefined; readonly tips: BaseTips },
  use: (runtime: Runtime, base?: BaseComparison) => Promise<Result>,
): Promise<Result> {
  const { host, options, signal } = runtime;
  const folder = host.resolve(path.dirname(options.file ?? ""));
  const repository = await findRepository(folder, { environment: host.environment, signal });
  const head = await repository?.readHead();
  if (!repository || head === undefined || isSubmodule(repository)) return use(runtime);
  const key = `${repository.root} ${branch}`;
  const asked = tips.get(key) ?? findTip(runtime, repository, branch);
  tips.set(key, asked);
  const base = await asked;
  if (base === undefined) return use(runtime);
  const facts = { name: branch ?? base.slice(0, 10), commit: base };
  if (await isAncestor(repository, base, head)) return use(runtime, { ...facts, behind: 0 });
  const lacks = await deepen(repository, branch);
  // The fetched commits may show that the branch already contains its base.
  if (await isAncestor(repository, base, head)) return use(runtime, { ...facts, behind: 0 });
  if (lacks) return use(runtime, { ...facts, problem: shallow });
  const commits = Number(await repository.readText(["rev-list", "--count", `${head}..${base}`]));
  const behind = { ...facts, behind: commits };
  const project = options.untrusted ? undefined : await loadCommitted(runtime);
  const merge = project === null ? { problem: modified } : await tryMerge(repository, head, base);
  if ("problem" in merge) return use(runtime, { ...behind, problem: merge.problem });
  if (!project) return use({ ...runtime, head: merge.commit, options: { ...options, base } }, behind);
  return withWorkTree(runtime, repository, { ...merge, project }, (merged) => use(merged, behind));
}

const shallow =
  "this clone is shallow, and the missing commits could not be fetched (in CI, set `fetch-depth: 0`)";
const modified = "project files have errors or differ from the checked-out commit";

/** Finds the current tip of the branch on the remote. For an untrusted change, finds its trusted base instead. */
async function findTip(
  runtime: Runtime,
  repository: Repository,
  branch: string | undefined,
): Promise<string | undefined> {
  if (runtime.options.untrusted) return findBase(runtime, repository).catch(() => undefined);
  if (branch === undefined) return undefined;
  try {
    return await readRemoteTip(repository, branch);
  } catch (error) {
    ignoreGitFailure(error);
    runtime.output.warn(
      `The base branch could not be read from origin, so the local copy is used. It may be outdated. ${(error as Error).message}`,
    );
  }
  for (const candidate of [...listBasesInCi(runtime.host), `refs/remotes/origin/${branch}`]) {
    const found = await resolveCommit(repository, candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fetches the full history into a shallow clone, and returns whether the clone is still shallow. */
async function deepen(repository: Repository, branch: string | undefined): Promise<boolean> {
  if (!(await isShallow(repository))) return false;
  const ref = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  const how = ["--unshallow", "--filter=blob:none"];
  await fetchQuietly(repository, "origin", [ref], how).catch(ignoreGitFailure);
  return isShallow(repository);
}

/** Loads the project. Returns null if the project has errors or its files differ from the commit. */
async function loadCommitted(runtime: Runtime): Promise<Manifest | null> {
  const { manifest } = await loadFiles({ ...runtime, output: createQuietReporter() }, { judges: false });
  const definitions =
    manifest &&
    (await readDefinitions(manifest, { environment: runtime.host.environment }).catch(ignoreGitFailure));
  return manifest && definitions?.modified === false ? manifest : null;
}

async function tryMerge(
  repository: Repository,
  head: string,
  base: string,
): Promise<{ readonly commit: string } | { readonly problem: string }> {
  try {
    const merge = await mergeCommits(repository, head, base);
    if ("commit" in merge) return merge;
    const files = listNames(merge.conflicts.map((file) => `\`${file}\``));
    return { problem: `both sides changed the same lines in ${files}` };
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
    const isOld = error.code === "git-too-old";
    return { problem: isOld ? "merging needs git 2.38 or later" : "git could not merge the commits" };
  }
}

/** Runs `use` in a temporary work tree of a commit. */
export async function withWorkTree<Result>(
  runtime: Runtime,
  repository: Repository,
  { commit, project }: { readonly commit: string; readonly project: Manifest },
  use: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  const { host, options, signal } = runtime;
  const temporary = await mkdtemp(path.join(tmpdir(), "avatarops-merge-"));
  const root = path.join(temporary, path.basename(repository.root));
  try {
    await repository.run(["worktree", "add", "--quiet", "--detach", "--no-checkout", root, commit]);
    const tree = await openRepository({ folder: root, environment: host.environment, signal });
    // The project's code and the commands of its secret sources may read files anywhere in the repository.
    const whole = hasCode(project) || listSources(project).some(isExec);
    const { prefix } = repository;
    await tree.run(["checkout", "--quiet", commit, "--", whole || prefix === "" ? "." : prefix]);
    await linkPackages(repository, root);
    const there = path.join(root, prefix);
    await copyState(project, there);
    await copySecretFiles(repository, project, there);
    // Keeps displayed paths relative to the same folder.
    const folder = host.resolve(path.dirname(options.file ?? ""));
    const cwd = path.join(there, path.relative(folder, host.cwd));
    const file = options.file && path.join(path.relative(host.cwd, folder), path.basename(options.file));
    return await use({ ...runtime, host: { ...host, cwd }, options: { ...options, file } });
  } finally {
    await repository.run(["worktree", "remove", "--force", root], { signal: null }).catch(() => undefined);
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Copies an uncommitted state file, such as one created earlier in the CI job. */
async function copyState({ root, state }: Manifest, to: string): Promise<void> {
  const ofState = readScheme(state) === undefined ? [state, `${state}.history`] : [];
  for (const file of ofState) {
    const [source, target] = [path.join(root, file), path.join(to, file)];
    if (!existsSync(source) || existsSync(target)) continue;
    await mkdir(path.dirname(target), { recursive: true });
    await cp(source, target, { recursive: true });
  }
}

function listSources({ declarations }: Manifest): ValueSource[] {
  return declarations.flatMap(({ sources }) => Object.values(sources));
}

/** Copies the untracked files in the project folder that secret sources name, such as a key in `.gitignore`. */
async function copySecretFiles(repository: Repository, project: Manifest, to: string): Promise<void> {
  const [root, target] = [await realpath(project.root), await realpath(to)];
  const isFileInside = (name: string) => {
    const file = path.resolve(root, name);
    return existsSync(file) && isInside(root, realpathSync(file)) && statSync(file).isFile();
  };
  const names = listSources(project).flatMap((source) => {
    if (isExec(source))
      return [...findInputs(source.command, (name) => (isFileInside(name) ? "file" : undefined))];
    return typeof source.path === "string" ? source.path : [];
  });
  const files = [...new Set(names)].filter(isFileInside);
  if (files.length === 0) return;
  const tracked = await repository.readText(["--literal-pathspecs", "ls-files", "-z", "--", ...files]);
  const untracked = files.filter((name) => !tracked.split("\0").includes(path.posix.normalize(name)));
  for (const name of untracked) {
    const copy = path.resolve(target, path.relative(root, path.resolve(root, name)));
    if (existsSync(copy)) continue;
    await mkdir(path.dirname(copy), { recursive: true });
    // A symlink in the commit may lead out of the project.
    if (isInside(target, await realpath(path.dirname(copy)))) await copyFile(path.resolve(root, name), copy);
  }
}
