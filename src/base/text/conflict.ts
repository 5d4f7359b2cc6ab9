/** Advice for an unfinished merge. */
export const conflictHint = "finish the merge by keeping one side or combining both, and remove the markers";

/** Finds the opening marker of the first complete git conflict. Returns its range in UTF-16 code units. */
export function findConflictMarkers(
  text: string,
): { readonly start: number; readonly end: number } | undefined {
  // Avoids the slower search for nearly all inputs.
  if (!text.includes("<<<<<<< ")) return undefined;
  const opening = findLine(text, /^<{7} .*$/gm, 0);
  const middle = opening && findLine(text, /^={7}\r?$/gm, opening.end);
  return middle && findLine(text, /^>{7} .*$/gm, middle.end) && opening;
}

function findLine(text: string, pattern: RegExp, from: number) {
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? { start: found.index, end: found.index + found[0].trimEnd().length } : undefined;
}
