/** Returns the start of a string, at most `maxUnits` UTF-16 code units, without splitting a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  const start = text.slice(0, maxUnits);
  // The cut may leave half of a surrogate pair at the end.
  return start.length < text.length ? start.replace(/[\uD800-\uDBFF]$/, "") : start;
}

/** Shortens a string with `cutText`, and appends an ellipsis if anything was cut. */
export function abbreviate(text: string, maxUnits: number): string {
  const start = cutText(text, maxUnits);
  return start.length < text.length ? `${start}…` : text;
}
