import { scryptSync } from "node:crypto";
import type { System } from "../../src/base/system/index.js";
import type { MachineIdentity } from "../../src/core/state/index.js";
import type { Files } from "./files.js";
import { createRandom, type Random } from "./random.js";
import type { Timeline, TimelineEvent } from "./timeline.js";

/** Fault of one request. Its effect depends on the receiver. */
export type RequestFault =
  /** The request is never sent. */
  | "refused"
  /** The request arrives, but the response does not. */
  | "lost"
  /** The request arrives, but the connection breaks before a response. */
  | "cut"
  /** The request arrives, but a gateway reports that it was not processed. */
  | "unavailable"
  /** A proxy responds with a "not found" page. */
  | "proxy-page"
  /** A gateway responds with an unavailable page and `Retry-After`. The request may arrive. Only for the service. */
  | "gateway-page"
  /** A proxy responds to a write as it did to the last one. The request may arrive. Only for the service. */
  | "repeated"
  /** The request arrives, and the response has an unknown success code. Only for the service. */
  | "other-code"
  /** The request arrives long after the client has given up. Only for a store. */
  | "late";

export type ProcessFault =
  | RequestFault
  /** The process is killed before sending the call. */
  | "dies"
  /** The process is killed after sending the call. */
  | "dies-after"
  /** The machine loses power after sending the call. */
  | "reboots"
  /** A signal stops the process for `ms`. All clocks continue. */
  | "stops"
  /** The laptop is closed for `ms`, which stops the monotonic clock. */
  | "suspends"
  /** The machine's wall clock is set back by `ms`. */
  | "turns-back";

/** Fault that hits a process at its nth call (from 1), or some time after it starts. */
export interface Fault {
  readonly call?: number;
  /** Counts only calls of this kind, such as "store state". */
  readonly of?: string;
  readonly afterMs?: number;
  readonly does: ProcessFault;
  readonly ms?: number;
}

const troubles: ReadonlySet<ProcessFault> = new Set([
  "refused",
  "lost",
  "cut",
  "unavailable",
  "proxy-page",
  "gateway-page",
  "repeated",
  "other-code",
  "late",
]);

export interface MachineFacts {
  /** Host name, which need not be unique. */
  readonly host: string;
  /** Lead of the machine's wall clock over true time, in ms. */
  readonly skewMs: number;
  /**
   * Number of the machine with the same machine id. This machine is a clone of it or a container of the same
   * image.
   */
  readonly cloneOf?: number;
  /**
   * Container with its own process ids and, unless it is a clone, no machine id. A restart creates another container.
   */
  readonly container?: {
    /** Index of the kernel that runs the container. */
    readonly node: number;
    /** Restarts as another container. Its PID namespace is new, gets the same inode again, or is on another kernel. */
    readonly restarts: "anew" | "same-inode" | "elsewhere";
  };
}

/** Initial PID namespace of every kernel. */
const initialPidNamespace = "4026531836";

/** Computer or container. */
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

  /** Returns the identity that the machine's processes see. */
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
    // Process ids start at 1 in each container, so its only process always gets the same id.
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
  /** Due time on the monotonic clock of the process. */
  readonly dueMs: number;
  readonly fire: () => void;
  event: TimelineEvent;
}

interface ProcessFacts {
  readonly timeline: Timeline;
  readonly machine: Machine;
  readonly name: string;
  readonly command: string;
  /** Seed of the simulated life. */
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Called when a fault occurs, with the call that it affects. */
  readonly onFault: (fault: Fault, call: string) => void;
}

/** Running command with its clocks and its calls to the outside. */
export class Process {
  readonly timeline: Timeline;
  readonly machine: Machine;
  /** Unique within a simulated life. */
  readonly name: string;
  readonly command: string;
  readonly pid: number;
  readonly system: System;
  /** Random numbers for everything outside the process. */
  readonly random: Random;
  readonly startedMs: number;
  /** Time at which the process ended or died. */
  endedMs = Number.POSITIVE_INFINITY;
  /** Time at which the store started to reject all requests from the process. */
  refusedMs: number | undefined;

  repository: { readonly folder: string; readonly versions: readonly Files[] } | undefined;
  /** Files that the process has read. */
  files: Files | undefined;
  /** Id of the object that the process has imported. */
  imports: string | undefined;
  /** Address that the process has put on hold, or whose hold it ends. */
  holds: string | undefined;
  releases: string | undefined;
  isDead = false;
  isOver = false;
  /** Resolves when the process dies. */
  readonly death: Promise<undefined>;
  #noteDeath!: (nothing: undefined) => void;
  calls = 0;
  #isAsleep = false;
  /** Total time that the machine's monotonic clock was stopped. */
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
    this.random = createRandom(seed, name);
    this.death = new Promise((resolve) => {
      this.#noteDeath = resolve;
    });
    this.system = createSystem(this, createRandom(seed, `${name} itself`));
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

  /**
   * Makes an external call. A fault may kill the process before or after the call. `go` receives the fault if it
   * affects the request.
   */
  call(what: string, go: (trouble?: RequestFault) => void): void {
    if (this.isOver) return;
    const fault = this.#faults.get(++this.calls) ?? this.#faults.get(this.#count(what));
    const isTrouble = fault !== undefined && troubles.has(fault.does);
    // Clock calls cannot have a request fault, so the fault moves to the next call.
    if (isTrouble && what === "clock") this.#faults.set(this.calls + 1, fault);
    else if (isTrouble) {
      this.#onFault(fault, `${what} ${this.calls}`);
      go(fault.does as RequestFault);
      return;
    }
    if (fault?.does !== "dies") go();
    if (fault && !isTrouble) this.#suffer(fault, what);
  }

  /** Delivers an outside event after the process has woken up. A dead process receives nothing. */
  deliver(give: () => void): void {
    if (this.isOver) return;
    if (this.#isAsleep) this.#held.push(give);
    else give();
  }

  /**
   * Fires after this time on the monotonic clock, once the process is awake. Returns a function that cancels the timer.
   */
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

  /** Kills the process. Requests that it sent continue, and nothing reaches it any more. */
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

  /** Counts a call by kind and returns its fault key. */
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
      // Sleeps after the current turn of the event loop, and so never between the last lock check and the request.
      // docs/rules.md excludes that pause from its guarantees.
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
      // Runs timers first, as Node does.
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
