import type { DeclaredObject } from "./files.js";
import type { Life, Step } from "./life.js";
import type { Fault, MachineFacts, Mishap } from "./machine.js";
import { between, chance, pick, type Random, type Range, randomFrom } from "./random.js";
import type { ServiceFacts } from "./simulated-service.js";
import type { StoreSort } from "./store-calls.js";

/** The life of a seed. */
export function generateLife(seed: number): Life {
  const random = randomFrom(seed, "life");
  const store: StoreSort = pick(random, ["file", "git", "row"]);
  const hasProfile = chance(random, 0.4);
  const machines = generateMachines(random, store);
  const objects = generateObjects(random, hasProfile);
  const existing = objects.flatMap(({ key }) => (key.startsWith("c") && chance(random, 0.15) ? [key] : []));
  return {
    seed,
    store,
    service: generateService(random, hasProfile),
    machines,
    objects,
    ...(existing.length > 0 && { existing }),
    steps: generateSteps(random, { store, hasProfile, machines, objects }),
  };
}

function generateMachines(random: Random, store: StoreSort): MachineFacts[] {
  const count = store === "file" ? 1 : pick(random, [1, 1, 2]);
  return Array.from({ length: count }, (_, at) => ({
    host: at === 0 ? "desk" : "runner",
    skewMs: chance(random, 0.3) ? between(random, [-60_000, 60_000]) : 0,
  }));
}

function generateObjects(random: Random, hasProfile: boolean): DeclaredObject[] {
  const deletes = () => (hasProfile && chance(random, 0.4) ? ({ deletes: true } as const) : {});
  const of = (letter: string, count: number) =>
    Array.from(
      { length: count },
      (_, at): DeclaredObject => ({ key: `${letter}${at + 1}`, text: 0, ...deletes() }),
    );
  const secrets = chance(random, 0.5) ? between(random, [1, 2]) : 0;
  const llms = hasProfile && secrets > 0 && chance(random, 0.5) ? between(random, [1, secrets]) : 0;
  const isBig = chance(random, 0.03);
  const contexts = isBig ? between(random, [8, 30]) : between(random, [secrets > 0 ? 0 : 1, 3]);
  return [...of("s", secrets), ...of("l", llms), ...of("c", contexts)];
}

function generateService(random: Random, hasProfile: boolean): ServiceFacts {
  const slow = pick<Range>(random, [
    [20, 300],
    [0, 0],
    [3_000, 6_000],
    [0, 29_000],
  ]);
  const limit = chance(random, 0.1) ? { perSecond: between(random, [1, 5]) } : {};
  const busy = chance(random, 0.05)
    ? { busyUntilMs: between(random, [1_000, 60_000]), retryAfter: between(random, [1, 20]) }
    : {};
  return {
    hasProfile,
    names: pick(random, ["free", "unique"]),
    pageSize: pick(random, [100, 100, 2, 3]),
    order: pick(random, ["created", "newest", "shuffled", "each-page"]),
    precision: pick(random, ["ms", "ms", "us", "s"]),
    skewMs: chance(random, 0.3) ? between(random, [-30_000, 30_000]) : 0,
    reads: chance(random, 0.1) ? [0, 3_000] : [5, 60],
    writes: slow,
    carriesOut: pick<Range>(random, [
      [0, 1],
      [0, 0],
      [1, 1],
    ]),
    ...limit,
    ...busy,
  };
}

interface Setting extends Pick<Life, "store" | "machines" | "objects"> {
  readonly hasProfile: boolean;
}

function generateSteps(random: Random, setting: Setting): Step[] {
  const { machines, store } = setting;
  const isHarmless = chance(random, 0.15);
  const commands = pick(random, [1, 1, 2, 2, 3]);
  const steps: Step[] = [];
  for (let made = 0; made < commands; made++) {
    const machine = Math.floor(random() * machines.length);
    if (made > 0 && chance(random, 0.6)) steps.push(generateEdit(random, setting, machine, isHarmless));
    const faults = isHarmless || chance(random, 0.2) ? [] : generateFaults(random);
    const afterMs = generatePause(random);
    if (store !== "file" && chance(random, 0.25))
      steps.push({
        ...{ machine, afterMs, does: "sync", cycles: pick(random, [1, 2, 3]), everyMs: 30_000 },
        takeOverAfterMs: pick(random, [0, 60_000, 300_000]),
        faults,
      });
    else steps.push({ machine, afterMs, does: "apply", faults });
    if (!isHarmless && machines.length > 1 && chance(random, 0.3))
      steps.push({ machine: 1 - machine, afterMs: generatePause(random), does: "unlock" });
  }
  return steps;
}

/** People come back at once, after seconds, or after a long time. */
function generatePause(random: Random): number {
  return between(
    random,
    pick<Range>(random, [
      [0, 0],
      [0, 0],
      [100, 12_000],
      [10_000, 120_000],
    ]),
  );
}

function generateEdit(random: Random, { objects }: Setting, machine: number, isHarmless: boolean): Step {
  const { key, text, deletes } = pick(random, objects);
  const common = { machine, afterMs: generatePause(random) };
  const kind = key.charAt(0);
  const ways: Step[] = [
    {
      ...common,
      does: "edit",
      object: { key, text: text + 1 + Math.floor(random() * 3), ...(deletes && { deletes }) },
    },
  ];
  if (kind === "s") ways.push({ ...common, does: "rotate", key }, { ...common, does: "rotate", key });
  if (kind === "c") {
    ways.push({ ...common, does: "remove", key });
    ways.push({ ...common, does: "edit", object: { key: `c${40 + Math.floor(random() * 5)}`, text: 0 } });
    if (!isHarmless)
      ways.push({ ...common, does: "change-elsewhere", key }, { ...common, does: "delete-elsewhere", key });
  }
  return pick(random, ways);
}

const deaths: readonly Mishap[] = ["dies", "dies-after", "dies-after", "reboots"];
const sleeps: readonly Mishap[] = ["stops", "suspends"];
const troubles: readonly Mishap[] = ["lost", "cut", "refused", "unavailable", "late"];

function generateFaults(random: Random): Fault[] {
  const count = pick(random, [1, 1, 1, 2, 3]);
  return Array.from({ length: count }, () => {
    const sort = random();
    const does = pick(random, sort < 0.45 ? deaths : sort < 0.65 ? sleeps : troubles);
    const ms = sleeps.includes(does)
      ? {
          ms: between(
            random,
            pick<Range>(random, [
              [3_000, 40_000],
              [60_000, 1_200_000],
            ]),
          ),
        }
      : {};
    if (!troubles.includes(does) && chance(random, 0.2))
      return { afterMs: between(random, [0, 40_000]), does, ...ms };
    return { call: between(random, [1, pick(random, [12, 30, 60])]), does, ...ms };
  });
}
