import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBuilt } from "../built.js";
import type { FaultProxy } from "../state/fault-proxy.js";

/** A client's step as input for tools/go/porcupine. Call and return times are in ns of one clock. */
export interface Step {
  readonly op: string;
  /** Session as `client@host/number`. For a kill, only the client. */
  readonly session?: string;
  readonly address?: string;
  readonly value?: string;
  /** Whether a client may take over another machine's lock. */
  readonly takesOver?: boolean;
  /** Whether the step is known to have succeeded. */
  readonly ok: boolean;
  readonly seen?: unknown;
  readonly call: number;
  return: number;
}

/** State shared by clients. */
export interface SharedState {
  readonly location: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Returns a client's project folder, which is a clone if the store needs one. */
  folder(client: number): string;
  /** Proxy between the clients and the server, if any. */
  readonly faults?: FaultProxy;
  /** Factor for a client's timeouts for responses and locks. Default: 1. */
  readonly slowness?: number;
}

const never = Number.MAX_SAFE_INTEGER;
const addresses = ["context.a", "context.b"];

/** Client processes. Killed processes are replaced. */
export class Clients {
  /** Number of times a client was put to sleep. */
  sleeps = 0;
  readonly #module: string;
  readonly #processes: (ChildProcess | undefined)[] = [];

  /** @param module Path of `index.js` in the built library or a mutant. */
  constructor(module = findBuilt("core/state/index.js")) {
    this.#module = module;
  }

