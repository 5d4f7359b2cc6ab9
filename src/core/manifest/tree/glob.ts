/*
 * Patterns of files: `*` and `?` within a name, `**` for any folders; all else stands for itself. Regular expressions made
 * of them take years for a hostile one, and patterns come from forks: here the work is bounded by the length of the
 * pattern times that of the path, and by the steps that are left for all patterns and paths together.
 */

/** What matching may still take, in characters that are looked at; below 0: it was given up, and nothing matches. */
export interface MatchBudget {
  left: number;
}

/** Whether it is more than the name of a file. */
export function isGlob(written: string): boolean {
  return /[*?]/.test(written);
}

/** Whether a path matches. */
export function matchesGlob(
  file: string,
  pattern: string,
  steps: MatchBudget = { left: 1_000_000 },
): boolean {
  const signs = pattern.match(/(?<![^/])\*\*(?:\/|$)|./gsu) ?? [];
  steps.left -= signs.length;
  // The signs that the next character may be of.
  let reached = new Set([0]);
  let before = "/";
  for (const character of file) {
    const next = new Set<number>();
    for (const at of withEmpty(reached, signs, before)) {
      const sign = signs[at];
      steps.left -= 1;
      if (sign?.startsWith("**") || (sign === "*" && character !== "/")) next.add(at);
      else if (sign === "?" ? character !== "/" : sign === character) next.add(at + 1);
    }
    if (steps.left < 0 || next.size === 0) return false;
    before = character;
    reached = next;
  }
  return withEmpty(reached, signs, before).has(signs.length);
}

/** With the signs behind those that may stand for nothing; folders do where a name begins. */
function withEmpty(reached: Set<number>, signs: readonly string[], before: string): Set<number> {
  // A set is walked through with what is added on the way.
  for (const at of reached) {
    const sign = signs[at];
    if (sign === "*" || sign === "**" || (sign === "**/" && before === "/")) reached.add(at + 1);
  }
  return reached;
}

/** The folder above the first name that is a pattern: where to look. */
export function folderOfGlob(written: string): string {
  const names = written.split("/");
  const first = names.findIndex(isGlob);
  return names.slice(0, first === -1 ? -1 : first).join("/") || ".";
}
