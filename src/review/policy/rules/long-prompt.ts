import { documentKind } from "../../../core/kinds/index.js";
import { judgePrompt, type Rule } from "../rule.js";

/*
 * Some deployments cut prompts at 65,535 characters without an error. Apply notices that, but only when the text has been
 * cut already: so the rule speaks up before.
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
