import type { DeclaredObject } from "./files.js";
import type { Life, Step } from "./life.js";
import type { ServiceFacts } from "./simulated-service.js";

/** Hand-written simulated life, based on events that happened or could happen in practice. */
export interface Scenario {
  /** Test title. */
  readonly title: string;
  /** Rule that prevents a violation in this simulated life (see knock-outs.ts). */
  readonly needs?: string;
  readonly life: Life;
}

const slowService: ServiceFacts = {
  ...{ names: "free", hasProfile: false, pageSize: 100, order: "created", precision: "ms", skewMs: 0 },
  ...{ reads: [10, 50], writes: [3_000, 3_000], carriesOut: [1, 1] },
};

function createContexts(count: number): DeclaredObject[] {
  return Array.from({ length: count }, (_, at) => ({ key: `c${at + 1}`, text: 0 }));
}

const common = { seed: 1, machines: [{ host: "desk", skewMs: 0 }] } as const;
const again: Step = { machine: 0, does: "apply" };
const replica = { machine: 0, does: "sync", cycles: 2, everyMs: 30_000, takeOverAfterMs: 300_000 } as const;

/** A run dies after sending its creates, which take 10 s, and is repeated at once. */
export const recovery: Life = {
  ...common,
  ...{ store: "file", service: { ...slowService, writes: [10_000, 10_000] }, objects: createContexts(3) },
  steps: [{ ...again, faults: [{ call: 3, of: "write", does: "dies-after" }] }, again],
};

