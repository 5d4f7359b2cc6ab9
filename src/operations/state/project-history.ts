import { UsageError } from "../../base/diagnostics/index.js";
import { type Git, ignoreGitFailure, isShallow, resolveCommit } from "../../base/git/index.js";
import {
  findAppliedCommits,
  findCommitSerial,
  findPastState,
  findRepository,
  isSerial,
  type PastState,
  readHistory,
} from "../../core/history/index.js";
import { type Kind, type ProfileName, parseAddress } from "../../core/kinds/index.js";
import type { State, Store } from "../../core/state/index.js";
import { loadProject } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { showOnce } from "./project-identity.js";
import { openProjectStore, readState } from "./project-store.js";
import { describeNoState } from "./state-changes.js";

export interface ProjectHistory {
  readonly manifest: Project;
  readonly store: Store;
  readonly state: State;
  readonly git: Git | undefined;
}

/**
 * Opens a project's history.
 *
 * @throws UsageError if there is no state.
 */
export async function openHistory(runtime: Runtime, project?: Project): Promise<ProjectHistory> {
  const manifest = project ?? (await loadProject(runtime));
  const state = await readState(runtime, manifest);
  if (!state) throw new UsageError("no-state", describeNoState(manifest));
  return loadHistory(runtime, manifest, state);
}

/** Opens the history of a state that was already read. */
export async function loadHistory(
  runtime: Runtime,
  manifest: Project,
  state: State,
): Promise<ProjectHistory> {
  const { environment } = runtime.host;
  const git = await findRepository(manifest.root, { environment, signal: runtime.signal }).catch(
    (error: unknown) => {
      ignoreGitFailure(error);
      runtime.output.warn(`Texts stored only in commits are not shown. ${(error as Error).message}`);
      return undefined;
    },
  );
  return { manifest, store: openProjectStore(runtime, manifest), state, git };
}

/** Reads the records, newest first. */
export function readRecords({ store, state }: ProjectHistory) {
  return readHistory(store.readHistory(), state);
}

/** Returns the state as of a serial, according to the records. */
export function readStateAt(past: ProjectHistory, serial: number): Promise<PastState> {
  return findPastState(readRecords(past), past.state, serial);
}

/** Returns the ids of objects that were deleted after a serial, according to the records. */
export async function findDeletedSince(past: ProjectHistory, serial: number): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  for await (const item of readRecords(past)) {
    if (item.is !== "record" || !item.own) continue;
    if (item.record.serial <= serial) break;
    for (const { address, action, status, reason } of item.record.results ?? []) {
      // `vanished` means that the object was deleted elsewhere.
      if ((action !== "delete" && reason !== "vanished") || status !== "applied") continue;
      // The address of an undeclared object ends with its id.
      const id = item.record.objects[address]?.before?.id ?? address.slice(address.indexOf(".") + 1);
      deleted.add(id);
    }
  }
  return deleted;
}

/**
 * Converts user input, a serial or a commit, to a serial. For a commit that was never applied, returns the last apply
 * of its nearest applied ancestor.
 *
 * @throws UsageError if there is none.
 */
export async function findSerial(runtime: Runtime, past: ProjectHistory, written: string): Promise<number> {
  if (isSerial(written)) return checkSerial(past, Number(written));
  const isStart = /^[0-9a-f]{4,64}$/i.test(written);
  const direct = isStart ? await findCommitSerial(readRecords(past), written.toLowerCase()) : undefined;
  if (direct && "serial" in direct) return direct.serial;
  if (direct?.problem === "ambiguous-commit")
    throw new UsageError(
      "ambiguous-commit",
      `"${written}" is ambiguous. It matches the commits ${direct.commits.map((id) => id.slice(0, 12)).join(", ")}. Use more characters.`,
    );
  const { git } = past;
  const commit = git && (await resolveCommit(git, written));
  if (!git || commit === undefined)
    throw createUnknownPoint(`"${written}" is neither a serial of the state nor a commit.`);
  const found = await findCommitSerial(readRecords(past), commit);
  if ("serial" in found) return found.serial;
  const contained = await findContainedApply(past, git, commit);
  if (!contained) {
    const why = `The history contains no apply of commit ${commit.slice(0, 10)} or its ancestors.`;
    const isPartial = await isShallow(git);
    throw createUnknownPoint(
      isPartial ? `${why} This clone is shallow, so run \`git fetch --unshallow\` first.` : why,
    );
  }
  showOnce(
    runtime,
    "info",
    `"${written}" was never applied. Its last applied ancestor is serial ${contained.serial}, commit ${contained.commit.slice(0, 10)}.`,
  );
  return contained.serial;
}

/** Finds the last apply of the nearest applied ancestor of a commit. */
async function findContainedApply(
  past: ProjectHistory,
  git: Git,
  of: string,
): Promise<{ readonly commit: string; readonly serial: number } | undefined> {
  const applied = await findAppliedCommits(readRecords(past));
  if (applied.size === 0) return undefined;
  for (const commit of (await git.readText(["rev-list", "--topo-order", of])).split("\n")) {
    const serial = applied.get(commit);
    if (serial !== undefined) return { commit, serial };
  }
  return undefined;
}

function createUnknownPoint(why: string): UsageError {
  return new UsageError("unknown-point", `${why} \`avatarops history\` lists serials and commits.`);
}

function checkSerial({ state }: ProjectHistory, serial: number): number {
  if (serial >= 1 && serial <= state.serial) return serial;
  const known = state.serial === 1 ? "Its only serial is 1" : `Its serials are 1 to ${state.serial}`;
  throw new UsageError("unknown-point", `The state has no serial ${serial}. ${known}.`);
}

/** Returns the kind of an address, with the fields that a profile adds. @throws UsageError */
export function readKind(address: string, profile?: ProfileName): Kind {
  return splitAddress(address, profile).kind;
}

/** Splits an address into kind and key. @throws UsageError */
export function splitAddress(address: string, profile?: ProfileName) {
  const parsed = parseAddress(address, profile);
  if (parsed) return parsed;
  throw new UsageError(
    "unknown-address",
    `${JSON.stringify(address)} is not an address. Use KIND.NAME, such as context.support.`,
  );
}
