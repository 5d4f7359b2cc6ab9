/** The start of a text, of at most this many UTF-16 units, and never half of a character. */
export function cutText(text: string, maxUnits: number): string {
  const start = text.slice(0, maxUnits);
  // A high surrogate at the end has lost its other half.
  return start.length < text.length ? start.replace(/[\uD800-\uDBFF]$/, "") : start;
}

/** The same, with an ellipsis if something is cut. */
export function abbreviate(text: string, maxUnits: number): string {
  const start = cutText(text, maxUnits);
  return start.length < text.length ? `${start}…` : text;
}
