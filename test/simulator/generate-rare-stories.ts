import { createMachines, createObjects, plain, type Story } from "./generate-stories.js";
import type { Step } from "./life.js";
import type { Fault, ProcessFault } from "./machine.js";
import { chance, createRandom, pick, pickNumber, type Random, type Range } from "./random.js";
import type { ServiceFacts } from "./simulated-service.js";

/**
 * Stories that few lives contain. Each story has its own random stream, so adding one leaves most lives
 * unchanged.
 */
const rareStories = {
  "slow lists": generateSlowLists,
  replicas: generateReplicas,
  "incomplete lists": generateIncompleteLists,
  "inflated counts": generateInflatedCounts,
  "odd responses": generateOddResponses,
  namesakes: generateNamesakes,
  "damaged states": generateDamagedState,
  holds: generateHold,
  removals: generateRemoval,
};

export function generateRareStory(seed: number, service: ServiceFacts): Story | undefined {
  for (const [name, generate] of Object.entries(rareStories)) {
    const random = createRandom(seed, name);
    if (chance(random, 0.02)) return generate(random, service);
  }
  return undefined;
}

/** A run dies right after sending a create, and the next run reads lists that are outdated when they arrive. */
function generateSlowLists(random: Random, service: ServiceFacts): Story {
  const { timeoutMs = 30_000, perSecond: _, busyUntilMs: __, ...others } = service;
  return {
    store: pick(random, ["file", "row"]),
    machines: plain.slice(0, 1),
    objects: createObjects("c", pickNumber(random, [1, 3])),
    service: {
      ...{ ...others, order: "created", names: "free", reads: [0, timeoutMs / 3], readsCarriedOut: [0, 0] },
      ...{ writes: [timeoutMs - 1_000, timeoutMs], carriesOut: [1, 1] },
    },
    steps: [
      { machine: 0, does: "apply", faults: [{ call: 1, of: "write", does: "dies-after" }] },
      { machine: 0, does: "apply", afterMs: pick(random, [0, 0, 1_000]) },
    ],
  };
}

/** A `sync` replica starts while another one, perhaps with the same name, owns the lock. */
function generateReplicas(random: Random, service: ServiceFacts): Story {
  const [first, second] = createMachines(random);
  const { timeoutMs = 30_000 } = service;
  const takeOverAfterMs = pick(random, [0, 10_000, 60_000, 300_000]);
  const sync = { does: "sync", everyMs: 30_000, takeOverAfterMs } as const;
  const sleeps: Fault[] = [{ call: pickNumber(random, [10, 20]), does: "stops", ms: 200_000 }];
  return {
    store: pick(random, ["git", "row"]),
    machines: [first, chance(random, 0.6) ? { ...second, host: first.host } : second],
    objects: createObjects("c", pickNumber(random, [1, 12])),
    service: { ...service, writes: [timeoutMs / 2, timeoutMs] },
    steps: [
      { ...sync, machine: 0, cycles: 2, ...(chance(random, 0.5) && { faults: sleeps }) },
      { ...sync, machine: 1, afterMs: pickNumber(random, [1_000, 20_000]), cycles: 5 },
    ],
  };
}

/** Lists omit an existing or new context, and the counts may still include it. */
function generateIncompleteLists(random: Random, service: ServiceFacts): Story {
  // Without a limit, the first run creates several contexts, so two reads of the list can differ.
  const { perSecond: _, busyUntilMs: __, ...unlimited } = service;
  const objects = createObjects("c", pickNumber(random, [4, 6]));
  const isKnown = chance(random, 0.5);
  const hasTotalCount = chance(random, 0.5);
  return {
    store: pick(random, ["file", "row"]),
    machines: plain.slice(0, 1),
    objects,
    ...(isKnown && { existing: objects.map(({ key }) => key) }),
    service: {
      ...{ ...unlimited, order: "created", names: "free", pageSize: 2, writes: [0, 20] },
      ...(hasTotalCount ? { omits: "newest", counts: "exact" } : { omits: "another", counts: "absent" }),
    },
    steps: [
      {
        machine: 0,
        does: "apply",
        ...(!isKnown && { faults: [{ call: 4, of: "write", does: "dies-after" }] }),
      },
      { machine: 0, does: "apply", afterMs: 1_000 },
    ],
  };
}

