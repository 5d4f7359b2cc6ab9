import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commitFiles, createGitEnvironment, git } from "../git/repositories.js";
import { createRandom } from "../linearizable/record-history.js";
import type { StateSettings } from "./life-stores.js";
import { type Machine, type Process, startOn, waitUntil } from "./machine.js";
import { type Life, type Run, requestTimeoutMs } from "./random-life.js";
import { findDuplicates, type SlowService, startSlowService } from "./slow-service.js";

/** Maximum age of a writer's last lock check. */
const leaseMs = 5_000;
/** Maximum delay of a request on a busy machine. */
const travelMs = 1_500;

/** Result of a random test run. */
export interface LifeResult {
  /** Violated guarantees. */
  readonly violations: readonly string[];
  /** Output from all processes, for debugging. */
  readonly report: string;
  readonly died: number;
  readonly slept: number;
  /** Number of locks that were removed or taken over. */
  readonly lost: number;
  /** Number of runs that noticed that they had lost the lock. */
  readonly noticed: number;
  readonly tookMs: number;
}

/** Period after a lost lock in which the process cannot own the lock again. */
interface Loss {
  readonly pid: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Runs all processes of a random test run to completion. */
export async function runLife(life: Life, settings: StateSettings): Promise<LifeResult> {
  const beganMs = Date.now();
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "avatarops-life-")));
  const service = await startSlowService(life.serviceMs, {}, createRandom((life.seed * 0.7548777) % 1));
  const everything: Process[] = [];
  try {
    const { machines, repository } = openProject(root, life, settings, service);
    const world: World = {
      ...{ life, service, machines, repository, processes: everything },
      ...{ wakesMs: new Map(), unlocked: [], notes: [] },
    };
    for (const [at, run] of life.runs.entries()) {
      await runOnce(world, run, at);
      await sleep(run.pauseMs);
    }
    await endSleepers(world);
    const losses = findLosses(world);
    const violations = [
      ...(await settle(world)),
      ...findDuplicates(service).map((name) => `"${name}" was created twice`),
      ...findLateWrites(world, losses),
    ];
    const count = (is: (process: Process) => boolean) => everything.filter(is).length;
    return {
      violations,
      report: [...world.notes, ...everything.map(describeProcess)].join("\n"),
      died: count(({ child }) => child.signalCode === "SIGKILL"),
      slept: world.wakesMs.size,
      lost: losses.length,
      noticed: count((one) => one.output().includes("lost its lock")),
      tookMs: Date.now() - beganMs,
    };
  } finally {
    for (const { child } of everything) child.kill("SIGKILL");
    await service.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

function describeProcess(one: Process): string {
  return one.command.startsWith("state list") ? "" : `$ ${one.command} (${one.pid})\n${one.output()}`;
}

interface World {
  readonly life: Life;
  readonly service: SlowService;
  readonly machines: Readonly<Record<Run["machine"], Machine>>;
  readonly repository: string;
  readonly processes: Process[];
  /** Wake-up times of sleeping processes. */
  readonly wakesMs: Map<Process, number>;
  /** Processes whose lock was removed by a user, with the time. */
  readonly unlocked: { readonly pid: number; readonly atMs: number }[];
  readonly notes: string[];
}

function openProject(root: string, life: Life, settings: StateSettings, { url }: SlowService) {
  const repository = path.join(root, "avatars.git");
  mkdirSync(repository);
  git(repository, "init", "--quiet", "--bare", "--initial-branch=main");
  const isFile = settings.state.endsWith("state.json");
  const folders = { laptop: path.join(root, "laptop"), desk: path.join(root, isFile ? "laptop" : "desk") };
  git(root, "clone", "--quiet", repository, folders.laptop);
  commitFiles(folders.laptop, {
    "avatarops.yaml": formatManifest(life, settings),
    ".gitignore": ".avatarops/\n",
  });
  git(folders.laptop, "push", "--quiet", "origin", "HEAD:main");
  if (!isFile) git(root, "clone", "--quiet", repository, folders.desk);
  const environment = {
    ...createGitEnvironment(root),
    // Keeps temporary checkouts in `root`, which is removed at the end, because a killed process removes none.
    TMPDIR: root,
    ...{
      AVATAROPS_BASE_URL: url,
      AVATAROPS_API_KEY: "test-key",
      ...createSecretVariables(life),
      ...settings.environment,
    },
  };
  const machineOf = (name: Run["machine"]): Machine => ({ name, folder: folders[name], environment });
  return { repository, machines: { laptop: machineOf("laptop"), desk: machineOf("desk") } };
}

function formatManifest({ contexts, secrets }: Life, { state }: StateSettings): string {
  const lines = (count: number, line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at));
  return [
    `state: ${state}`,
    `service: { timeout_seconds: ${requestTimeoutMs / 1_000} }`,
    "contexts:",
    ...lines(contexts, (at) => `  c${at}: { name: Desk ${at}, prompt: Be kind ${at}. }`),
    ...(secrets > 0 ? ["secrets:"] : []),
    ...lines(
      secrets,
      (at) =>
        `  s${at}: { secret_name: Key ${at}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY_${at} }`,
    ),
    "",
  ].join("\n");
}

