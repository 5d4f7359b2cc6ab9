import { listChangesToWrite, type Outcome, type Plan } from "../../src/core/engine/index.js";
import type { Snapshot } from "../../src/core/state/index.js";
import { isStateUnchanged } from "../../src/entrypoints/sync/cycle.js";
import { createIdIssuer, watchLocks } from "../../src/entrypoints/sync/cycle-runtime.js";
import {
  type Agreement,
  createQuietReporter,
  executePlan,
  type GateOptions,
  holdProject,
  holdRolledBack,
  importDeclared,
  makePlan,
  type OperationOptions,
  openProjectStore,
  type Project,
  type Runtime,
  recordProject,
  releaseProject,
  unlockState,
  withService,
} from "../../src/operations/index.js";
import { changeState } from "../../src/operations/state/state-changes.js";
// Loads code early, because loading it during a simulated life takes real time.
import "../../src/core/history/index.js";
import "../../src/operations/plan/last-applied.js";
import "../../src/review/policy/index.js";
import "../../src/sessions/reports/index.js";
import type { Step } from "./life.js";
import type { Process } from "./machine.js";
import { apiKey, origin, type Write } from "./simulated-service.js";
import type { World } from "./world.js";

export interface Ended {
  readonly outcome?: Outcome | undefined;
  readonly plan?: Plan;
  /** State used for the plan. */
  readonly snapshot?: Snapshot | undefined;
  readonly error?: Error & { readonly code?: string };
  /** Errors that stopped `sync` cycles early. */
  readonly cycleErrors?: readonly Error[];
  /** Maximum waiting times that the command announced, in ms. */
  readonly waitsMs: readonly number[];
}

export interface SimulatedApplyOptions extends GateOptions, Agreement, OperationOptions {
  readonly acceptDuplicates?: readonly string[];
}

/** Reads the files for a command. The files may change until the command starts. */
export type ReadProject = () => Project;

interface CommandRuntime extends Runtime {
  readonly waitsMs: number[];
}

/** Creates the runtime for a process in a simulated life. */
function createRuntime(world: World, process: Process, options: OperationOptions): CommandRuntime {
  const { machine } = process;
  const waitsMs: number[] = [];
  const identity = machine.identify();
  return {
    // The secrets come from a custom kind of source.
    allowCode: true,
    host: {
      ...process.system,
      cwd: "/project",
      environment: { AVATAROPS_API_KEY: apiKey, AVATAROPS_BASE_URL: origin },
      pid: process.pid,
      hostname: machine.host,
      version: "0",
      identify: () => identity,
      resolve: (path) => path,
      outside: {
        exchange: world.service.exchangeOf(process),
        store: {
          isAlive: (pid) => machine.running.has(pid),
          readStart: (pid) => machine.running.get(pid)?.name,
          openBackend: (_, environment) => world.store.open(process, environment),
          cache: world.cacheOf(machine),
        },
        facts: { command: "", by: { host: machine.host } },
        get project() {
          return { origin: "host/team/avatars", path: process.repository?.folder ?? "" };
        },
      },
    },
    output: {
      ...createQuietReporter((sentence) => world.note(() => `${process.name} warns: ${sentence}`)),
      info: (sentence) => world.note(() => `${process.name}: ${sentence}`),
      reading: (_, work) =>
        work((sentence) => {
          world.note(() => `${process.name}: ${sentence}`);
          const [, seconds] = /up to (\d+) s/.exec(sentence) ?? [];
          if (seconds) waitsMs.push(Number(seconds) * 1_000);
        }),
    },
    options,
    signal: new AbortController().signal,
    opened: {},
    runToEnd: (work) => work(),
    runCleanup: (work) => work(),
    waitsMs,
  };
}

const lockTimeoutMs = 600_000;

/** Runs `avatarops apply --auto-approve --lock-timeout 10m`. */
export function apply(
  world: World,
  process: Process,
  read: ReadProject,
  how: SimulatedApplyOptions = {},
): Promise<Ended> {
  const runtime = createRuntime(world, process, { lockTimeout: lockTimeoutMs, ...how });
  return catchError(runtime, async () => {
    const project = read();
    const { acceptDuplicates = [] } = how;
    const outcome = await executePlan(runtime, project, {
      ...how,
      command: "apply",
      async prepare(service, state, session) {
        const request = { manifest: project, state, service, acceptDuplicates };
        const { recoverUntil } = session ?? {};
        return { ...(await makePlan(runtime, { ...request, recoverUntil })), project };
      },
    });
    return { outcome };
  });
}

/** Runs `avatarops plan`. */
export function runPlan(world: World, process: Process, read: ReadProject): Promise<Ended> {
  const runtime = createRuntime(world, process, {});
  return catchError(runtime, async () => {
    const { plan, snapshot } = await observeAndPlan(runtime, read());
    return { plan, snapshot };
  });
}

async function observeAndPlan(runtime: Runtime, project: Project) {
  const snapshot = await openProjectStore(runtime, project).read();
  return withService(runtime, project, async (service) => {
    const made = await makePlan(runtime, { manifest: project, state: snapshot?.state, service });
    return { ...made, snapshot };
  });
}

/** Runs `avatarops state unlock`, optionally with `--force`. */
export function unlock(
  world: World,
  process: Process,
  read: ReadProject,
  { force } = { force: false },
): Promise<Ended> {
  const runtime = createRuntime(world, process, {});
  return catchError(runtime, async () => {
    await unlockState(runtime, read(), { force });
    return {};
  });
}

