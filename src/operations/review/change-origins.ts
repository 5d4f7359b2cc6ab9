import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { GitError, isShallow, openRepository, type Repository } from "../../base/git/index.js";
import { type CommittedProject, loadCommitted, openCommitTree } from "../../core/history/index.js";
import { digestValue } from "../../core/kinds/index.js";
import { type Declaration, mainFiles } from "../../core/manifest/index.js";
import { isExec } from "../../core/secrets/index.js";
import type { RecordedPullRequest } from "../../core/state/index.js";
import type { BaseComparison } from "../../output/render/index.js";
import { HostError, type PullRequest } from "../../review/hosts/index.js";
import { findInputs, type IsTracked } from "../plan/repository-values.js";
import { withRepositoryHost } from "../project/code-host.js";
import { hasCode, type Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ApprovalCheck, toRecordedPullRequest } from "./approvals.js";
import {
  findPullRequestsSince,
  type LastApply,
  listCommitsSince,
  listUniquePullRequests,
  type MergedCommits,
  readLastApply,
} from "./last-apply.js";
import type { MergedChange } from "./merged-pull-request.js";

/*
 * A change comes from the pull requests that changed the object's declaration on the branch since the last apply.
 * Declarations are compared instead of files, because several objects can share a file.
 */

/** Pull requests that a change came from. */
export interface ChangeOrigin {
  /** Pull requests, oldest first. */
  readonly pulls: readonly PullRequest[];
  /** Whether the change came from all of these pull requests. Otherwise, it came from at least one of them. */
  readonly isKnown: boolean;
}

export type ChangeOrigins = ReadonlyMap<string, ChangeOrigin>;

/** Maximum number of commits whose files are compared. */
const maxSteps = 20;

/**
 * Finds change origins, by address.
 *
 * @param findReviewed Finds the pull requests whose reviews show a change. Used if declarations in old commits cannot
 * be compared, for example because old code is not run.
 */
export async function findOrigins(
  past: LastApply,
  project: Project,
  merged: MergedCommits,
  addresses: readonly string[],
  findReviewed?: (address: string) => readonly PullRequest[] | undefined,
): Promise<ChangeOrigins> {
  const { commits, isKnown } = await listCommitsSince(past, project);
  const steps = await readSteps(past.git, project, commits);
  const isMerged = isKnown && commits.every((commit) => merged.get(commit)?.length);
  const origins = new Map<string, ChangeOrigin>();
  for (const address of addresses) {
    if (!steps) {
      const reviewed = isMerged ? findReviewed?.(address) : undefined;
      const pulls = reviewed ?? listUniquePullRequests(merged);
      origins.set(address, { pulls, isKnown: reviewed !== undefined });
      continue;
    }
    const applied = past.applied.get(address);
    const since = applied && (await listCommitsSince({ git: past.git, complete: applied }, project));
    const own = steps.filter(
      ({ before, after, commits: those }) =>
        (!since?.isKnown || those.some((commit) => since.commits.includes(commit))) &&
        !isDeepStrictEqual(before.get(address), after.get(address)),
    );
    // If every step adds or removes the whole object, the change has no other origin.
    const isWhole = own.every(({ before, after }) => !before.has(address) || !after.has(address));
    const isOne = own.every(({ commits: those }) => those.length === 1);
    const found = own.flatMap(({ commits: those }) => those.flatMap((commit) => merged.get(commit) ?? []));
    const pulls = [...new Set(found)];
    const isCertain = isOne && (isKnown || since?.isKnown === true || isWhole);
    origins.set(address, { pulls, isKnown: isCertain });
  }
  return origins;
}

/**
 * Finds the pull requests for changes that were applied without a review. Returns none, with a warning, if the code
 * host or git fails.
 *
 * @param onFound Called with the pull requests that certainly contain a change.
 */
export async function findPullRequests(
  runtime: Runtime,
  project: Project,
  { target }: MergedChange,
  addresses: readonly string[],
  onFound: (pulls: readonly PullRequest[]) => void,
): Promise<readonly RecordedPullRequest[]> {
  try {
    return await withRepositoryHost(runtime, target.run.host, async (host) => {
      const past = await readLastApply(runtime, project);
      const merged = await findPullRequestsSince(host, past, project, target.branch);
      const origins = await findOrigins(past, project, merged, addresses);
      onFound(
        listUniquePullRequests(merged).filter((pull) => listChangesFrom(origins, pull, true).length > 0),
      );
      return recordPullRequests(merged, origins);
    });
  } catch (error) {
    if (!(error instanceof HostError || error instanceof GitError) || runtime.signal.aborted) throw error;
    runtime.output.warn(`Cannot record the pull requests of these changes. ${error.message}`);
    return [];
  }
}

/** Returns the pull requests to record: those that contain a change, and those that contributed approvals. */
export function recordPullRequests(
  merged: MergedCommits,
  origins: ChangeOrigins,
  approvals: ReadonlyMap<PullRequest, ApprovalCheck> = new Map(),
): readonly RecordedPullRequest[] {
  const named = new Set([...[...origins.values()].flatMap(({ pulls }) => pulls), ...approvals.keys()]);
  const pulls = listUniquePullRequests(merged).filter((pull) => named.has(pull));
  return pulls.map((pull) => {
    const { required, approvers } = approvals.get(pull) ?? {};
    const possible = listChangesFrom(origins, pull, false);
    return {
      ...toRecordedPullRequest(pull),
      ...(required !== undefined && { required }),
      ...(approvers && { approvers }),
      changes: listChangesFrom(origins, pull, true),
      ...(possible.length > 0 && { possible }),
    };
  });
}