function createSecretVariables({ secrets }: Life): Record<string, string> {
  return Object.fromEntries(Array.from({ length: secrets }, (_, at) => [`KEY_${at}`, `value-${at}`]));
}

/** Runs a command until it ends, dies or sleeps. Removes a blocking lock, as a user would. */
async function runOnce(world: World, run: Run, at: number): Promise<void> {
  const machine = world.machines[run.machine];
  const boot = run.isReplaced ? `container ${at}` : "";
  for (let attempt = 0; attempt < 5; attempt++) {
    const process = start(world, machine, createArguments(world, run), boot);
    const fault = injectFault(world, process, run);
    const isGone = await Promise.race([
      fault,
      (run.does === "sync" ? endSync(process) : process.ended).then(() => false),
    ]);
    if (isGone) return;
    await process.ended;
    if (!(run.does === "sync" ? isBlocked(process) : process.output().includes("The state is locked by")))
      return;
    await unlock(world, machine, boot);
  }
}

function start(world: World, machine: Machine, argv: readonly string[], boot: string): Process {
  const process = startOn(machine, argv, boot);
  world.processes.push(process);
  world.notes.push(
    `${new Date().toISOString()} ${process.pid} on ${machine.name} ${boot}: ${process.command}`,
  );
  return process;
}

function createArguments({ life, repository }: World, { does }: Run): string[] {
  const lanes = ["--concurrency", String(life.concurrency)];
  if (does === "apply") return ["apply", "--auto-approve", ...lanes];
  const often = ["--listen", "127.0.0.1:0", "--interval", "1s", "--take-over-after", "6s"];
  return ["sync", "--repo", repository, ...often, ...lanes];
}

/** Kills or suspends the process as planned. Returns false if the process ended earlier. */
async function injectFault(world: World, process: Process, { fault }: Run): Promise<boolean> {
  if (!fault) return new Promise(() => {});
  const { afterWrites, afterMs, does, forMs } = fault;
  const hasWritten = () => world.service.writesFrom(process.address).length >= afterWrites;
  await waitUntil(() => process.hasEnded() || hasWritten(), 120_000);
  await waitUntil(process.hasEnded, afterMs);
  if (process.hasEnded() || process.child.killed) return false;
  world.notes.push(`${new Date().toISOString()} ${process.pid} ${does}`);
  if (does === "dies") {
    process.child.kill("SIGKILL");
    await process.ended;
  } else {
    process.child.kill("SIGSTOP");
    world.wakesMs.set(process, Date.now() + forMs);
    setTimeout(() => process.child.kill("SIGCONT"), forMs);
  }
  return true;
}

/** Stops a `sync` after it has finished its work, or once a user's lock blocks it. */
async function endSync(process: Process): Promise<void> {
  const done = new Set(["applied", "unchanged", "ambiguous", "partly", "drifted"]);
  const isDone = () => process.log().some(({ outcome = "" }) => done.has(outcome));
  await waitUntil(() => process.hasEnded() || isDone() || isBlocked(process), 120_000);
  process.child.kill("SIGTERM");
}

