import { type Rule, subjectOf, textsOf, type Violation } from "../rule.js";

/*
 * Text pasted twice is rarely meant: one copy is edited later, and the avatar is told two things. The text is taken as a
 * sequence of lines and sentences, and a run of them that was there before is reported. Each is compared with its last
 * few occurrences only, so the work grows with the text alone.
 */

/** How many earlier occurrences of a sentence are tried. */
const triedAtMost = 8;

/** Nobody reads more of them in one text. */
const reportedAtMost = 3;

export const repeatedText: Rule<"repeated-text"> = (declaration, { min = 200 }) =>
  textsOf(declaration)
    .filter(({ isProse }) => isProse)
    .flatMap(({ path, text }) =>
      repeatsIn(text, min).map(({ start, end, first, length }): Violation => {
        const line = lineOf(text, first);
        const message = `${subjectOf(declaration, path)} repeats ${length} characters that are there before, from line ${line} of the text on`;
        return { path, message, hint: "remove one of the two", part: { start, end } };
      }),
    );

interface Unit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Run {
  /** Index of its first unit, and of the first unit of the earlier run. */
  readonly begin: number;
  readonly earlier: number;
  /** Of the texts of its units, each once: filler is no text pasted twice. */
  readonly length: number;
}

interface Repeat {
  readonly start: number;
  readonly end: number;
  /** Where the same text begins for the first time. */
  readonly first: number;
  readonly length: number;
}

/** The texts of at least `min` characters that are in the text a second time. */
function repeatsIn(text: string, min: number): Repeat[] {
  if (text.length < 2 * min) return [];
  const units = unitsIn(text);
  const places = new Map<string, number[]>();
  const found: Repeat[] = [];
  let runs = new Map<number, Run>();
  let best: (Run & { readonly last: number }) | undefined;
  const finish = () => {
    if (best) {
      const [from, to, before] = [units[best.begin], units[best.last], units[best.earlier]];
      if (from && to && before)
        found.push({ start: from.start, end: to.end, first: before.start, length: best.length });
    }
    best = undefined;
  };
  for (const [i, unit] of units.entries()) {
    const earlier = places.get(unit.text) ?? [];
    const last = earlier.at(-1) ?? -1;
    const next = new Map<number, Run>();
    for (const j of earlier) {
      const before = runs.get(j - 1);
      // The two must not overlap: three times the same sentence is no text pasted twice.
      const run =
        before && before.begin > j
          ? { ...before, length: before.length + (last < before.begin ? unit.text.length : 0) }
          : { begin: i, earlier: j, length: unit.text.length };
      next.set(j, run);
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
  for (const { index } of text.matchAll(/\n|[.!?](?=\s)|[。！？]/g)) {
    add(units, text, start, index + 1);
    start = index + 1;
  }
  add(units, text, start, text.length);
  return units;
}

function add(units: Unit[], text: string, from: number, to: number): void {
  const written = text.slice(from, to);
  const words = written.split(/\s+/).filter(Boolean).join(" ");
  if (!/[\p{L}\p{N}]/u.test(words)) return;
  const start = from + (written.length - written.trimStart().length);
  units.push({ start, end: from + written.trimEnd().length, text: words });
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