export const scenarios: readonly Scenario[] = [
  {
    title: "violates no invariant after an apply is killed in a long group of requests",
    life: {
      ...common,
      ...{ store: "file", service: slowService, objects: createContexts(60) },
      steps: [{ ...again, faults: [{ afterMs: 13_500, does: "dies" }] }, again],
    },
  },
  {
    title: "violates no invariant after a sync is killed during its creates",
    life: {
      ...common,
      ...{ store: "row", service: { ...slowService, writes: [6_000, 6_000] }, objects: createContexts(60) },
      steps: [
        {
          ...{ machine: 0, does: "sync", cycles: 1, everyMs: 30_000, takeOverAfterMs: 300_000 },
          faults: [{ afterMs: 27_000, does: "dies" }],
        },
        { machine: 0, does: "sync", cycles: 2, everyMs: 30_000, takeOverAfterMs: 300_000 },
      ],
    },
  },
  {
    title: "violates no invariant after an apply is killed during a create delayed by 429",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(1) },
      service: { ...slowService, writes: [4_000, 4_000], busyUntilMs: 11_000, retryAfter: 12 },
      steps: [{ ...again, faults: [{ afterMs: 14_000, does: "dies" }] }, again],
    },
  },
  {
    title:
      "violates no invariant if a list that lacks an interrupted create arrives after the create's deadline",
    needs: "reading the list again after the deadline of a create",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(1) },
      service: {
        ...{ ...slowService, writes: [30_000, 30_000] },
        ...{ reads: [9_000, 9_000], readsCarriedOut: [0, 0] },
      },
      steps: [{ ...again, faults: [{ call: 1, of: "write", does: "dies-after" }] }, again],
    },
  },
  {
    title: "violates no invariant if a sync sleeps between reading a secret and taking the lock",
    life: {
      ...{ seed: 8_124_056, store: "row" },
      machines: ["desk", "runner"].map((host) => ({ host, skewMs: 0 })),
      objects: [
        { key: "s1", text: 0, deletes: true },
        { key: "s2", text: 0 },
        { key: "c1", text: 0 },
      ],
      service: { ...slowService, hasProfile: true, reads: [10, 10], writes: [100, 100] },
      steps: [
        {
          ...{ machine: 0, does: "sync", cycles: 1, everyMs: 30_000, takeOverAfterMs: 0 },
          faults: [
            { call: 9, does: "lost" },
            { afterMs: 15_426, does: "suspends", ms: 83_100 },
          ],
        },
        { machine: 1, afterMs: 70_865, does: "rotate", key: "s1" },
        { machine: 1, does: "sync", cycles: 1, everyMs: 30_000, takeOverAfterMs: 60_000 },
      ],
    },
  },
  {
    title: "violates no invariant if a replica of sync starts under the name of a running one",
    needs: "the delay before taking over a lock under the same name",
    life: {
      ...{ seed: 1, store: "row", objects: createContexts(12) },
      machines: [common.machines[0], common.machines[0]],
      service: { ...slowService, writes: [10_000, 10_000] },
      steps: [replica, { ...replica, machine: 1, afterMs: 5_000 }],
    },
  },
  {
    title: "violates no invariant if a sync that never takes over a lock starts during another sync",
    needs: "never taking over locks with a delay of 0",
    life: {
      ...{ seed: 1, store: "row", objects: createContexts(12) },
      machines: ["first", "second"].map((host) => ({ host, skewMs: 0 })),
      service: { ...slowService, writes: [10_000, 10_000] },
      steps: [replica, { ...replica, machine: 1, afterMs: 5_000, takeOverAfterMs: 0 }],
    },
  },
  {
    title: "violates no invariant after an apply is killed while it supersedes a rotated secret",
    life: {
      ...common,
      ...{ store: "file", objects: [{ key: "s1", text: 0 }] },
      service: { ...slowService, hasProfile: true, writes: [20_000, 20_000] },
      steps: [
        again,
        { machine: 0, does: "rotate", key: "s1" },
        { ...again, faults: [{ afterMs: 5_000, does: "dies" }] },
        again,
      ],
    },
  },
  {
    title: "violates no invariant if a sleeping run loses its lock to a colleague",
    life: {
      seed: 1,
      machines: [
        { host: "laptop", skewMs: 0 },
        { host: "desk", skewMs: 0 },
      ],
      ...{ store: "git", service: { ...slowService, writes: [500, 500] }, objects: createContexts(100) },
      steps: [
        { machine: 0, does: "apply", faults: [{ afterMs: 4_000, does: "suspends", ms: 600_000 }] },
        { machine: 1, does: "unlock", afterMs: 60_000 },
        { machine: 1, does: "apply" },
      ],
    },
  },
  {
    title: "records an object recreated by an interrupted apply even if the next run dies",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(1) },
      service: { ...slowService, writes: [28_000, 30_000] },
      steps: [
        again,
        { machine: 0, does: "delete-elsewhere", key: "c1" },
        { ...again, faults: [{ afterMs: 8_153, does: "dies-after" }] },
        { ...again, faults: [{ call: 1, of: "store state", does: "dies-after" }] },
      ],
    },
  },
  {
    title: "keeps state and journal consistent if two applies die right after their commit",
    life: {
      ...common,
      ...{ store: "row", objects: createContexts(2) },
      service: slowService,
      steps: [
        { ...again, faults: [{ call: 1, of: "store state", does: "dies-after" }] },
        { machine: 0, does: "remove", key: "c2" },
        // Selects call 2, because call 1 only fences off the dead run's lock.
        { ...again, faults: [{ call: 2, of: "store state", does: "dies-after" }] },
      ],
    },
  },
  {
    title: "reads a list with a count that is one too small",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(3), existing: createContexts(3).map(({ key }) => key) },
      service: { ...slowService, writes: [10, 50], pageSize: 2, counts: "too-small" },
      steps: [again],
    },
  },
  {
    title: "creates nothing if a list counts more objects than it has",
    needs: "comparing the count of a list with its objects",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(4), existing: createContexts(4).map(({ key }) => key) },
      service: { ...slowService, writes: [10, 50], pageSize: 2, omits: "newest" },
      steps: [again],
    },
  },
  {
    title: "creates nothing if a list without a count omits a different object on each read",
    needs: "comparing the ids of two sweeps",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(4), existing: createContexts(4).map(({ key }) => key) },
      service: { ...slowService, writes: [10, 50], pageSize: 2, omits: "another", counts: "absent" },
      steps: [again],
    },
  },
  {
    title: "creates nothing if a page without a count omits a different object on each read",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(4), existing: createContexts(4).map(({ key }) => key) },
      service: { ...slowService, writes: [10, 50], omits: "another", counts: "absent" },
      steps: [again],
    },
  },
  {
    title: "reads a list whose order differs on each page",
    life: {
      ...common,
      ...{ store: "file", objects: createContexts(100), existing: createContexts(100).map(({ key }) => key) },
      service: { ...slowService, writes: [10, 50], order: "each-page", pageSize: 20 },
      steps: [again],
    },
  },
];
