import type { DeclaredObject } from "./files.js";
import type { Life, Step } from "./life.js";
import type { Fault, MachineFacts } from "./machine.js";
import { chance, pick, pickNumber, type Random } from "./random.js";
import type { ServiceFacts } from "./simulated-service.js";

export type Story = Omit<Life, "seed">;

/** Generates a story that provokes one kind of failure, because random events rarely produce it. */
export function generateStory(random: Random, service: ServiceFacts): Story {
  return pick(random, [
    generateSleeper,
    generateInterruption,
    generateLateUnlock,
    generateLateCommit,
    generateOutage,
    generatePages,
    restart,
  ])(random, service);
}

export function createObjects(letter: string, count: number, deletes?: true): DeclaredObject[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ key: `${letter}${at + 1}`, text: 0 },
    ...(deletes && { deletes }),
  }));
}

export const plain: readonly [MachineFacts, MachineFacts] = [
  { host: "desk", skewMs: 0 },
  { host: "runner", skewMs: 0 },
];

export function createMachines(random: Random): [MachineFacts, MachineFacts] {
  const withSkew = (facts: MachineFacts) => ({ ...facts, skewMs: pick(random, [0, 0, -20_000, 20_000]) });
  return [withSkew(plain[0]), withSkew(plain[1])];
}

/** The lock owner sleeps, or its clock is set back, while a colleague unlocks and applies. */
function generateSleeper(random: Random, service: ServiceFacts): Story {
  const isChain = chance(random, 0.5);
  const ms = pick(random, [pickNumber(random, [6_000, 20_000]), pickNumber(random, [20_000, 300_000])]);
  const call = pickNumber(random, [4, 30]);
  const isSetBack = ms <= 20_000 && chance(random, 0.6);
  const faults: Fault[] = [
    { call, does: isSetBack ? "stops" : pick(random, ["stops", "suspends"]), ms },
    ...(isSetBack ? [{ call: call - 1, does: "turns-back", ms } as const] : []),
  ];
  return {
    store: pick(random, ["git", "row"]),
    machines: createMachines(random),
    objects: isChain
      ? [...createObjects("s", 2), ...createObjects("l", 2)]
      : createObjects("c", pickNumber(random, [11, 14])),
    service: {
      ...service,
      ...{ hasProfile: isChain, order: "created", writes: pick(random, [[20, 300] as const, [500, 3_000]]) },
      ...(chance(random, 0.3) && { perSecond: pickNumber(random, [1, 5]) }),
    },
    steps: [
      { machine: 0, does: "apply", faults },
      { machine: 1, does: "unlock", afterMs: pickNumber(random, [1_000, 12_000]) },
      { machine: 1, does: "apply", afterMs: pickNumber(random, [0, 2_000]) },
    ],
  };
}

/** A run dies during a slow create and is repeated at once. */
function generateInterruption(random: Random, service: ServiceFacts): Story {
  const isRotated = chance(random, 0.5);
  const hasProfile = isRotated || service.hasProfile;
  const machine = pick(random, [0, 0, 1]);
  const before: Step[] = isRotated
    ? [
        { machine, does: "apply" },
        { machine, does: "rotate", key: "s1" },
      ]
    : [];
  const afterMs = pickNumber(random, [100, 6_000]);
  const dies: Fault = { afterMs, does: pick(random, ["dies", "reboots"]) };
  const isUnlocked = chance(random, 0.5);
  const { timeoutMs = 30_000 } = service;
  return {
    store: pick(random, ["git", "row"]),
    machines: createMachines(random),
    objects: isRotated ? createObjects("s", 1) : createObjects("c", pickNumber(random, [1, 3])),
    service: { ...service, hasProfile, writes: [3_000, timeoutMs], carriesOut: [1, 1] },
    steps: [
      ...before,
      { machine, does: "apply", faults: [dies] },
      ...(isUnlocked ? [{ machine: 1 - machine, does: "unlock", afterMs: afterMs / 2 } as const] : []),
      { machine, does: "apply", afterMs: pickNumber(random, [0, 2_000]) },
    ],
  };
}

/** A colleague unlocks while a create waits after a 429, and applies before the owner notices. */
function generateLateUnlock(random: Random, service: ServiceFacts): Story {
  const { timeoutMs = 30_000 } = service;
  return {
    store: pick(random, ["git", "row"]),
    machines: createMachines(random),
    objects: createObjects("c", pickNumber(random, [1, 3])),
    service: {
      ...{ ...service, order: "created", writes: [timeoutMs - 1_000, timeoutMs], carriesOut: [1, 1] },
      ...{ busyUntilMs: pickNumber(random, [500, 5_000]), retryAfter: pickNumber(random, [1, 4]) },
    },
    steps: [
      { machine: 0, does: "apply" },
      { machine: 1, does: "unlock", afterMs: pickNumber(random, [300, 4_000]) },
      { machine: 1, does: "apply" },
    ],
  };
}

