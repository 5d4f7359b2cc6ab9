import { scryptSync } from "node:crypto";
import type { System } from "../../src/base/system/index.js";
import type { MachineIdentity } from "../../src/core/state/index.js";
import type { Files } from "./files.js";
import { type Random, randomFrom } from "./random.js";
import type { Timeline, TimelineEvent } from "./timeline.js";

/** What goes wrong with one request: it depends on where it goes. */
export type Trouble =
  /** It never leaves. */
  | "refused"
  /** It arrives, and the response does not. */
  | "lost"
  /** It arrives, and the connection breaks in place of the response. */
  | "cut"
  /** It arrives, and is not carried out: a gateway says so. */
  | "unavailable"
  /** A proxy answers with a page that says "not found". */
  | "proxy-page"
  /** It arrives long after the client has given up; only at a store. */
  | "late";

export type Mishap =
  | Trouble
  /** Killed before the call leaves. */
  | "dies"
  /** Killed when the call has left. */
  | "dies-after"
  /** The machine loses power when the call has left. */
  | "reboots"
  /** Stopped by a signal for `ms`; all clocks go on. */
  | "stops"
  /** The lid is closed for `ms`: the monotonic clock stops. */
  | "suspends"
  /** The wall clock of the machine is set back by `ms`. */
  | "turns-back";

/** What befalls a process: at its so many-th call (from 1), or so long after its start. */
export interface Fault {
  readonly call?: number;
  /** Counts only calls of this kind, such as "store state". */
  readonly of?: string;
  readonly afterMs?: number;
  readonly does: Mishap;
  readonly ms?: number;
}

const troubles: ReadonlySet<Mishap> = new Set([
  "refused",
  "lost",
  "cut",
  "unavailable",
  "proxy-page",
  "late",
]);

export interface MachineFacts {
  /** Its name, which another may have, too. */
  readonly host: string;
  /** How far its wall clock is ahead. */
  readonly skewMs: number;
  /** It has the machine id of another machine: a copy of it, or a container of the same image. */
  readonly cloneOf?: number;
  /** A container: it has process ids of its own, and no machine id unless it is a clone; a restart makes another one. */
  readonly container?: {
    /** Number of the kernel that it runs on. */
    readonly node: number;
    /** As another one on this kernel, whose PID namespace may get the same inode, or on one that has just started. */
    readonly restarts: "anew" | "same-inode" | "elsewhere";
  };
}

/** Of the PID namespace that a kernel starts with. */
const initialPidNamespace = "4026531836";

/** A computer, or a container. */
export class Machine {
  readonly host: string;
  skewMs: number;
  readonly running = new Map<number, Process>();
  readonly #facts: MachineFacts;
  readonly #timeline: Timeline;
  readonly #number: number;
  #boots = 1;
  #bootedMs: number;
  #nextPid = 100;

  constructor(facts: MachineFacts, number: number, timeline: Timeline) {
    this.host = facts.host;
    this.skewMs = facts.skewMs;
    this.#facts = facts;
    this.#number = number;
    this.#timeline = timeline;
    this.#bootedMs = timeline.nowMs - 3_600_000;
  }

  /** What its processes know of it. */
  identify(): MachineIdentity {
    const { container, cloneOf } = this.#facts;
    const bootedAtMs = this.#bootedMs + this.skewMs;
    const machineId = `machine-${cloneOf ?? this.#number}`;
    const start = `${this.#number}-${this.#boots}`;
    if (!container) return { bootId: start, pidNamespace: initialPidNamespace, machineId, bootedAtMs };
    const { node, restarts } = container;
    return {
      bootId: restarts === "elsewhere" && this.#boots > 1 ? start : `node-${node}`,
      pidNamespace: restarts === "same-inode" ? `inode-${this.#number}` : start,
      machineId: cloneOf === undefined ? undefined : machineId,
      bootedAtMs,
    };
  }

