import path from "node:path";
import { readScheme } from "../../base/files/index.js";
import { GitError } from "../../base/git/index.js";
import { defaultTimeoutMs } from "../../core/api/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import {
  assertSameProject,
  type CommitFacts,
  describeHolder,
  findCacheFolder,
  type Holder,
  type LockOptions,
  openFixedStore,
  openFolderCache,
  openStore,
  type Snapshot,
  type State,
  StateError,
  type StateWriter,
  type Store,
  type StoreEnvironment,
  type UnlockOptions,
} from "../../core/state/index.js";
import { makeVisible } from "../../output/render/index.js";
import { assertTrustedJob } from "../project/trusted-job.js";
import { allowsCode, assertWritable, readAllowedHosts } from "../runtime/access.js";
import { readActor } from "../runtime/actor.js";
import type { Project } from "../runtime/project.js";
import { getGitSettingsCache, type Runtime } from "../runtime/runtime.js";
import { identifyProject, warnOfOtherProject } from "./project-identity.js";

type StoredProject = Pick<Project, "root" | "state" | "environment" | "untrusted">;

/** Opens a project's state store. Warns when another project's state is read. */
export function openProjectStore(runtime: Runtime, manifest: StoredProject): Store {
  const store = openUncheckedStore(runtime, manifest);
  return {
    ...store,
    async read() {
      const snapshot = await store.read();
      await warnOfOtherProject(runtime, manifest, snapshot?.state);
      return snapshot;
    },
  };
}

/** Opens a project's state store, but does not warn about another project's state. */
export function openUncheckedStore(runtime: Runtime, manifest: StoredProject): Store {
  const { untrusted } = manifest;
  if (untrusted?.state !== undefined) return openFixedStore(getStateLocation(manifest), untrusted.state);
  return openStore(getStateLocation(manifest), {
    ...buildStoreEnvironment(runtime, manifest.root),
    // A fork could read the cache or put false observations into it.
    ...(untrusted && { cache: undefined }),
    isOfBase: untrusted?.existsInBase,
  });
}

/** Reads a project's state without its lock. Returns undefined if nothing is managed yet. */
export async function readState(runtime: Runtime, manifest: StoredProject): Promise<State | undefined> {
  return (await openProjectStore(runtime, manifest).read())?.state;
}

/**
 * Reads the state before a confirmation. Fails early if the state belongs to another project.
 *
 * @throws StateError `other-project`
 */
export async function readForWriting(
  runtime: Runtime,
  manifest: StoredProject,
): Promise<Snapshot | undefined> {
  const snapshot = await openUncheckedStore(runtime, manifest).read();
  const recorded = snapshot?.state?.project;
  assertSameProject(
    getStateLocation(manifest),
    recorded,
    await identifyProject(runtime, manifest, { recorded, writes: true }),
  );
  return snapshot;
}

/**
 * Removes a project's state lock. `force` also removes it if the state belongs to another project.
 *
 * @throws StateError `other-project`; LockedError
 */
export async function unlockState(
  runtime: Runtime,
  manifest: Manifest,
  options: UnlockOptions & { readonly force: boolean },
): Promise<Holder | undefined> {
  assertWritable(runtime);
  const store = openProjectStore(runtime, manifest);
  await (options.force ? store.read() : readForWriting(runtime, manifest)).catch((error: unknown) => {
    if (!(error instanceof StateError) || error.code === "other-project") throw error;
    runtime.output.warn(`The state could not be read to check its project. ${error.message}`);
  });
  // Unlocks even if no lock was found, because some stores show a lock only to a run that tries to take it.
  return runtime.runCleanup(() => store.unlock(options));
}

/** Builds the store environment from the machine and the project. */
export function buildStoreEnvironment(
  runtime: Runtime,
  root: string,
): StoreEnvironment & { readonly root: string } {
  const { host, output, signal } = runtime;
  return {
    root,
    gitSettings: getGitSettingsCache(runtime),
    allowCode: allowsCode(runtime),
    ...host.identify?.(),
    environment: host.environment,
    hosts: readAllowedHosts(runtime),
    system: host,
    pid: host.pid,
    host: host.hostname,
    hasHoldEnded: host.hasHoldEnded,
    patienceMs: host.waits?.storeMs,
    signal,
    cache: host.observations ?? openFolderCache(() => findCacheFolder(host.environment)),
    onOutage: (patienceMs) =>
      output.info(`The store does not respond. Retrying for up to ${Math.ceil(patienceMs / 1_000)} s.`),
    ...host.outside?.store,
  };
}

/** Returns the location of a project's state: an absolute path or a URL. */
export function getStateLocation({ root, state }: Pick<Manifest, "root" | "state">): string {
  return readScheme(state) === undefined ? path.resolve(root, state) : state;
}

