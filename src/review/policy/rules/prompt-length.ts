import { judgePrompt, type Rule } from "../rule.js";

/** Counts code points: what people call characters, but for accents and emoji that consist of several. */
export const promptLength: Rule<"prompt-length"> = (declaration, { min, max }) =>
  judgePrompt(declaration, (text) => {
    const length = codePoints(text);
    const has = `has ${length} ${length === 1 ? "character" : "characters"}`;
    if (max !== undefined && length > max)
      return [{ message: `${has}, more than ${max}`, hint: "shorten it" }];
    if (min !== undefined && length < min)
      return [{ message: `${has}, fewer than ${min}`, hint: "say more" }];
    return [];
  });

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