  async start(client: number): Promise<ChildProcess> {
    const running = this.#processes[client];
    // A child program of a killed process may keep the channel open for a moment.
    if (running?.connected && running.signalCode === null) return running;
    const child = fork(path.join(import.meta.dirname, "client.mjs"), [this.#module], {
      execArgv: ["--no-warnings"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#processes[client] = child;
    await once(child, "message");
    return child;
  }

  stop(): void {
    for (const child of this.#processes) child?.kill("SIGKILL");
  }
}

/** Amount of activity in a history. */
export interface Pace {
  /** Number of lock attempts by each client. */
  readonly rounds: number;
  /** Maximum number of steps recorded under one lock. */
  readonly turns: number;
  /** Percentage of steps in which a client is killed. After an intent, a kill is more likely. */
  readonly kills: number;
  /** Percentage of steps in which a client with the lock sleeps. */
  readonly sleeps: number;
}

export const busyPace: Pace = { rounds: 2, turns: 3, kills: 3, sleeps: 8 };
/** Fast pace with few kills, because starting a process takes most of the time. */
export const fastPace: Pace = { rounds: 1, turns: 2, kills: 1, sleeps: 4 };

/** Runs random steps of eight clients on one state, while some are killed or sleep and responses are lost. */
export async function recordHistory(
  shared: SharedState,
  clients: Clients,
  random: () => number,
  { rounds, turns, kills, sleeps }: Pace,
): Promise<Step[]> {
  const steps: Step[] = [];
  const chance = (probability: number) => random() < probability;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  // The seeds are chosen in advance, so they do not depend on the order in which clients run.
  const seeds = Array.from({ length: 8 }, () => random());
  // The response to this request is always cut off, so that each history contains a cut response.
  const cut = 4 + Math.floor(random() * 8);
  shared.faults?.disturb((request) =>
    request === cut
      ? "answer cut"
      : chance(0.06)
        ? pick(["refused", "answer lost", "answer cut", "answer late"] as const)
        : undefined,
  );
  let hasKilled = false;
  const { slowness = 1 } = shared;
  let values = 0;
  /** Number of sleeping clients. */
  let asleep = 0;

  async function live(number: number): Promise<void> {
    const own = createRandom(seeds[number] ?? 0);
    const chance = (probability: number) => own() < probability;
    let process = await clients.start(number);
    let killed: number | undefined;
    let life = 0;
    let sessions = 0;
    const host = number < 6 ? "desk" : `runner${number}`;
    const name = () => `c${number}.${life}@${host}`;

    /**
     * Returns the client process's reply, or undefined if the process was killed.
     *
     * @throws Error if the process exited without being killed.
     */
    const ask = (message: object): Promise<Record<string, unknown> | undefined> =>
      new Promise((resolve, reject) => {
        const end = (reply?: Record<string, unknown>) => {
          process.off("message", end).off("exit", died);
          resolve(reply);
        };
        const died = () => {
          if (process.signalCode === "SIGKILL") return end();
          reject(new Error(`Client ${number} ended with ${process.exitCode} at ${JSON.stringify(message)}.`));
        };
        process.on("message", end).on("exit", died);
        // A process that has already ended sends nothing.
        process.send(message, (error) => error && died());
      });
    const open = async () => {
      const { location, environment } = shared;
      await ask({
        step: "open",
        location,
        environment,
        patienceMs: 200 * slowness,
        root: shared.folder(number),
        host,
      });
    };
    const take = async (op: string, given: Partial<Step>, more: object = {}) => {
      const call = getNowMs();
      const reply = await ask({ step: op, ...given, ...more });
      const ok = reply !== undefined && reply.error === undefined;
      // A request without a response may take effect later.
      const isOver = ok || reply?.error === "lock-lost" || reply?.error === "conflict";
      const step: Step = { op, ...given, ok, call, return: isOver ? getNowMs() : never };
      return { step, reply };
    };
    const die = async () => {
      const call = killed ?? getNowMs();
      killed = undefined;
      hasKilled = true;
      process.kill("SIGKILL");
      if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
      steps.push({ op: "kill", session: name(), ok: true, call, return: getNowMs() });
      process = await clients.start(number);
      life += 1;
      await open();
    };

    await open();
    for (let round = 0; round < rounds; round++) {
      await sleep(own() * 20);
      if (chance(0.1)) await ask({ step: "skew", ms: (own() - 0.5) * 10 * 86_400_000 });
      if (chance(0.4)) {
        const { step, reply } = await take("read", {});
        if (step.ok) steps.push({ ...step, seen: reply?.seen });
      }
      // A sleeping client's lock blocks others.
      if (chance(asleep > 0 ? 0.6 : 0.08)) {
        const { step, reply } = await take("unlock", {});
        // An unlock without a response may have removed the lock of any session.
        if (!step.ok) steps.push(step);
        else if (typeof reply?.session === "string") steps.push({ ...step, session: reply.session });
      }
      const session = `${name()}/${sessions++}`;
      const { step, reply } = await take(
        "lock",
        { session, takesOver: chance(0.3) },
        { name: session, timeoutMs: own() * 200 * slowness },
      );
      if (reply?.error === "locked") {
        steps.push({ ...step, op: "evict", return: getNowMs() });
        continue;
      }
      steps.push({ ...step, seen: reply?.seen });
      // A step that failed after taking the lock releases the lock if possible.
      if (!step.ok) steps.push({ ...step, op: "release", return: never });
      if (!step.ok) continue;
      if (!(await write(session))) await die();
    }

    /** Returns false if the client was killed. */
    async function write(session: string): Promise<boolean> {
      for (let turn = 0; turn < turns; turn++) {
        const address = addresses[Math.floor(own() * addresses.length)] as string;
        const value = `v${values++}`;
        const done = await attempt("intent", { session, address, value });
        if (done !== "ok") return done === "failed" ? release(session) : false;
        if (!hasKilled || chance(kills / 75)) return false;
        const ended = await attempt(chance(0.8) ? "complete" : "discard", { session, address, value });
        if (ended !== "ok") return ended === "failed" ? release(session) : false;
        if (chance(0.3)) {
          const committed = await attempt("commit", { session });
          if (committed !== "ok") return committed === "failed" ? release(session) : false;
        }
      }
      return release(session);
    }

    async function release(session: string): Promise<boolean> {
      const released = await attempt("release", { session });
      return released !== "killed";
    }

    /**
     * Performs a step. Occasionally kills the process, or suspends it so that another client can take its lock.
     */
    async function attempt(op: string, given: Partial<Step>): Promise<"ok" | "failed" | "killed"> {
      const isDeadly = chance(kills / 100);
      if (!isDeadly && chance(sleeps / 100)) setTimeout(sleepAWhile, own() * 10, process);
      if (isDeadly) {
        killed = getNowMs();
        setTimeout(() => process.kill("SIGKILL"), own() * 10);
      }
      const { step, reply } = await take(op, given);
      steps.push({ ...step, seen: reply?.seen });
      if (reply === undefined || isDeadly) return "killed";
      return step.ok ? "ok" : "failed";
    }
  }

  function sleepAWhile(process: ChildProcess): void {
    clients.sleeps += 1;
    asleep += 1;
    process.kill("SIGSTOP");
    setTimeout(
      () => {
        asleep -= 1;
        process.kill("SIGCONT");
      },
      random() * 600 * slowness,
    );
  }

  await Promise.all(seeds.map((_, number) => live(number)));
  return steps;
}

/** Returns numbers from 0 to 1 determined by a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = Math.floor(seed * 2 ** 32);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Counts the pairs of concurrent steps. */
export function countOverlaps(steps: readonly Step[]): number {
  const ended = steps.filter((step) => step.op !== "kill" && step.return !== never);
  const ordered = ended.toSorted((a, b) => a.call - b.call);
  return ordered.reduce(
    (sum, step, at) => sum + ordered.slice(at + 1).filter(({ call }) => call < step.return).length,
    0,
  );
}

/** Formats a history as one line per step, ordered by call time in ms. */
export function describeHistory(steps: readonly Step[]): string {
  const began = Math.min(...steps.map(({ call }) => call));
  const ms = (time: number) => (time === never ? "?" : ((time - began) / 1e6).toFixed(2));
  const lines = [...steps]
    .sort((a, b) => a.call - b.call)
    .map(({ op, session = "", address = "", value = "", ok, seen, ...step }) =>
      [
        ...[`${ms(step.call)}-${ms(step.return)}`, ok ? op : `${op}?`, session, address, value],
        seen === undefined ? "" : JSON.stringify(seen),
      ]
        .filter(Boolean)
        .join(" "),
    );
  return ["", ...lines, ""].join("\n");
}

function getNowMs(): number {
  return Math.round(performance.now() * 1e6);
}