/**
 * Runs `work` under a project's state lock. Waits for the lock up to `--lock-timeout`.
 *
 * @throws LockedError if another run owns the lock for longer; StateError `other-project`, unless `isOfAnyProject`.
 */
export async function withLock<Result>(
  runtime: Runtime,
  manifest: Manifest,
  command: string,
  work: (session: StateWriter) => Promise<Result>,
  { isOfAnyProject = false }: { readonly isOfAnyProject?: boolean } = {},
): Promise<Result> {
  return runtime.runCleanup(async () => {
    const options = buildLockOptions(runtime, manifest, command);
    await assertTrustedJob(runtime);
    const checked = isOfAnyProject ? { ...options, project: undefined } : options;
    const session = await openProjectStore(runtime, manifest).lock(checked);
    try {
      return await work(session);
    } finally {
      await session.release();
    }
  });
}

/** Returns whether the lock of this holder still blocks the command. */
export async function isLockedBy(
  runtime: Runtime,
  manifest: Manifest,
  command: string,
  holder: Holder | undefined,
): Promise<boolean> {
  const store = openUncheckedStore(runtime, manifest);
  const blocking = await store.findBlockingLock(buildLockOptions(runtime, manifest, command));
  return blocking !== undefined && blocking.holder?.id === holder?.id;
}

/** Reports a lock, because the state used for a plan may be about to change. */
export function reportLock({ output }: Runtime, snapshot: Snapshot | undefined): void {
  const { lockedBy, unreadableLock } = snapshot ?? {};
  if (lockedBy)
    output.info(`The state is locked by \`${makeVisible(lockedBy.command)}\`, so an apply may be running.`);
  if (unreadableLock !== undefined)
    output.warn(
      `${unreadableLock} cannot be read, so an apply may be running. \`avatarops state unlock\` shows its content.`,
    );
}

/** Returns a command's lock options. @throws UsageError in a read-only environment */
export function buildLockOptions(runtime: Runtime, manifest: Manifest, command: string): LockOptions {
  assertWritable(runtime);
  return {
    command: `avatarops ${command}`,
    collectFacts: () => readFacts(runtime, manifest, command),
    project: (recorded) => identifyProject(runtime, manifest, { recorded, writes: true }),
    timeoutMs: runtime.options.lockTimeout ?? 0,
    requestTimeoutMs: manifest.service.timeoutMs ?? defaultTimeoutMs,
    signal: runtime.signal,
    onWait: (holder) =>
      runtime.output.info(
        holder
          ? `Waiting, because the state has been locked by \`${makeVisible(holder.command)}\` since ${makeVisible(holder.since)}.`
          : "Waiting, because another run holds the state's lock. The lock's content cannot be read.",
      ),
    takesOver: runtime.host.takesOverLock,
    onTakenOver: (holder) =>
      runtime.output.warn(
        `Took over the lock from ${describeHolder(holder)}, which had stopped writing. Its unfinished writes are checked next.`,
      ),
    onUnreleased: ({ message }, isRecorded) =>
      runtime.output.warn(
        isRecorded
          ? `Every outcome is recorded, but the state lock could not be released. ${message} Then remove the lock with \`avatarops state unlock\`.`
          : "The state lock could not be released. Remove it with `avatarops state unlock` when the store responds again.",
      ),
    onRecordMissing: ({ message }, serial) =>
      runtime.output.warn(
        `The state contains every outcome of this ${command}, but the record of serial ${serial} is missing from its history. ${message}`,
      ),
  };
}

/** Reads the facts about the operation for a record. */
async function readFacts(runtime: Runtime, manifest: Manifest, command: string): Promise<CommitFacts> {
  const { host } = runtime;
  if (host.outside?.facts) return { ...host.outside.facts, command: `avatarops ${command}` };
  const { readDefinitions } = await import("../../core/history/index.js");
  // Ignores cancellation, so that finished writes are recorded completely.
  const git = { environment: host.environment, timeoutMs: 10_000 };
  const reading = readActor(runtime, manifest.root);
  const reported = readDefinitions(manifest, git).catch((error: unknown) =>
    warnOfMissingCommit(runtime, error),
  );
  const [definitions, by] = await Promise.all([reported, reading]);
  return { command: `avatarops ${command}`, by, definitions };
}

/**
 * Warns about an unreadable commit. The apply continues, but later runs cannot tell which checkouts contain its commit.
 */
export function warnOfMissingCommit({ output }: Runtime, error: unknown): undefined {
  if (!(error instanceof GitError)) throw error;
  output.warn(`The commit of these files is not recorded, because git cannot read it. ${error.message}`);
}
