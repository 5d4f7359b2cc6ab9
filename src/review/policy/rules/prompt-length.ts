import { documentKind } from "../../../core/kinds/index.js";
import { judgePrompt, type Rule } from "../rule.js";

/** Counts code points. Composed accents and emoji count as several. */
export const promptLength: Rule<"prompt-length"> = (declaration, { min, max }) =>
  judgePrompt(declaration, (text) => {
    const { length } = [...text];
    const has = `has ${length} ${length === 1 ? "character" : "characters"}`;
    if (max !== undefined && length > max)
      return [{ message: `${has}, more than ${max}`, hint: "shorten it" }];
    if (min !== undefined && length < min)
      return [{ message: `${has}, fewer than ${min}`, hint: "say more" }];
    return [];
  });

/*
 * Some deployments truncate prompts at 65,535 characters without an error. Apply only detects this afterwards, so the rule warns before.
 */
export const longPrompt: Rule<"long-prompt"> = (declaration, { above }) => {
  const field = documentKind.kind.fields[documentKind.body];
  const limit = above ?? (field?.type === "string" ? field.warnAbove : undefined);
  return judgePrompt(declaration, ({ length }) => {
    if (limit === undefined || length <= limit) return [];
    const message = `has ${length} characters; above ${limit} it may be cut`;
    return [{ message, hint: "shorten it, or move parts into links" }];
  });
};
