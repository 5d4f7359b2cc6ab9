/*
 * Matches file patterns, where `*` and `?` match within a name and `**` matches any folders. Does not use regular
 * expressions, because a hostile pattern from a fork could then run for years. The work here is bounded by the pattern
 * length times the path length, and by a shared budget.
 */

/** Remaining work, in compared characters. Below 0, matching gives up and nothing matches. */
export interface MatchBudget {
  left: number;
}

/** Returns whether the path contains wildcards. */
export function isGlob(written: string): boolean {
  return /[*?]/.test(written);
}

export function matchesGlob(
  file: string,
  pattern: string,
  steps: MatchBudget = { left: 1_000_000 },
): boolean {
  const tokens = pattern.match(/(?<![^/])\*\*(?:\/|$)|./gsu) ?? [];
  steps.left -= tokens.length;
  // Indexes of the tokens that may match the next character.
  let reached = new Set([0]);
  let before = "/";
  for (const character of file) {
    const next = new Set<number>();
    for (const at of skipEmpty(reached, tokens, before)) {
      const token = tokens[at];
      steps.left -= 1;
      if (token?.startsWith("**") || (token === "*" && character !== "/")) next.add(at);
      else if (token === "?" ? character !== "/" : token === character) next.add(at + 1);
    }
    if (steps.left < 0 || next.size === 0) return false;
    before = character;
    reached = next;
  }
  return skipEmpty(reached, tokens, before).has(tokens.length);
}

/**
 * Adds to `reached` the position after each wildcard that can match the empty string. A folder wildcard can match it
 * only at the start of a name.
 */
function skipEmpty(reached: Set<number>, tokens: readonly string[], before: string): Set<number> {
  // The loop also visits elements added during the iteration.
  for (const at of reached) {
    const token = tokens[at];
    if (token === "*" || token === "**" || (token === "**/" && before === "/")) reached.add(at + 1);
  }
  return reached;
}

/** Returns the folder above the first name with a wildcard. */
export function findGlobFolder(written: string): string {
  const names = written.split("/");
  const first = names.findIndex(isGlob);
  return names.slice(0, first === -1 ? -1 : first).join("/") || ".";
}

/** Returns whether a folder may contain files that match the pattern. */
export function mayContainMatches(folder: string, pattern: string, steps: MatchBudget): boolean {
  if (folder === ".") return true;
  const names = pattern.split("/");
  const depth = folder.split("/").length;
  const deep = names.indexOf("**");
  if (deep !== -1 && depth > deep) return matchesGlob(folder, names.slice(0, deep + 1).join("/"), steps);
  return depth < names.length && matchesGlob(folder, names.slice(0, depth).join("/"), steps);
}
