import { documentKind } from "../../../core/kinds/index.js";
import { judgePrompt, type Rule } from "../rule.js";

/** Counts code points, so a combining accent or an emoji sequence counts more than once. */
export const checkPromptLength: Rule<"prompt-length"> = (declaration, { min, max }) =>
  judgePrompt(declaration, (text) => {
    const { length } = [...text];
    const size = `has ${length} ${length === 1 ? "character" : "characters"}`;
    if (max !== undefined && length > max)
      return [{ message: `${size}, more than ${max}`, hint: "shorten it" }];
    if (min !== undefined && length < min)
      return [{ message: `${size}, fewer than ${min}`, hint: "lengthen it" }];
    return [];
  });

/*
 * Some deployments silently truncate prompts at 65,535 characters. Apply notices only afterward, so this rule warns in
 * advance.
 */
export const warnOfLongPrompt: Rule<"long-prompt"> = (declaration, { above }) => {
  const field = documentKind.kind.fields[documentKind.body];
  const limit = above ?? (field?.type === "string" ? field.warnAbove : undefined);
  return judgePrompt(declaration, ({ length }) => {
    if (limit === undefined || length <= limit) return [];
    const message = `has ${length} characters, so it may be truncated at ${limit}`;
    return [{ message, hint: "shorten it, or move parts into links" }];
  });
};
