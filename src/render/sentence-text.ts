import { styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** A progress sentence for a terminal; wrapped lines are indented. */
export function renderSentence(sentence: string, { color, width }: TextOptions): string {
  const margins = { width: Math.max(width, 24), first: [], rest: [styled("  ")] };
  return toTerminal(wrap([styled(sentence)], margins), color);
}