function listChangesFrom(origins: ChangeOrigins, pull: PullRequest, isKnown: boolean): string[] {
  return [...origins].flatMap(([address, origin]) =>
    origin.isKnown === isKnown && origin.pulls.includes(pull) ? [address] : [],
  );
}

/**
 * Returns the objects whose declaration the reviewed change does not touch. Changes planned for them come from the
 * base, which has not been fully applied.
 *
 * @returns an empty set if git fails or the files cannot be read.
 */
export async function findFromBase(
  runtime: Runtime,
  project: Project,
  base: BaseComparison | undefined,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const { host, signal } = runtime;
  const isUnknown = !base || base.problem !== undefined || project.untrusted || hasCode(project);
  if (isUnknown || addresses.length === 0) return new Set();
  try {
    const git = await openRepository({ folder: project.root, environment: host.environment, signal });
    const [head, before] = [await git.readHead(), await readDeclared(git, project, base.commit)];
    const after = head === undefined ? undefined : await readDeclared(git, project, head);
    if (!before || !after) return new Set();
    return new Set(addresses.filter((address) => isDeepStrictEqual(before.get(address), after.get(address))));
  } catch (error) {
    if (!(error instanceof GitError) || signal.aborted) throw error;
    return new Set();
  }
}

/** An object's declaration in a commit. */
export interface CommittedDeclaration
  extends Pick<Declaration, "sources" | "spec" | "references" | "versions"> {
  readonly settings: object;
  /** Digests of the files and folders that the object's secret sources read. */
  readonly values: readonly string[];
  /** Whether a secret source reads tracked files outside the project folder. */
  readonly readsOutside: boolean;
}

export type CommittedDeclarations = ReadonlyMap<string, CommittedDeclaration>;

/** Declarations before and after a commit, or around several commits if the files in between cannot be read. */
interface CommitStep {
  readonly commits: readonly string[];
  readonly before: CommittedDeclarations;
  readonly after: CommittedDeclarations;
}

/**
 * Reads the declarations at commits. Returns undefined for projects in code, for too many commits, or if a shallow
 * clone lacks the first commit's parent.
 */
async function readSteps(
  git: Repository,
  project: Project,
  commits: readonly string[],
): Promise<readonly CommitStep[] | undefined> {
  const [first] = commits;
  if (first === undefined) return [];
  if (hasCode(project) || commits.length > maxSteps) return undefined;
  const parents = (await git.readText(["rev-list", "--parents", "--max-count=1", first])).trim().split(" ");
  const [, parent] = parents;
  if (parent === undefined && (await isShallow(git))) return undefined;
  let before: CommittedDeclarations | undefined =
    parent === undefined ? new Map() : await readDeclared(git, project, parent);
  if (!before) return undefined;
  const steps: CommitStep[] = [];
  let unread: string[] = [];
  for (const commit of commits) {
    const after = await readDeclared(git, project, commit);
    unread.push(commit);
    if (!after) continue;
    steps.push({ commits: unread, before, after });
    before = after;
    unread = [];
  }
  return unread.length === 0 ? steps : undefined;
}

/** Reads a commit's declarations by address, or returns undefined if its files cannot be read. */
export async function readDeclared(
  git: Repository,
  { file, environment }: Project,
  commit: string,
): Promise<CommittedDeclarations | undefined> {
  const committed = await loadCommitted(git, { commit, folder: git.prefix, file, environment });
  if (!committed) return undefined;
  const { manifest, tree } = committed;
  if (!manifest)
    return [file, ...mainFiles].some((name) => tree.files.includes(name)) ? undefined : new Map();
  const inputs = await openInputs(git, commit, committed, manifest.declarations);
  return new Map(
    manifest.declarations.map((declaration) => {
      const { address, sources, spec, references, versions } = declaration;
      const { protect, onRemoval, onRotation, id, stock } = declaration;
      const names = Object.values(sources).flatMap((source) => inputs.list(source));
      const values = names.map((name) => inputs.digest(name));
      const readsOutside = names.some((name) => inputs.isOutside(name));
      const settings = { protect, onRemoval, onRotation, id, stock };
      return [address, { sources, spec, references, versions, settings, values, readsOutside }];
    }),
  );
}

type Source = Declaration["sources"][string];

/** Files that secret sources read in a commit. */
interface Inputs {
  /** Lists the tracked files and folders that a source names, and programs in its command that read tracked files. */
  list(source: Source): readonly string[];
  digest(name: string): string;
  /** Returns whether a file is outside the project folder. */
  isOutside(name: string): boolean;
}

async function openInputs(
  git: Repository,
  commit: string,
  project: Pick<CommittedProject, "tree" | "root">,
  declarations: readonly Declaration[],
): Promise<Inputs> {
  const hasCommand = declarations.some(({ sources }) => Object.values(sources).some(isExec));
  // A command can read files anywhere in the repository.
  const isWhole = hasCommand && git.prefix !== "";
  const root = isWhole ? path.join(project.root, git.prefix) : project.root;
  const tree = isWhole ? await openCommitTree(git, commit, "", project.root) : project.tree;
  const find = (name: string) => tree.findObjects(path.resolve(root, name));
  const isTracked: IsTracked = (name) => {
    const found = find(name);
    if (found === undefined) return undefined;
    return typeof found === "string" ? "file" : "folder";
  };
  return {
    list(source) {
      if (isExec(source)) return [...findInputs(source.command, isTracked)];
      return Object.values(source).filter(
        (value): value is string => typeof value === "string" && isTracked(value) === "file",
      );
    },
    // A program such as `make` reads files that the command does not name.
    digest: (name) => digestValue(find(name) ?? find(".") ?? []),
    isOutside: (name) =>
      isTracked(name) !== undefined && path.relative(root, path.resolve(root, name)).startsWith(".."),
  };
}