/** Runs `avatarops state replace-project --auto-approve`. */
export function replaceProject(world: World, process: Process, read: ReadProject): Promise<Ended> {
  const runtime = createRuntime(world, process, { lockTimeout: lockTimeoutMs });
  return catchError(runtime, async () => {
    await recordProject(runtime, read(), async () => true);
    return {};
  });
}

/** Runs `avatarops import ADDRESS ID`. */
export function importObject(
  world: World,
  process: Process,
  read: ReadProject,
  object: { readonly address: string; readonly id: string },
): Promise<Ended> {
  const runtime = createRuntime(world, process, { lockTimeout: lockTimeoutMs });
  return catchError(runtime, async () => {
    await importDeclared(runtime, read(), object);
    process.imports = object.id;
    return {};
  });
}

/** Runs `avatarops hold ADDRESS`, or a rollback that ends after it has placed its hold. */
export function holdObject(
  world: World,
  process: Process,
  read: ReadProject,
  { address, isRollback }: { readonly address: string; readonly isRollback: boolean },
): Promise<Ended> {
  const runtime = createRuntime(world, process, { lockTimeout: lockTimeoutMs });
  return catchError(runtime, async () => {
    const project = read();
    if (isRollback)
      await changeState(runtime, project, "rollback", async (session) => {
        await holdRolledBack(runtime, project, session, { addresses: [address], serial: 1 });
        await session.commit();
      });
    else {
      await holdProject(runtime, project, { reason: "checking responses", addresses: [address] });
      process.holds = address;
    }
    return {};
  });
}

/** Runs `avatarops release ADDRESS`. */
export function releaseObject(
  world: World,
  process: Process,
  read: ReadProject,
  address: string,
): Promise<Ended> {
  const runtime = createRuntime(world, process, { lockTimeout: lockTimeoutMs });
  return catchError(runtime, async () => {
    process.releases = address;
    await releaseProject(runtime, read(), [address]);
    return {};
  });
}

/** Finished command with its result. The result is undefined if the process died. */
export interface FinishedCommand {
  readonly step: Step;
  readonly process: Process;
  readonly ended: Ended | undefined;
  /** Acknowledged creates of objects that the service does not list, neither stored nor reported by the command. */
  readonly lost: readonly Write[];
}

/** `avatarops sync` cycles and pauses. */
export interface SyncPace {
  readonly cycles: number;
  readonly everyMs: number;
  readonly takeOverAfterMs: number;
}

/** Runs some `avatarops sync` cycles, like src/entrypoints/sync/cycle.ts without git and files. */
export function runSync(world: World, process: Process, read: ReadProject, pace: SyncPace): Promise<Ended> {
  const ids = createIdIssuer(process.system.newId);
  const { now, sleep } = process.system;
  const locks = watchLocks({ afterMs: pace.takeOverAfterMs, host: process.machine.host, now });
  const outer = createRuntime(world, process, {});
  const host = {
    ...outer.host,
    newId: ids.newId,
    hasHoldEnded: ids.hasHoldEnded,
    takesOverLock: locks.takesOver,
  };
  let settled: string | undefined;
  return catchError(outer, async () => {
    let outcome: Outcome | undefined;
    const cycleErrors: Error[] = [];
    for (let cycle = 1; cycle <= pace.cycles; cycle++) {
      const runtime = { ...outer, host, opened: {} };
      try {
        const next = await reconcile(runtime, read());
        const unrecorded = [...(outcome?.unrecorded ?? []), ...(next?.unrecorded ?? [])];
        outcome = next ? { ...next, unrecorded } : outcome;
      } catch (error) {
        settled = undefined;
        cycleErrors.push(error as Error);
        world.note(() => `${process.name} cycle ${cycle}: ${(error as Error).message}`);
      }
      ids.endCycle();
      const pauseMs = Math.min(pace.everyMs, locks.endCycle() ?? pace.everyMs);
      if (cycle < pace.cycles) await sleep(pauseMs);
    }
    return { outcome, cycleErrors };
  });

  async function reconcile(runtime: Runtime, project: Project): Promise<Outcome | undefined> {
    const planned = await observeAndPlan(runtime, project);
    const { plan, snapshot } = planned;
    const hasNews =
      listChangesToWrite(plan, project.drift === "overwrite").length > 0 || snapshot?.interrupted === true;
    if (!hasNews && plan.digest === settled) return undefined;
    const outcome = await executePlan(runtime, project, {
      command: "sync",
      planned,
      async prepare(service, state, session) {
        const isSame = session && isStateUnchanged(planned, session);
        const request = { manifest: project, state, service, recoverUntil: session?.recoverUntil };
        return {
          ...(isSame ? planned : await makePlan(runtime, request)),
          project,
        };
      },
    });
    settled = plan.digest;
    return outcome;
  }
}

async function catchError(
  runtime: CommandRuntime,
  work: () => Promise<Partial<Omit<Ended, "waitsMs">>>,
): Promise<Ended> {
  const { waitsMs } = runtime;
  try {
    return { ...(await work()), waitsMs };
  } catch (error) {
    return { error: error as Error, waitsMs };
  }
}

/** Formats the result of a command for printing. */
export function describeEnd({ error, outcome }: Ended): string {
  if (error) return `fails: ${error.code ?? error.name} ${error.message}`;
  if (!outcome) return "ends";
  const results = outcome.results.map(
    ({ address, action, status, problem }) =>
      `${address} ${action} ${status}${problem ? ` (${problem.code})` : ""}`,
  );
  const stop = outcome.stopped ? `; stopped: ${outcome.stopped.message}` : "";
  return `ends: ${results.join(", ") || "nothing to do"}${stop}`;
}
