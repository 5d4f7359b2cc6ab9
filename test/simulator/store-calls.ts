import { parseHolder } from "../../src/core/state/lock-holder.js";
import type { StoreBackend, StoreEnvironment } from "../../src/core/state/store-backend.js";

import type { Process, RequestFault } from "./machine.js";
import { pickNumber, type Range } from "./random.js";
import type { Timeline } from "./timeline.js";

/** Kind of real store to simulate. */
export type StoreSort = "file" | "git" | "row";

/** Content of a damaged state: zero bytes, a state of another program, or the first half. */
export type StateDamage = "empty" | "foreign" | "half";

/** Change of lock holder. An undefined holder means that the lock is free. */
export interface LockChange {
  readonly atMs: number;
  readonly holder: string | undefined;
}

/** Simulated state store that records its events. */
export interface SimulatedStore {
  /** Opens the store for a process. */
  open(process: Process, environment: StoreEnvironment): Promise<StoreBackend>;
  /** Returns the current state and journal, and the state before its damage. */
  text(): string;
  /** Rejects every write while true, like a hook or a full disk. */
  refusesWrites: boolean;
  /** Sets or removes a lock in a format that only a later version can read. Does nothing if another lock exists. */
  setForeignLock(isThere: boolean): void;
  /** Damages the stored state, if there is one. */
  damage(by: StateDamage): void;
  /** Restores the damaged state, unless it was replaced. */
  repair(): void;
  /** All lock holder changes. */
  readonly changes: readonly LockChange[];
}

/** Stored state before and after its damage. */
export interface DamagedState {
  readonly text: string;
  readonly damaged: string;
}

export function damageText(text: string, by: StateDamage): string {
  if (by === "empty") return "";
  return by === "foreign"
    ? '{"version":4,"terraform_version":"1.9.0","resources":[]}\n'
    : text.slice(0, text.length / 2);
}

/** Duration of a round trip to the store. */
export const latencies: Readonly<Record<StoreSort, Range>> = { file: [0, 2], git: [150, 900], row: [1, 15] };

/** Records an event in the trace. */
export type Note = (describe: () => string) => void;

/** Lock written by a later version of avatarops. */
export const foreignLock = '{"lock":2,"owner":"another version"}\n';
/** Holder name of the foreign lock in `changes`. */
export const foreignHolder = "foreign";

/** Records the lock holder. */
export interface LockWatch {
  readonly changes: readonly LockChange[];
  /** Receives the lock text after each change. */
  noteLock(lock: string | undefined): void;
}

export function watchLock(timeline: Timeline, note: Note): LockWatch {
  const changes: LockChange[] = [];
  let last: string | undefined;
  return {
    changes,
    noteLock(lock) {
      const firstLine = lock?.slice(0, lock.indexOf("\n") + 1 || undefined);
      if (firstLine === last && changes.length > 0) return;
      last = firstLine;
      const holder = lock === foreignLock ? foreignHolder : firstLine && parseHolder(firstLine)?.id;
      if (changes.at(-1)?.holder === holder) return;
      changes.push({ atMs: timeline.nowMs, holder });
      note(() => (holder === undefined ? "the lock is free" : `${holder.split("-")[0]} has the lock`));
    },
  };
}

/** Simulates one round trip from a process to its store. `act` receives the fault to inject. */
export function ask<Of>(
  process: Process,
  what: string,
  latency: Range,
  act: (trouble: RequestFault | undefined) => Of,
): Promise<Of> {
  const { timeline, random } = process;
  const half = () => pickNumber(random, latency) / 2;
  return new Promise((resolve, reject) => {
    process.call(what, (trouble) => {
      timeline.after(half(), () => {
        const give = attempt(() => act(trouble), resolve, reject);
        timeline.after(half(), () => process.deliver(give));
      });
    });
  });
}

/** Simulated network timeout. A call without a response fails after it. */
const storeTimeoutMs = 10_000;

/** Simulates one round trip over a network. */
export function askServer<Of>(process: Process, what: string, latency: Range, act: () => Of): Promise<Of> {
  const { timeline, random } = process;
  return new Promise((resolve, reject) => {
    ask(process, what, latency, (trouble) => {
      const nobody = () => {};
      if (trouble === "late")
        timeline.after(storeTimeoutMs + 10_000 * random() ** 2, () => attempt(act, nobody, nobody));
      if (trouble === "late" || trouble === "lost" || trouble === "cut") {
        if (trouble !== "late") act();
        const ms = trouble === "cut" ? 0 : storeTimeoutMs;
        timeline.after(ms, () => process.deliver(() => reject(new Error("it does not respond"))));
        return undefined;
      }
      if (trouble) throw new Error("it does not respond");
      return { done: act() };
    }).then((answer) => answer && resolve(answer.done), reject);
  });
}

function attempt<Of>(
  act: () => Of,
  resolve: (result: Of) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const result = act();
    return () => resolve(result);
  } catch (error) {
    return () => reject(error);
  }
}
