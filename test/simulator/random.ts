/** Reproducible random numbers in [0, 1). */
export type Random = () => number;

/** Returns a separate stream for each name, so that removing part of a simulated life leaves other streams unchanged. */
export function createRandom(seed: number, name = ""): Random {
  let state = seed | 0;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Range of milliseconds or other numbers. */
export type Range = readonly [from: number, to: number];

export function pickNumber(random: Random, [from, to]: Range): number {
  return Math.round(from + random() * (to - from));
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function pick<Of>(random: Random, all: readonly Of[]): Of {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new Error("Bug: nothing to pick from");
  return one;
}
