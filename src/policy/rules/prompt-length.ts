import { documentKind } from "../../kinds/index.js";
import { type Rule, subjectOf } from "../rule.js";

/** Counts code points: what people call characters, but for accents and emoji that consist of several. */
export const promptLength: Rule<"prompt-length"> = (declaration, { min, max }) => {
  const path = [documentKind.body];
  const text = declaration.spec[documentKind.body];
  if (declaration.kind !== documentKind.kind || typeof text !== "string") return [];
  const length = codePoints(text);
  const has = `${subjectOf(declaration, path)} has ${length} ${length === 1 ? "character" : "characters"}`;
  if (max !== undefined && length > max)
    return [{ path, message: `${has}, more than ${max}`, hint: "shorten it" }];
  if (min !== undefined && length < min)
    return [{ path, message: `${has}, fewer than ${min}`, hint: "say more" }];
  return [];
};

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
