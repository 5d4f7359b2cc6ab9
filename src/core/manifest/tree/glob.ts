/*
 * Patterns of files: `*` and `?` within a name, `**` for any folders; all else stands for itself. Regular expressions made
 * of them take years for a hostile one, and patterns come from forks: here the work is bounded by the length of the
 * pattern times that of the path, and by the steps that are left for all patterns and paths together.
 */

/** What matching may still take, in characters that are looked at; below 0: it was given up, and nothing matches. */
export interface MatchBudget {
  left: number;
}

/** A pattern, parsed: its names. */
export interface Glob {
  readonly names: readonly Name[];
}

/** A sign of a name: a character that is there as it is, `?`, or `*`. */
type Sign = string | typeof anyText | typeof anyCharacter;
type Name = typeof anyFolders | readonly Sign[];

const anyText = Symbol("*");
const anyFolders = Symbol("**");
const anyCharacter = Symbol("?");

const longest = 1_000;

/** Whether it is more than the name of a file. */
export function isGlob(written: string): boolean {
  return /[*?]/.test(written) || /[!@+]\(/.test(written);
}

/** The pattern; if it is none, the reason as the end of a sentence. */
export function parseGlob(written: string): Glob | string {
  if (written.length > longest) return `has more than ${longest.toLocaleString("en")} characters`;
  if (/[!@+*?]\(/.test(written)) return "has an extended pattern, such as +(a|b)";
  return { names: written.split("/").map(nameIn) };
}

/** Whether a path matches. Names that begin with a dot are matched by such a pattern only, or by any if `dot` is set. */
export function matchesGlob(
  file: string,
  { names }: Glob,
  { dot = false, steps = { left: 1_000_000 } as MatchBudget } = {},
): boolean {
  const path = file.split("/").map((name) => [...name]);
  return matches(names, path, steps, {
    isAny: (name) => name === anyFolders,
    mayCover: ([first]) => dot || first !== ".",
    isOne: (name, part) => name !== anyFolders && matchesName(name, part, steps, dot),
  });
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
  isOne: (sign, character) => sign === anyCharacter || sign === character,
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

function nameIn(written: string): Name {
  if (written === "**") return anyFolders;
  return [...written].map((sign) => (sign === "*" ? anyText : sign === "?" ? anyCharacter : sign));
}
