import { createRandom } from "../linearizable/record-history.js";
import type { Range } from "./slow-service.js";

/** Kills a run or puts it to sleep, `afterMs` after the service has received `afterWrites` of its writes. */
export interface ProcessFault {
  readonly afterWrites: number;
  readonly afterMs: number;
  readonly does: "dies" | "sleeps";
  /** Duration of a sleep, in milliseconds. */
  readonly forMs: number;
}

export interface Run {
  readonly does: "apply" | "sync";
  readonly machine: "laptop" | "desk";
  /** Whether the run's container replaced an earlier container of the same name. */
  readonly isReplaced: boolean;
  readonly fault?: ProcessFault;
  /** Time from the run's end or its fault to the next run, in milliseconds. */
  readonly pauseMs: number;
}

/** Random actions and faults of several processes that share a state. */
export interface Life {
  readonly seed: number;
  readonly contexts: number;
  readonly secrets: number;
  readonly concurrency: number;
  /** Duration of a service write, in ms. */
  readonly serviceMs: Range;
  readonly runs: readonly Run[];
}

/** Request timeout in milliseconds. Short, because recovery waits for it. */
export const requestTimeoutMs = 3_000;

export function generateLife(seed: number, hasSync: boolean): Life {
  const random = createRandom(((seed * 0.618034) % 1) + seed / 2 ** 32);
  const chance = (probability: number) => random() < probability;
  const between = (from: number, to: number) => from + random() * (to - from);
  const pickInteger = (from: number, to: number) => Math.floor(between(from, to + 1));
  const contexts = pickInteger(10, 40);
  const isSync = hasSync && chance(0.5);

  const createFault = (isFirst: boolean): ProcessFault => {
    // Early faults hit a run that waits for the lock or for the previous run's creates.
    const isEarly = !isFirst && chance(0.3);
    return {
      ...{
        afterWrites: isEarly ? 0 : pickInteger(1, 0.8 * contexts),
        afterMs: between(0, isEarly ? 8_000 : 500),
      },
      ...{ does: chance(0.5) ? "dies" : "sleeps", forMs: between(500, 25_000) },
    };
  };
  const last = pickInteger(1, 2);
  const runs = Array.from(
    { length: last + 1 },
    (_, at): Run => ({
      // Simulates a team that uses both commands.
      does: isSync && chance(0.85) ? "sync" : "apply",
      machine: chance(0.5) ? "laptop" : "desk",
      isReplaced: chance(0.5),
      ...(at < last && { fault: createFault(at === 0) }),
      pauseMs: between(0, chance(0.3) ? 4_000 : 800),
    }),
  );
  const maxMs = between(100, 2_400);
  return {
    ...{ seed, contexts, secrets: chance(0.4) ? pickInteger(1, 4) : 0, concurrency: pickInteger(2, 8) },
    serviceMs: [chance(0.5) ? maxMs : between(0, maxMs), maxMs],
    runs,
  };
}

/** Describes a random test run in one line. */
export function describeLife({ seed, contexts, secrets, concurrency, serviceMs, runs }: Life): string {
  const ms = (value: number) => `${Math.round(value)} ms`;
  const steps = runs.map(({ does, machine, isReplaced, fault }) => {
    const what = fault
      ? `, ${fault.does}${fault.does === "sleeps" ? ` ${ms(fault.forMs)}` : ""} ${ms(fault.afterMs)} after write ${fault.afterWrites}`
      : "";
    return `${does} on ${machine}${isReplaced ? " (new container)" : ""}${what}`;
  });
  const size = `${contexts} contexts, ${secrets} secrets, ${concurrency} at once, ${serviceMs.map(ms).join(" to ")} each`;
  return `seed ${seed}: ${size}: ${steps.join("; ")}`;
}
