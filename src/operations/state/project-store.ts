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
import { visible } from "../../output/render/index.js";
import { assertTrustedJob } from "../project/trusted-job.js";
import { allowsCode, readAllowedHosts, refuseReadOnly } from "../runtime/access.js";
import { readActor } from "../runtime/actor.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { identifyProject, warnOfOtherProject } from "./project-identity.js";

type StoredProject = Pick<Project, "root" | "state" | "environment" | "untrusted">;

/** The store of a project's state. Reading the state of another project gives a warning. */
export function openProjectStore(runtime: Runtime, manifest: StoredProject): Store {
  const store = openUnchecked(runtime, manifest);
  return {
    ...store,
    async read() {
      const snapshot = await store.read();
      await warnOfOtherProject(runtime, manifest, snapshot?.state);
      return snapshot;
    },
  };
}

/** The same without that warning. */
export function openUnchecked(runtime: Runtime, manifest: StoredProject): Store {
  const { untrusted } = manifest;
  if (untrusted?.state !== undefined) return openFixedStore(stateLocation(manifest), untrusted.state);
  return openStore(stateLocation(manifest), {
    ...storeEnvironment(runtime, manifest.root),
    // A fork could learn from it, or plant what it wants to be believed.
    ...(untrusted && { cache: undefined }),
    isOfBase: untrusted?.isOfBase,
  });
}

/** The state of a project, without its lock; undefined if nothing is managed yet. */
export async function readState(runtime: Runtime, manifest: StoredProject): Promise<State | undefined> {
  return (await openProjectStore(runtime, manifest).read())?.state;
}

/**
 * Reads the state before asking whether to write: fails as taking the lock would.
 *
 * @throws StateError `other-project`
 */
export async function readForWriting(
  runtime: Runtime,
  manifest: StoredProject,
): Promise<Snapshot | undefined> {
  const snapshot = await openUnchecked(runtime, manifest).read();
  const recorded = snapshot?.state.project;
  assertSameProject(
    stateLocation(manifest),
    recorded,
    await identifyProject(runtime, manifest, { recorded, writes: true }),
  );
  return snapshot;
}

/**
 * Removes the lock of a project's state; with `force` also that of another project's.
 *
 * @throws StateError `other-project`; LockedError
 */
export async function unlockState(
  runtime: Runtime,
  manifest: Manifest,
  options: UnlockOptions & { readonly force: boolean },
): Promise<Holder | undefined> {
  refuseReadOnly(runtime);
  const store = openProjectStore(runtime, manifest);
  await (options.force ? store.read() : readForWriting(runtime, manifest)).catch((error: unknown) => {
    if (!(error instanceof StateError) || error.code === "other-project") throw error;
    runtime.output.warn(`The state could not be read to check its project. ${error.message}`);
  });
  // Some stores show a lock only to a run that tries to take it.
  return runtime.releasing(() => store.unlock(options));
}

/** What a store needs to know of this machine and project. */
export function storeEnvironment(
  runtime: Runtime,
  root: string,
): StoreEnvironment & { readonly root: string } {
  const { host, output, signal } = runtime;
  return {
    root,
    allowCode: allowsCode(runtime),
    ...host.identify?.(),
    environment: host.environment,
    hosts: readAllowedHosts(runtime),
    system: host,
    pid: host.pid,
    host: host.hostname,
    hasEnded: host.hasEnded,
    patienceMs: host.waits?.storeMs,
    signal,
    cache: host.observations ?? openFolderCache(() => findCacheFolder(host.environment)),
    onOutage: (patienceMs) =>
      output.info(`The state does not answer: trying again for up to ${Math.ceil(patienceMs / 1_000)} s.`),
    ...host.outside?.store,
  };
}

/** Where a project's state is: the absolute path of its file, or a URL. */
export function stateLocation({ root, state }: Pick<Manifest, "root" | "state">): string {
  return readScheme(state) === undefined ? path.join(root, state) : state;
}

