import { paint, say, type TextOptions, wrap } from "./piece.js";

/** A sentence on the way, for a terminal; what does not fit goes below, indented. */
export function renderSentence(sentence: string, { color, width }: TextOptions): string {
  const margins = { width: Math.max(width, 24), first: [], rest: [say("  ")] };
  return paint(wrap([say(sentence)], margins), color);
}
