import type { SourceKind } from "../../src/core/secrets/index.js";
import type { ObservationCache } from "../../src/core/state/in-sync-cache.js";
import type { StateEntry } from "../../src/core/state/index.js";
import type { MutableState } from "../../src/core/state/journal.js";
import { type Fault, Machine, type MachineFacts, Process } from "./machine.js";
import { pickNumber } from "./random.js";
import { type ServiceFacts, SimulatedService } from "./simulated-service.js";
import type { SimulatedStore, StoreSort } from "./store-calls.js";
import { createStore } from "./stores.js";
import { Timeline } from "./timeline.js";

/** Initial conditions of a simulated life. */
export interface WorldFacts {
  readonly seed: number;
  readonly service: ServiceFacts;
  readonly store: StoreSort;
  readonly machines: readonly MachineFacts[];
}

/** Event in the trace. */
export interface Happening {
  readonly atMs: number;
  readonly what: string;
}

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Everything in a simulated life except its processes. */
export class World {
  readonly timeline = new Timeline(startMs);
  readonly service: SimulatedService;
  readonly store: SimulatedStore;
  readonly machines: readonly Machine[];
  readonly processes: Process[] = [];
  readonly happenings: Happening[] = [];
  /** Number of rotations of each secret at its source. */
  readonly rotations = new Map<string, number>();
  /** Whether to record a trace of events. */
  readonly isTraced: boolean;
  readonly #caches = new Map<Machine, ObservationCache>();
  readonly #seed: number;

  constructor({ seed, service, store, machines }: WorldFacts, isTraced: boolean) {
    this.isTraced = isTraced;
    this.#seed = seed;
    const note = (describe: () => string) => this.note(describe);
    this.service = new SimulatedService(this.timeline, service, seed, note);
    this.store = createStore(store, this.timeline, note);
    this.machines = machines.map((facts, number) => new Machine(facts, number, this.timeline));
  }

  get elapsedMs(): number {
    return this.timeline.nowMs - startMs;
  }

  note(describe: () => string): void {
    if (this.isTraced) this.happenings.push({ atMs: this.elapsedMs, what: describe() });
  }

  start(machine: Machine, command: string, faults: readonly Fault[] = []): Process {
    const name = `p${this.processes.length + 1}`;
    const process = new Process({
      ...{ timeline: this.timeline, machine, name, command, seed: this.#seed, faults },
      onFault: ({ does, ms }, call) =>
        this.note(() => `${name} ${does}${ms === undefined ? "" : ` for ${ms} ms`} at ${call}`),
    });
    this.processes.push(process);
    this.note(() => `${name} starts: ${command} on ${machine.host}`);
    return process;
  }

  valueOf(secret: string): string {
    return `value ${this.rotations.get(secret) ?? 0} of ${secret}`;
  }

  /** Returns the secret source of a process. */
  vaultOf(process: Process): SourceKind {
    const ask = <Of>(answer: () => Of) =>
      new Promise<Of>((resolve, reject) => {
        process.call("source", (trouble) => {
          const ms = pickNumber(process.random, [1, 30]);
          this.timeline.after(ms, () =>
            process.deliver(() =>
              trouble ? reject(Object.assign(new Error("no"), { code: "ECONNRESET" })) : resolve(answer()),
            ),
          );
        });
      });
    return {
      name: "vault-of-life",
      title: "Vault",
      fields: { name: { type: "string", description: "Name" } },
      rights: { value: "read" },
      describe: (fields) => `vault secret ${(fields as { name: string }).name}`,
      read: (fields) => ask(() => ({ value: this.valueOf((fields as { name: string }).name) })),
    };
  }

  /** Returns the observation cache of a machine, which persists between runs. */
  cacheOf(machine: Machine): ObservationCache {
    const known = this.#caches.get(machine) ?? createCache();
    this.#caches.set(machine, known);
    return known;
  }
}

/** Creates an in-memory cache that replaces the user's cache folder. */
function createCache(): ObservationCache {
  const seen = new Map<string, { readonly basis: string; readonly inSyncAt: string }>();
  const basisOf = ({ id, applied }: StateEntry) => JSON.stringify([id, applied]);
  return {
    async recall(draft: MutableState) {
      for (const [address, { basis, inSyncAt }] of seen) {
        const entry = draft.objects[address];
        if (entry && basisOf(entry) === basis) draft.objects[address] = { ...entry, inSyncAt };
      }
    },
    async keep({ objects }: MutableState) {
      seen.clear();
      for (const [address, entry] of Object.entries(objects))
        if (entry.inSyncAt !== undefined)
          seen.set(address, { basis: basisOf(entry), inSyncAt: entry.inSyncAt });
    },
  };
}