/** Whether a `sync` waits for the lock of an `apply`, which it never takes over. */
function isBlocked(process: Process): boolean {
  return process
    .log()
    .some(({ problems }) => /locked by `avatarops apply/.test(JSON.stringify(problems ?? [])));
}

async function unlock(world: World, machine: Machine, boot: string): Promise<void> {
  const process = start(world, machine, ["state", "unlock", "--force"], boot);
  await process.ended;
  const [, pid] = /^Removed the lock owned by .*\(process (\d+) on /m.exec(process.output()) ?? [];
  if (pid !== undefined) world.unlocked.push({ pid: Number(pid), atMs: Date.now() });
}

/** Waits until sleeping processes have woken up and noticed their lost locks. */
async function endSleepers({ processes, wakesMs }: World): Promise<void> {
  for (const process of processes.filter((one) => !one.hasEnded())) {
    const wakeMs = wakesMs.get(process) ?? 0;
    if (process.command.startsWith("sync")) {
      const hasNoticed = () =>
        process.log().some(({ time, outcome }) => outcome && Date.parse(time) > wakeMs);
      await waitUntil(() => process.hasEnded() || hasNoticed(), wakeMs + 45_000 - Date.now());
      process.child.kill("SIGTERM");
    }
    await process.ended;
  }
}

/** Applies and follows the printed advice, like a user, until nothing is left to do. Runs after faults stop. */
async function settle(world: World): Promise<string[]> {
  const { desk } = world.machines;
  const run = async (...argv: string[]) => {
    const process = start(world, desk, argv, "");
    return { ...(await process.ended), output: process.output() };
  };
  for (let round = 0; round < 6; round++) {
    const applied = await run("apply", "--auto-approve");
    if (applied.exit === 0) {
      const { exit } = await run("plan", "--detailed-exitcode");
      return [
        ...(exit === 0 ? [] : [`after the last apply, plan exits ${exit}`]),
        ...(await findUnknown(world)),
      ];
    }
    if (applied.output.includes("state unlock")) await run("state", "unlock", "--force");
    else if (applied.exit === 4) await decide();
    else return [`the last apply exits ${applied.exit}`];
  }
  return ["the life does not end with an empty plan"];

  /** Looks up interrupted secrets in the dashboard, and imports them or repeats their creates. */
  async function decide(): Promise<void> {
    const known = new Set((await listIds(world)).map(({ id }) => id));
    const list = world.service.emulator.world.secrets;
    const missing: string[] = [];
    for (const at of Array.from({ length: world.life.secrets }).keys()) {
      const found = list.filter(({ secret_name }) => secret_name === `Key ${at}`);
      if (found.some(({ id }) => known.has(id))) continue;
      if (found[0]) await run("import", `secret.s${at}`, found[0].id);
      else missing.push("--accept-duplicate", `secret.s${at}`);
    }
    if (missing.length > 0) await run("apply", "--auto-approve", ...missing);
  }
}

async function listIds(world: World): Promise<{ address: string; id: string }[]> {
  const process = start(world, world.machines.desk, ["state", "list", "--format", "json"], "");
  await process.ended;
  const text = process.output();
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)).objects;
}

/** Finds objects that exist only in the account or only in the state. */
async function findUnknown(world: World): Promise<string[]> {
  const { contexts, secrets } = world.service.emulator.world;
  const there = new Set([...contexts, ...secrets].map(({ id }) => id));
  const known = new Set((await listIds(world)).map(({ id }) => id));
  return [
    ...[...there].filter((id) => !known.has(id)).map((id) => `the state does not have ${id}`),
    ...[...known].filter((id) => !there.has(id)).map((id) => `the account does not have ${id}`),
  ];
}

/** Finds processes that lost a lock because a user removed it or a `sync` took it over. */
function findLosses({ service, processes, unlocked }: World): Loss[] {
  const removed = unlocked.map(({ pid, atMs }): Loss => {
    // An `apply` takes its lock once. A `sync` may retake the lock after the next run has released it.
    const isSync = processes.some((process) => process.pid === pid && process.command.startsWith("sync"));
    return { pid, fromMs: atMs, untilMs: isSync ? atMs : Number.POSITIVE_INFINITY };
  });
  const takenOver = processes.flatMap((process) =>
    process.log().flatMap(({ time, duration_ms = 0, problems }): Loss[] => {
      const [, pid] =
        /Took over the lock from .*?\(process (\d+) on /.exec(JSON.stringify(problems ?? [])) ?? [];
      // Skips writes from before this cycle. They may belong to an earlier lock, because two replicas can take over
      // from each other repeatedly.
      const beganMs = Date.parse(time) - duration_ms;
      const first = service.writesFrom(process.address).find(({ arrivedMs }) => arrivedMs >= beganMs);
      if (pid === undefined || !first) return [];
      // This log line marks the end of the cycle.
      return [{ pid: Number(pid), fromMs: first.arrivedMs, untilMs: Date.parse(time) }];
    }),
  );
  return [...removed, ...takenOver];
}

/** Finds writes by processes that had lost their lock. */
function findLateWrites({ service, processes }: World, losses: readonly Loss[]): string[] {
  return losses.flatMap(({ pid, fromMs, untilMs }) => {
    const { address = "" } = processes.find((process) => process.pid === pid) ?? {};
    return service
      .writesFrom(address)
      .filter(({ arrivedMs }) => arrivedMs > fromMs + leaseMs + travelMs && arrivedMs < untilMs)
      .map(({ name, arrivedMs }) => `${pid} sends "${name}" ${arrivedMs - fromMs} ms after it lost its lock`);
  });
}