  takePid(): number {
    // Numbers in a container are few: its only process has the same one again and again.
    if (this.#facts.container) this.#nextPid = 1;
    while (this.running.has(this.#nextPid)) this.#nextPid++;
    return this.#nextPid++;
  }

  reboot(): void {
    for (const process of [...this.running.values()]) process.die();
    this.#boots++;
    const { container } = this.#facts;
    if (!container || container.restarts === "elsewhere") this.#bootedMs = this.#timeline.nowMs;
    this.#nextPid = 100;
  }
}

interface Timer {
  /** By the monotonic clock of the process. */
  readonly dueMs: number;
  readonly fire: () => void;
  event: TimelineEvent;
}

interface ProcessFacts {
  readonly timeline: Timeline;
  readonly machine: Machine;
  readonly name: string;
  readonly command: string;
  /** That of the life. */
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Called for each fault that happens, with the call. */
  readonly onFault: (fault: Fault, call: string) => void;
}

/** A running command: its clocks, its calls to what is outside, and how it ends. */
export class Process {
  readonly timeline: Timeline;
  readonly machine: Machine;
  /** Distinguishes it in its life. */
  readonly name: string;
  readonly command: string;
  readonly pid: number;
  readonly system: System;
  /** Its random numbers for what is outside of it. */
  readonly random: Random;
  readonly startedMs: number;
  /** When it ended or died. */
  endedMs = Number.POSITIVE_INFINITY;
  /** Since when, of all that it sent to the store, the store has taken nothing. */
  refusedMs: number | undefined;
  /** That of its project. */
  repository: { readonly folder: string; readonly versions: readonly Files[] } | undefined;
  /** What the files said when it read them. */
  files: Files | undefined;
  isDead = false;
  isOver = false;
  /** Resolves when it dies. */
  readonly death: Promise<undefined>;
  #noteDeath!: (nothing: undefined) => void;
  calls = 0;
  #isAsleep = false;
  /** For how long its monotonic clock was stopped. */
  #hiddenMs = 0;
  readonly #held: (() => void)[] = [];
  readonly #timers = new Set<Timer>();
  readonly #faults = new Map<number | string, Fault>();
  readonly #callsOf = new Map<string, number>();
  readonly #onFault: ProcessFacts["onFault"];

  constructor({ timeline, machine, name, command, seed, faults, onFault }: ProcessFacts) {
    this.timeline = timeline;
    this.machine = machine;
    this.name = name;
    this.command = command;
    this.#onFault = onFault;
    this.pid = machine.takePid();
    machine.running.set(this.pid, this);
    this.startedMs = timeline.nowMs;
    this.random = randomFrom(seed, name);
    this.death = new Promise((resolve) => {
      this.#noteDeath = resolve;
    });
    this.system = createSystem(this, randomFrom(seed, `${name} itself`));
    for (const fault of faults) {
      if (fault.call !== undefined)
        this.#faults.set(fault.of === undefined ? fault.call : `${fault.of} ${fault.call}`, fault);
      else timeline.after(fault.afterMs ?? 0, () => this.#suffer(fault, "time"));
    }
  }

  now(): number {
    return this.timeline.nowMs + this.machine.skewMs;
  }

  monotonic(): number {
    return this.timeline.nowMs - this.startedMs - this.#hiddenMs;
  }

  /** A call to something outside, which the process may not survive. `go` is told what happens to the request. */
  call(what: string, go: (trouble?: Trouble) => void): void {
    if (this.isOver) return;
    const fault = this.#faults.get(++this.calls) ?? this.#faults.get(this.#count(what));
    const isTrouble = fault !== undefined && troubles.has(fault.does);
    // A clock has none.
    if (isTrouble && what === "clock") this.#faults.set(this.calls + 1, fault);
    else if (isTrouble) {
      this.#onFault(fault, `${what} ${this.calls}`);
      go(fault.does as Trouble);
      return;
    }
    if (fault?.does !== "dies") go();
    if (fault && !isTrouble) this.#suffer(fault, what);
  }

  /** Gives the process what comes from outside: not before it wakes up, and never if it is dead. */
  deliver(give: () => void): void {
    if (this.isOver) return;
    if (this.#isAsleep) this.#held.push(give);
    else give();
  }

  /** Fires after so long by the monotonic clock, once the process is awake; returns what cancels it. */
  startTimer(ms: number, fire: () => void): () => void {
    const timer: Timer = {
      dueMs: this.monotonic() + Math.ceil(ms),
      fire,
      event: this.timeline.after(ms, () => this.#fire(timer)),
    };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      timer.event.run = undefined;
    };
  }

  /** Ends it: what it has sent stays sent, and nothing reaches it any more. */
  die(): void {
    if (this.isOver) return;
    this.isDead = true;
    this.end();
    this.#noteDeath(undefined);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.endedMs = this.timeline.nowMs;
    this.machine.running.delete(this.pid);
    for (const { event } of this.#timers) event.run = undefined;
    this.#timers.clear();
    this.#held.length = 0;
  }

  /** Counts a call of a kind; returns its key in the faults. */
  #count(what: string): string {
    const calls = (this.#callsOf.get(what) ?? 0) + 1;
    this.#callsOf.set(what, calls);
    return `${what} ${calls}`;
  }

  #fire(timer: Timer): void {
    if (this.#isAsleep || !this.#timers.has(timer)) return;
    const leftMs = timer.dueMs - this.monotonic();
    if (leftMs > 0) timer.event = this.timeline.after(leftMs, () => this.#fire(timer));
    else {
      this.#timers.delete(timer);
      timer.fire();
    }
  }

  #suffer(fault: Fault, what: string): void {
    if (this.isOver) return;
    this.#onFault(fault, `${what} ${this.calls}`);
    if (fault.does === "reboots") this.machine.reboot();
    else if (fault.does === "turns-back") this.machine.skewMs -= fault.ms ?? 0;
    else if (fault.does === "stops" || fault.does === "suspends")
      // Between two turns of its event loop. A pause between the last look at the lock and the request is the one window that docs name.
      this.timeline.after(0, () => this.#sleep(fault.ms ?? 0, fault.does === "suspends"));
    else this.die();
  }

  #sleep(ms: number, hidesTime: boolean): void {
    if (this.isOver || this.#isAsleep) return;
    this.#isAsleep = true;
    this.timeline.after(ms, () => {
      if (this.isOver) return;
      this.#isAsleep = false;
      if (hidesTime) this.#hiddenMs += ms;
      // Timers come first, as in Node.
      for (const timer of [...this.#timers])
        if (timer.dueMs <= this.monotonic() || timer.event.atMs <= this.timeline.nowMs)
          timer.event = this.timeline.after(0, () => this.#fire(timer));
      for (const give of this.#held.splice(0)) this.timeline.after(0, () => this.deliver(give));
    });
  }
}

function createSystem(process: Process, random: Random): System {
  let ids = 0;
  return {
    now: () => process.now(),
    monotonic: () => process.monotonic(),
    random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        process.call("clock", () => {
          if (signal?.aborted) return resolve();
          const wake = () => {
            cancel();
            signal?.removeEventListener("abort", wake);
            resolve();
          };
          const cancel = process.startTimer(ms, wake);
          signal?.addEventListener("abort", wake, { once: true });
        });
      }),
    startTimer(ms, callback) {
      let cancel = () => {};
      process.call("clock", () => {
        cancel = process.startTimer(ms, callback);
      });
      return () => cancel();
    },
    randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)),
    newId: () => `${process.name}-${++ids}`,
    deriveKey: async (secret, salt) => scryptSync(secret, salt, 32, { N: 2, r: 1, p: 1 }),
  };
}
