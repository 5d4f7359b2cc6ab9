/*
 * Patterns of files: `*` and `?` within a name, `[a-z]` and `[!a-z]` for one character, `{a,b}` for alternatives, `**` for
 * any folders, `\` before what stands for itself. Regular expressions made of them take years for a hostile one, and
 * patterns come from forks: here the work is bounded by the length of the pattern times that of the path, and by the
 * steps that are left for all patterns and paths together.
 */

/** What matching may still take, in characters that are looked at; below 0: it was given up, and nothing matches. */
export interface MatchBudget {
  left: number;
}

/** A pattern, parsed: one of these lists of names must match. */
export interface Glob {
  readonly alternatives: readonly (readonly Name[])[];
}

/** A sign of a name: one that is there as it is, `*`, or a set. */
type Sign = string | typeof anyText | CharacterSet;
type Name = typeof anyFolders | readonly Sign[];

interface CharacterSet {
  readonly isExcluding: boolean;
  /** Pairs of the first and the last character. */
  readonly ranges: readonly (readonly [string, string])[];
}

const anyText = Symbol("*");
const anyFolders = Symbol("**");
const anyCharacter: CharacterSet = { isExcluding: true, ranges: [] };

const longest = 1_000;
const mostAlternatives = 100;

/** Whether it is more than the name of a file. */
export function isGlob(written: string): boolean {
  return /[*?[{\\]/.test(written) || /[!@+]\(/.test(written);
}

/** The pattern; if it is none, the reason as the end of a sentence. */
export function parseGlob(written: string): Glob | string {
  if (written.length > longest) return `has more than ${longest.toLocaleString("en")} characters`;
  if (/[!@+*?]\(/.test(written)) return "has an extended pattern, such as +(a|b)";
  const expanded = expand(written);
  if (!expanded) return `has more than ${mostAlternatives} alternatives`;
  return { alternatives: expanded.map((one) => one.split("/").map(nameIn)) };
}

/** Whether a path matches. Names that begin with a dot are matched by such a pattern only, or by any if `dot` is set. */
export function matchesGlob(
  file: string,
  { alternatives }: Glob,
  { dot = false, steps = { left: 1_000_000 } as MatchBudget } = {},
): boolean {
  const path = file.split("/").map((name) => [...name]);
  return alternatives.some((names) =>
    matches(names, path, steps, {
      isAny: (name) => name === anyFolders,
      mayCover: ([first]) => dot || first !== ".",
      isOne: (name, part) => name !== anyFolders && matchesName(name, part, steps, dot),
    }),
  );
}

/** The folder above the first name that is a pattern: where to look. */
export function folderOfGlob(written: string): string {
  const names = written.split("/");
  const first = names.findIndex(isGlob);
  return names.slice(0, first === -1 ? -1 : first).join("/") || ".";
}

function matchesName(
  signs: readonly Sign[],
  name: readonly string[],
  steps: MatchBudget,
  dot: boolean,
): boolean {
  if (name[0] === "." && !dot && signs[0] !== ".") return false;
  return matches(signs, name, steps, inName);
}

const inName: Matching<Sign, string> = {
  isAny: (sign) => sign === anyText,
  mayCover: () => true,
  isOne: (sign, character) =>
    typeof sign === "string" ? sign === character : sign !== anyText && isIn(sign, character),
};

interface Matching<Part, Item> {
  isAny(part: Part): boolean;
  mayCover(item: Item): boolean;
  isOne(part: Part, item: Item): boolean;
}

/** Goes back to the last part that stands for any items only: what an earlier one covers makes no difference. */
function matches<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  steps: MatchBudget,
  { isAny, mayCover, isOne }: Matching<Part, Item>,
): boolean {
  let part = 0;
  let item = 0;
  let last = -1;
  let covered = 0;
  while (item < items.length) {
    steps.left -= 1;
    if (steps.left < 0) return false;
    const [here, there] = [parts[part] as Part, items[item] as Item];
    if (part < parts.length && isAny(here)) {
      last = part;
      covered = item;
      part += 1;
    } else if (part < parts.length && isOne(here, there)) {
      part += 1;
      item += 1;
    } else if (last !== -1 && mayCover(items[covered] as Item)) {
      covered += 1;
      item = covered;
      part = last + 1;
    } else return false;
  }
  while (part < parts.length && isAny(parts[part] as Part)) part += 1;
  return part === parts.length;
}

function isIn({ isExcluding, ranges }: CharacterSet, character: string): boolean {
  return ranges.some(([first, last]) => first <= character && character <= last) !== isExcluding;
}

/** The alternatives of `{a,b}`, written out; undefined if there are too many. Braces without a comma are themselves. */
function expand(written: string): string[] | undefined {
  const done: string[] = [];
  const open = [written];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (done.length + open.length >= mostAlternatives) return undefined;
    const group = firstGroup(one);
    if (!group) done.push(one);
    else for (const part of group.parts) open.push(one.slice(0, group.start) + part + one.slice(group.end));
  }
  return done.reverse();
}

/** The first braces with a comma between them, and what the commas divide. */
function firstGroup(text: string): { start: number; end: number; parts: string[] } | undefined {
  const open: { start: number; commas: number[] }[] = [];
  let found: { start: number; end: number; parts: string[] } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "{") open.push({ start: at, commas: [] });
    else if (character === ",") open.at(-1)?.commas.push(at);
    else if (character === "}") {
      const group = open.pop();
      if (!group || group.commas.length === 0) continue;
      const ends = [...group.commas, at];
      const parts = ends.map((end, i) => text.slice((ends[i - 1] ?? group.start) + 1, end));
      found = { start: group.start, end: at + 1, parts };
      break;
    }
  }
  return found;
}

function nameIn(written: string): Name {
  if (written === "**") return anyFolders;
  const signs: Sign[] = [];
  const characters = [...written];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const end = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") signs.push(anyText);
    else if (character === "?") signs.push(anyCharacter);
    else if (end !== -1) {
      signs.push(setIn(characters.slice(at + 1, end)));
      at = end;
    } else if (character === "\\" && at + 1 < characters.length) {
      at += 1;
      signs.push(characters[at] ?? "");
    } else signs.push(character);
  }
  return signs;
}

function setIn(characters: readonly string[]): CharacterSet {
  const isExcluding = characters[0] === "!" || characters[0] === "^";
  const ranges: (readonly [string, string])[] = [];
  for (let at = isExcluding ? 1 : 0; at < characters.length; at += 1) {
    const first = characters[at] ?? "";
    const last = characters[at + 2];
    const isRange = characters[at + 1] === "-" && last !== undefined;
    ranges.push([first, isRange ? last : first]);
    if (isRange) at += 2;
  }
  return { isExcluding, ranges };
}
