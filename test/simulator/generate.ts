import type { DeclaredObject } from "./files.js";
import { generateRareStory } from "./generate-rare-stories.js";
import { createObjects, generateStory } from "./generate-stories.js";
import type { Life, Step } from "./life.js";
import type { Fault, MachineFacts, ProcessFault } from "./machine.js";
import { chance, createRandom, pick, pickNumber, type Random, type Range } from "./random.js";
import type { ServiceFacts } from "./simulated-service.js";
import type { StoreSort } from "./store-calls.js";

/**
 * Generates a simulated life from a seed. Most lives are short, because most failures need only a few steps and many
 * short lives find more of them.
 */
export function generateLife(seed: number): Life {
  const random = createRandom(seed, "life");
  const store: StoreSort = pick(random, ["file", "git", "row"]);
  const service = generateService(random);
  const rare = generateRareStory(seed, service);
  if (rare) return { seed, ...rare };
  if (chance(random, 0.3)) return { seed, ...generateStory(random, service) };
  const machines = generateMachines(random, store);
  const objects = generateObjects(random, service);
  const existing = objects.flatMap(({ key }) => (key.startsWith("c") && chance(random, 0.15) ? [key] : []));
  const hasOther = service.hasProfile && chance(random, 0.1);
  return {
    seed,
    ...{ store, service, machines, objects },
    ...(existing.length > 0 && { existing }),
    ...(hasOther && { others: [{ key: "c90", text: 0, deletes: true }] }),
    steps: generateSteps(random, { store, machines, objects, hasOther }),
  };
}

function generateMachines(random: Random, store: StoreSort): MachineFacts[] {
  const count = store === "file" ? 1 : pick(random, [1, 2, 2]);
  const host = chance(random, 0.6) ? "runner" : "desk";
  return Array.from({ length: count }, (_, at): MachineFacts => {
    const isContainer = chance(random, 0.25);
    const restarts = pick(random, ["anew", "same-inode", "elsewhere"] as const);
    const isClone = chance(random, isContainer ? 0.4 : 0.2) && (isContainer || at > 0);
    return {
      host: at === 0 ? "desk" : host,
      // The clocks of two machines differ by at most the tolerated amount.
      skewMs: chance(random, 0.3) ? pickNumber(random, [-20_000, 20_000]) : 0,
      ...(isClone && { cloneOf: 0 }),
      ...(isContainer && { container: { node: pick(random, [0, 0, at]), restarts } }),
    };
  });
}

/**
 * Whether two machines are clones with the same host name. After a restart, each would mistake the other's lock for its
 * own.
 */
function areTwins([one, other]: readonly MachineFacts[]): boolean {
  return other?.cloneOf === 0 && other.host === one?.host && !other.container && !one.container;
}

function generateObjects(random: Random, { hasProfile }: ServiceFacts): DeclaredObject[] {
  const of = (letter: string, count: number) =>
    createObjects(letter, count).map((one): DeclaredObject => {
      return hasProfile && chance(random, 0.4) ? { ...one, deletes: true } : one;
    });
  const secrets = chance(random, 0.5) ? pickNumber(random, [1, 2]) : 0;
  const llms = hasProfile && secrets > 0 && chance(random, 0.5) ? pickNumber(random, [1, secrets]) : 0;
  const isBig = chance(random, 0.02);
  const contexts = isBig ? pickNumber(random, [8, 30]) : pickNumber(random, [secrets > 0 ? 0 : 1, 3]);
  return [...of("s", secrets), ...of("l", llms), ...of("c", contexts)];
}

function generateService(random: Random): ServiceFacts {
  const timeoutMs = pick(random, [30_000, 30_000, 30_000, 60_000]);
  const limit = chance(random, 0.1) ? { perSecond: pickNumber(random, [1, 5]) } : {};
  const busy = chance(random, 0.05)
    ? { busyUntilMs: pickNumber(random, [1_000, 60_000]), retryAfter: pickNumber(random, [1, 20]) }
    : {};
  return {
    hasProfile: chance(random, 0.4),
    names: pick(random, ["free", "free", "unique"]),
    pageSize: pick(random, [100, 100, 2, 3]),
    order: pick(random, ["created", "newest", "shuffled", "each-page"]),
    ...(chance(random, 0.2) && { counts: pick(random, ["absent", "too-small"]) }),
    precision: pick(random, ["ms", "ms", "us", "s"]),
    skewMs: chance(random, 0.3) ? pickNumber(random, [-30_000, 30_000]) : 0,
    ...(timeoutMs !== 30_000 && { timeoutMs }),
    reads: chance(random, 0.1) ? [0, 3_000] : [5, 60],
    writes: pick<Range>(random, [
      [20, 300],
      [0, 0],
      [3_000, 6_000],
      [0, timeoutMs],
      [timeoutMs - 2_000, timeoutMs],
    ]),
    carriesOut: pick<Range>(random, [
      [0, 1],
      [0, 0],
      [1, 1],
      [1, 1],
    ]),
    ...limit,
    ...busy,
  };
}