/**
 * A dead run's commit arrives 10 to 20 s late, after the next run has read the state and before its first write.
 * The commit then contradicts the next run's journal, either about a create without an outcome or about an object
 * that received the same edit in the files and in the dashboard.
 */
function generateLateCommit(random: Random, service: ServiceFacts): Story {
  const isRead = chance(random, 0.8);
  const edited: DeclaredObject = { key: "c1", text: 1 };
  const before: Step[] = [
    { machine: 0, does: "apply" },
    { machine: 0, does: "edit", object: edited },
    { machine: 0, does: "change-elsewhere", key: edited.key, text: edited.text },
  ];
  return {
    store: "git",
    machines: plain.slice(0, 1),
    objects: createObjects(isRead ? "c" : "s", pickNumber(random, [1, 2])),
    service: { ...service, hasProfile: false, order: "created", writes: [20, 3_000] },
    steps: [
      ...(isRead ? before : []),
      {
        ...{ machine: 0, does: "apply" },
        faults: [
          { call: 1, of: "store state", does: "late" },
          { call: 2, of: "store state", does: "dies" },
          ...(isRead ? [] : [{ call: 1, of: "write", does: "lost" } as const]),
        ],
      },
      { machine: 0, does: "edit", object: { key: "c40", text: 0 } },
      { machine: 0, does: "apply" },
    ],
  };
}

/** The run dies halfway, or the store starts to reject its writes. */
function generateOutage(random: Random, service: ServiceFacts): Story {
  const dies: Fault[] = chance(random, 0.5)
    ? [{ afterMs: pickNumber(random, [500, 6_000]), does: "dies" }]
    : [];
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: plain.slice(0, 1),
    objects: createObjects(pick(random, ["s", "c"]), pickNumber(random, [12, 20])),
    service: { ...service, hasProfile: false, writes: [20, 3_000] },
    steps: [
      { machine: 0, does: "apply", faults: dies },
      ...(dies.length === 0
        ? [
            {
              machine: 1,
              does: "refuse-writes",
              afterMs: pickNumber(random, [200, 5_000]),
              forMs: 60_000,
            } as const,
          ]
        : []),
      { machine: 0, does: "apply" },
    ],
  };
}

/** Lists have a different order on each page, and a proxy responds with 404 to some pages or reads. */
function generatePages(random: Random, service: ServiceFacts): Story {
  const isKnown = chance(random, 0.5);
  const objects = createObjects("c", pickNumber(random, [4, 8]));
  const call = pickNumber(random, [10, 34]);
  const first = call % 2 === 0 ? { call } : { call: 1, of: "read" };
  const faults = [0, 1, 2, 3].map(
    (more): Fault => ({ ...first, call: first.call + more, does: "proxy-page" }),
  );
  return {
    store: "row",
    machines: plain.slice(0, 1),
    objects,
    ...(isKnown && { existing: objects.map(({ key }) => key) }),
    service: {
      ...{ ...service, order: "each-page", names: "free", pageSize: pick(random, [1, 2]), writes: [0, 20] },
      counts: pick(random, ["exact", "absent"]),
    },
    steps: [
      { machine: 0, does: "apply" },
      ...(isKnown ? [] : objects.map(({ key }): Step => ({ machine: 0, does: "copy-elsewhere", key }))),
      { machine: 0, does: "apply", faults },
    ],
  };
}

/** A machine or container restarts while another with the same name, or a clone of it, owns the lock. */
function restart(random: Random, service: ServiceFacts): Story {
  const host = pick(random, ["desk", "desk", "runner"]);
  const isContainer = chance(random, 0.4);
  const isClone = host === "runner" || (isContainer && chance(random, 0.6));
  const restarts = pick(random, ["anew", "same-inode", "elsewhere"] as const);
  const toMachine = (name: string, node: number): MachineFacts => ({
    ...{ host: name, skewMs: 0 },
    ...(isClone && { cloneOf: 0 }),
    ...(isContainer && { container: { node, restarts } }),
  });
  return {
    store: pick(random, ["git", "row"]),
    machines: [toMachine("desk", 0), toMachine(host, pick(random, [0, 1]))],
    objects: createObjects("c", pickNumber(random, [1, 3])),
    service: { ...service, order: "created", writes: [3_000, 20_000] },
    steps: [
      {
        machine: 0,
        does: "apply",
        ...(chance(random, 0.3) && { faults: [{ afterMs: 1_000, does: "reboots" }] }),
      },
      { machine: 0, does: "apply" },
      { machine: 1, does: "apply", faults: [{ afterMs: pickNumber(random, [100, 2_000]), does: "reboots" }] },
      { machine: 1, does: "apply" },
    ],
  };
}
