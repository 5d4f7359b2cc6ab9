import { styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** A sentence on the way, for a terminal; what does not fit goes below, indented. */
export function renderSentence(sentence: string, { color, width }: TextOptions): string {
  const margins = { width: Math.max(width, 24), first: [], rest: [styled("  ")] };
  return toTerminal(wrap([styled(sentence)], margins), color);
}
