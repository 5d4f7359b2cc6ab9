import { judgeProse, type Rule } from "../rule.js";

/*
 * Text pasted twice is rarely meant: one copy is edited later, and the avatar is told two things. The text is taken as a
 * sequence of lines and sentences, and a run of them that was there before is reported. Of a line that is pasted again and
 * again, each copy counts. Each is compared with its last few occurrences only, so the work grows with the text alone.
 */

/** How many earlier occurrences of a sentence are tried. */
const triedAtMost = 8;

/** Nobody reads more of them in one text. */
const reportedAtMost = 3;

export const repeatedText: Rule<"repeated-text"> = (declaration, { min = 200 }) =>
  judgeProse(declaration, (text) =>
    repeatsIn(text, min).map(({ start, end, line, length }) => ({
      message: `repeats ${length} characters of the text above, from line ${line} on`,
      hint: "remove one of the two",
      part: { start, end },
    })),
  );

interface Unit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The number of its line. */
  readonly line: number;
}

interface Run {
  /** Index of its first unit, and of the first unit of the earlier run. */
  readonly begin: number;
  readonly earlier: number;
  /** Total length of the texts of its units. */
  readonly length: number;
}

interface Repeat {
  readonly start: number;
  readonly end: number;
  /** The line in which the same text begins before. */
  readonly line: number;
  readonly length: number;
}

/** The texts of at least `min` characters that are in the text a second time. */
function repeatsIn(text: string, min: number): Repeat[] {
  if (text.length < min) return [];
  const units = unitsIn(text);
  if (!mayRepeat(units, min)) return [];
  const places = new Map<string, number[]>();
  const found: Repeat[] = [];
  let runs = new Map<number, Run>();
  let best: (Run & { readonly last: number }) | undefined;
  const finish = () => {
    if (best) {
      const [from, to, before] = [units[best.begin], units[best.last], units[best.earlier]];
      if (from && to && before)
        found.push({ start: from.start, end: to.end, line: before.line, length: best.length });
    }
    best = undefined;
  };
  for (const [i, unit] of units.entries()) {
    const earlier = places.get(unit.text) ?? [];
    const next = new Map<number, Run>();
    for (const j of earlier) {
      const run = runs.get(j - 1) ?? { begin: i, earlier: j, length: 0 };
      next.set(j, { ...run, length: run.length + unit.text.length });
    }
    const longest = [...next.values()].reduce((a, b) => (b.length > a.length ? b : a), none);
    if (best && longest.begin !== best.begin) finish();
    if (found.length >= reportedAtMost) return found;
    if (longest.length >= min) best = { ...longest, last: i };
    runs = next;
    earlier.push(i);
    if (earlier.length > triedAtMost) earlier.shift();
    places.set(unit.text, earlier);
  }
  finish();
  return found;
}

const none: Run = { begin: -1, earlier: -1, length: 0 };

/** Lines, and the sentences of each line, in one spelling of spaces. Rules and empty lines are no text. */
function unitsIn(text: string): Unit[] {
  const units: Unit[] = [];
  let start = 0;
  let line = 1;
  for (const { index, 0: end } of text.matchAll(/\n|[.!?](?=\s)|[。！？]/g)) {
    add(units, text, start, index + 1, line);
    start = index + 1;
    if (end === "\n") line += 1;
  }
  add(units, text, start, text.length, line);
  return units;
}

/** Whether units that were all there before, one after the other, may come to `min`: seldom, and looked at once. */
function mayRepeat(units: readonly Unit[], min: number): boolean {
  const seen = new Set<string>();
  let length = 0;
  return units.some(({ text }) => {
    length = seen.has(text) ? length + text.length : 0;
    seen.add(text);
    return length >= min;
  });
}

function add(units: Unit[], text: string, from: number, to: number, line: number): void {
  const written = text.slice(from, to);
  const words = written.trim();
  if (!/[\p{L}\p{N}]/u.test(words)) return;
  const start = from + (written.length - written.trimStart().length);
  const isSpaced = /\s\s|[^\S ]/.test(words);
  const spelled = isSpaced ? words.split(/\s+/).join(" ") : words;
  units.push({ start, end: start + words.length, text: spelled, line });
}