/** Lists report more objects than they contain, so nothing is created until the files ignore the counts. */
function generateInflatedCounts(random: Random, service: ServiceFacts): Story {
  const isKnown = chance(random, 0.5);
  const objects = createObjects("c", pickNumber(random, [1, 4]));
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: plain.slice(0, 1),
    objects: [...objects, ...createObjects("s", pickNumber(random, [0, 2]))],
    ...(isKnown && { existing: objects.map(({ key }) => key) }),
    service: { ...service, order: pick(random, ["created", "newest"]), counts: "too-large" },
    steps: [
      { machine: 0, does: "apply" },
      ...(isKnown ? [] : [{ machine: 0, does: "edit", object: { key: "c40", text: 0 } } as const]),
      { machine: 0, does: "apply" },
    ],
  };
}

const oddities: readonly ProcessFault[] = ["gateway-page", "repeated", "other-code", "lost", "cut"];

/** Gateways and proxies replace the responses to some writes. */
function generateOddResponses(random: Random, service: ServiceFacts): Story {
  const deletes = service.hasProfile && chance(random, 0.5) ? true : undefined;
  const secrets = createObjects("s", pickNumber(random, [0, 3]), deletes);
  const contexts = createObjects("c", pickNumber(random, [secrets.length > 0 ? 0 : 2, 4]));
  const createFaults = () =>
    Array.from({ length: pickNumber(random, [1, 2]) }, (): Fault => {
      return { call: pickNumber(random, [1, 4]), of: "write", does: pick(random, oddities) };
    });
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: createMachines(random).slice(0, 1),
    objects: [...secrets, ...contexts],
    service,
    steps: [
      { machine: 0, does: "apply", faults: createFaults() },
      ...contexts
        .slice(0, 2)
        .map(({ key }): Step => ({ machine: 0, does: "edit", object: { key, text: 1 } })),
      ...secrets.slice(0, 2).map(({ key }): Step => ({ machine: 0, does: "rotate", key })),
      { machine: 0, does: "apply", faults: createFaults() },
    ],
  };
}

/**
 * People create secrets with the names of declared ones, and a run creates or rotates its own. They do so before a create
 * is sent, because nothing distinguishes a later secret from the one that was sent (docs/rules.md).
 */
function generateNamesakes(random: Random, service: ServiceFacts): Story {
  const hasProfile = chance(random, 0.7);
  const deletes = hasProfile && chance(random, 0.7) ? true : undefined;
  const sharesName = chance(random, 0.4);
  // A secret's response contains only its name, so a repeated one can look like the response to a namesake.
  const ways = [...oddities, ...(["dies", "dies-after"] as const)].filter(
    (does) => does !== "repeated" || !sharesName,
  );
  const createFaults = (): Fault[] => [
    { call: pickNumber(random, [1, 2]), of: "write", does: pick(random, ways) },
  ];
  const isLater = chance(random, 0.6);
  const own = createObjects("s", pickNumber(random, [1, 2]), deletes);
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: createMachines(random).slice(0, 1),
    objects: [...own, ...(sharesName ? createObjects("t", 1, deletes) : [])],
    ...((!isLater || chance(random, 0.5)) && { existing: ["s1"] }),
    service: { ...service, hasProfile },
    steps: [
      { machine: 0, does: "apply", ...(!isLater && { faults: createFaults() }) },
      ...(isLater ? [{ machine: 0, does: "create-elsewhere", key: "s1" } as const] : []),
      { machine: 0, does: "rotate", key: "s1", afterMs: pickNumber(random, [0, 30_000]) },
      { machine: 0, does: "apply", faults: createFaults() },
    ],
  };
}