interface Setting extends Pick<Life, "store" | "machines" | "objects"> {
  readonly hasOther: boolean;
}

function generateSteps(random: Random, setting: Setting): Step[] {
  const { machines, store, hasOther } = setting;
  const isHarmless = chance(random, 0.15);
  const commands = pick(random, [1, 1, 2, 2, 3]);
  const steps: Step[] = [];
  for (let made = 0; made < commands; made++) {
    const machine = Math.floor(random() * machines.length);
    if (made > 0 && chance(random, 0.5)) steps.push(generateEdit(random, setting, machine, isHarmless));
    const faults =
      isHarmless || chance(random, 0.2)
        ? []
        : generateFaults(random, areTwins(machines) ? processDeaths : deaths);
    const afterMs = generatePause(random);
    if (store !== "file" && chance(random, 0.3))
      steps.push({
        ...{ machine, afterMs, does: "sync", cycles: pick(random, [1, 2, 5]), everyMs: 30_000 },
        takeOverAfterMs: pick(random, [0, 10_000, 60_000]),
        faults,
      });
    else steps.push({ machine, afterMs, does: "apply", faults });
    if (isHarmless) continue;
    if (faults.length > 0 && chance(random, 0.25)) steps.push({ machine, does: "apply" });
    if (chance(random, 0.03)) {
      steps.push({ machine, does: "move", folder: "support" });
      // With a second project, users would see in the confirmation that the state is not theirs, and decline.
      if (chance(random, 0.5) && !hasOther) steps.push({ machine, does: "replace-project" });
    }
    if (machines.length > 1 && chance(random, 0.35)) {
      steps.push({ machine: 1 - machine, afterMs: pickNumber(random, [0, 20_000]), does: "unlock" });
      if (chance(random, 0.7)) steps.push({ machine: 1 - machine, does: "apply" });
    }
    if (hasOther) steps.push({ machine, afterMs: 1_000, does: "apply", isOther: true });
    if (chance(random, 0.08)) steps.push(generateOutage(random));
  }
  return steps;
}

/** Generates an outage in which the store rejects writes or has an unreadable lock. */
function generateOutage(random: Random): Step {
  const machine = 2;
  const afterMs = pickNumber(random, [0, 15_000]);
  const forMs = pickNumber(
    random,
    pick<Range>(random, [
      [1_000, 20_000],
      [30_000, 300_000],
    ]),
  );
  return {
    machine,
    afterMs,
    does: pick(random, ["refuse-writes", "foreign-lock"]),
    forMs,
  };
}

/** Returns the pause before the next command: zero, a few seconds or a long time. */
function generatePause(random: Random): number {
  return pickNumber(
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
  // Adds some edits to a separate sequence of steps, so that they happen while a machine runs a command.
  const lane = !isHarmless && chance(random, 0.3) ? 2 : machine;
  const common = { machine: lane, afterMs: generatePause(random) };
  const kind = key.charAt(0);
  const changed = { key, text: text + pickNumber(random, [1, 3]), ...(deletes && { deletes }) };
  const ways: Step[] = [{ ...common, does: "edit", object: changed }];
  if (kind === "s") ways.push({ ...common, does: "rotate", key }, { ...common, does: "rotate", key });
  if (kind === "c") {
    ways.push({ ...common, does: "remove", key });
    ways.push({ ...common, does: "edit", object: { key: `c${pickNumber(random, [40, 44])}`, text: 0 } });
    if (!isHarmless)
      ways.push({ ...common, does: "change-elsewhere", key }, { ...common, does: "delete-elsewhere", key });
  }
  return pick(random, ways);
}

const processDeaths: readonly ProcessFault[] = ["dies", "dies-after", "dies-after"];
const deaths: readonly ProcessFault[] = [...processDeaths, "reboots"];
const sleeps: readonly ProcessFault[] = ["stops", "suspends", "turns-back"];
const troubles: readonly ProcessFault[] = ["lost", "cut", "refused", "unavailable", "proxy-page", "late"];

function generateFaults(random: Random, deadly: readonly ProcessFault[]): Fault[] {
  const count = pick(random, [1, 1, 1, 2, 3]);
  // Sets the clock back at most once per process, because clocks must differ only by the tolerated amount.
  let mayTurnBack = true;
  return Array.from({ length: count }, () => {
    const sort = random();
    const drawn = pick(random, sort < 0.45 ? deadly : sort < 0.65 ? sleeps : troubles);
    const does = drawn === "turns-back" && !mayTurnBack ? "stops" : drawn;
    mayTurnBack &&= does !== "turns-back";
    const pauses = pick<Range>(random, [
      [3_000, 40_000],
      [60_000, 1_200_000],
    ]);
    const ms =
      does === "turns-back"
        ? { ms: 20_000 }
        : sleeps.includes(does)
          ? { ms: pickNumber(random, pauses) }
          : {};
    if (!troubles.includes(does) && chance(random, 0.2))
      return { afterMs: pickNumber(random, [0, 40_000]), does, ...ms };
    return { call: pickNumber(random, [1, pick(random, [12, 30, 60])]), does, ...ms };
  });
}