/**
 * Holds the lock of a project's state while `work` runs; waits for it up to `--lock-timeout`.
 *
 * @throws LockedError if another run holds it longer; StateError `other-project`, unless `ofAnyProject`.
 */
export async function withLock<Result>(
  runtime: Runtime,
  manifest: Manifest,
  command: string,
  work: (session: StateWriter) => Promise<Result>,
  { ofAnyProject = false }: { readonly ofAnyProject?: boolean } = {},
): Promise<Result> {
  return runtime.releasing(async () => {
    const options = lockOptions(runtime, manifest, command);
    await assertTrustedJob(runtime);
    const checked = ofAnyProject ? { ...options, project: undefined } : options;
    const session = await openProjectStore(runtime, manifest).lock(checked);
    try {
      return await work(session);
    } finally {
      await session.release();
    }
  });
}

/** Says that the state of a plan may be about to change. */
export function reportLock({ output }: Runtime, snapshot: Snapshot | undefined): void {
  const { lockedBy, unreadableLock } = snapshot ?? {};
  if (lockedBy)
    output.info(`An apply may be running: the state is locked by \`${visible(lockedBy.command)}\`.`);
  if (unreadableLock !== undefined)
    output.warn(
      `An apply may be running: ${unreadableLock} cannot be read. \`avatarops state unlock\` shows what it contains.`,
    );
}

/** How a command takes a lock. @throws UsageError where nothing may be written */
export function lockOptions(runtime: Runtime, manifest: Manifest, command: string): LockOptions {
  refuseReadOnly(runtime);
  return {
    command: `avatarops ${command}`,
    facts: () => readFacts(runtime, manifest, command),
    project: (recorded) => identifyProject(runtime, manifest, { recorded, writes: true }),
    timeoutMs: runtime.options.lockTimeout ?? 0,
    requestTimeoutMs: manifest.service.timeoutMs ?? defaultTimeoutMs,
    signal: runtime.signal,
    onWait: (holder) =>
      runtime.output.info(
        `Waiting: the state is locked by ${holder ? `\`${visible(holder.command)}\`, since ${visible(holder.since)}` : "another run, whose lock cannot be read"}.`,
      ),
    takesOver: runtime.host.takesOverLock,
    onTakenOver: (holder) =>
      runtime.output.warn(
        `Took over the lock of ${describeHolder(holder)}, which had stopped writing. Its open writes are looked up.`,
      ),
    onUnreleased: ({ message }, isRecorded) =>
      runtime.output.warn(
        `${isRecorded ? "Every outcome is recorded, but the state lock could not be released" : "The state lock could not be released"}. ${message} Then remove the lock with \`avatarops state unlock\`.`,
      ),
    onRecordMissing: ({ message }, serial) =>
      runtime.output.warn(
        `The state has every outcome of this ${command}, but its history lacks the record of serial ${serial}. ${message}`,
      ),
  };
}

/** What the record of a commit says of the operation. Loaded when something is recorded. */
async function readFacts(runtime: Runtime, manifest: Manifest, command: string): Promise<CommitFacts> {
  const { host } = runtime;
  if (host.outside?.facts) return { ...host.outside.facts, command: `avatarops ${command}` };
  const { readDefinitions } = await import("../../core/history/index.js");
  // Without the signal: what was done is recorded completely even if the user stops the rest.
  const git = { environment: host.environment, timeoutMs: 10_000 };
  const reading = readActor(manifest.root, host);
  const reported = readDefinitions(manifest, git).catch((error: unknown) =>
    warnOfMissingCommit(runtime, error),
  );
  const [definitions, by] = await Promise.all([reported, reading]);
  return { command: `avatarops ${command}`, by, definitions };
}

/** An apply does not fail for it, but later ones cannot tell which checkouts contain its commit. */
export function warnOfMissingCommit({ output }: Runtime, error: unknown): undefined {
  if (!(error instanceof GitError)) throw error;
  output.warn(`The commit of these files is not recorded: git cannot tell it. ${error.message}`);
}