/** A person damages the stored state between two runs or during one, and restores it later. */
function generateDamagedState(random: Random, service: ServiceFacts): Story {
  const dies: Fault = { call: pickNumber(random, [4, 16]), does: pick(random, ["dies", "dies-after"]) };
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: createMachines(random).slice(0, 1),
    objects: [
      ...createObjects("s", pickNumber(random, [1, 2])),
      ...createObjects("c", pickNumber(random, [0, 2])),
    ],
    service,
    steps: [
      { machine: 0, does: "apply", faults: chance(random, 0.4) ? [dies] : [] },
      {
        ...{ machine: 1, does: "damage-state", by: pick(random, ["empty", "foreign", "half"]) },
        afterMs: pickNumber(
          random,
          pick<Range>(random, [
            [100, 3_000],
            [1_000, 30_000],
          ]),
        ),
        forMs: pickNumber(random, [10_000, 120_000]),
      },
      { machine: 0, does: "apply" },
      { machine: 0, does: "apply", afterMs: pickNumber(random, [0, 60_000]) },
    ],
  };
}

/** A person imports an object or puts one on hold, and a run dies during a create of a service with a long timeout. */
function generateHold(random: Random, service: ServiceFacts): Story {
  const timeoutMs = pick(random, [60_000, 120_000]);
  const isImport = chance(random, 0.3);
  const isRollback = chance(random, 0.5);
  const deaths = chance(random, 0.3) ? { faults: [generateDeath(random)] } : {};
  const edited = pick(random, ["c1", "c2"]);
  const before: Step[] = isImport
    ? [{ machine: 0, does: "import", key: "c1", ...deaths }]
    : [
        { machine: 0, does: "apply" },
        { machine: 0, does: "hold", key: "c1", ...(isRollback && { isRollback }), ...deaths },
        { machine: 0, does: "edit", object: { key: edited, text: 1 } },
      ];
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: createMachines(random).slice(0, 1),
    objects: createObjects("c", 2),
    ...(isImport && { existing: ["c1"] }),
    service: {
      ...service,
      ...{ order: "created", timeoutMs, writes: [timeoutMs / 2, timeoutMs], carriesOut: [1, 1] },
    },
    steps: [
      ...before,
      { machine: 0, does: "edit", object: { key: "c3", text: 0 } },
      {
        machine: 0,
        does: "apply",
        faults: [{ call: pickNumber(random, [1, 2]), of: "write", does: "dies-after" }],
      },
      { machine: 0, does: "apply", afterMs: pickNumber(random, [0, 2_000]) },
    ],
  };
}

/** Generates the death of a process at one of its first calls. */
function generateDeath(random: Random): Fault {
  return { call: pickNumber(random, [1, 14]), does: pick(random, ["dies", "dies-after"]) };
}

/** A run dies during slow creates, whose declarations are removed and applied, and then added again. */
function generateRemoval(random: Random, service: ServiceFacts): Story {
  const { timeoutMs = 30_000 } = service;
  const objects = createObjects("c", pickNumber(random, [1, 3]));
  const removed = objects.slice(0, pick(random, [1, objects.length]));
  return {
    store: pick(random, ["file", "git", "row"]),
    machines: createMachines(random).slice(0, 1),
    objects,
    service: { ...service, order: "created", writes: [timeoutMs / 2, timeoutMs], carriesOut: [1, 1] },
    steps: [
      { machine: 0, does: "apply", faults: [{ afterMs: pickNumber(random, [500, 10_000]), does: "dies" }] },
      ...removed.map(({ key }): Step => ({ machine: 0, does: "remove", key })),
      { machine: 0, does: "apply" },
      ...removed.map((object): Step => ({ machine: 0, does: "edit", object })),
      { machine: 0, does: "apply" },
    ],
  };
}
