import { documentKind } from "../../kinds/index.js";
import { type Rule, subjectOf } from "../rule.js";

/*
 * Some deployments cut prompts at 65,535 characters without an error. Apply notices that, but only when the text has been
 * cut already: so the rule speaks up before.
 */
export const longPrompt: Rule<"long-prompt"> = (declaration, { above }) => {
  const field = documentKind.kind.fields[documentKind.body];
  const limit = above ?? (field?.type === "string" ? field.warnAbove : undefined);
  const text = declaration.spec[documentKind.body];
  if (declaration.kind !== documentKind.kind || typeof text !== "string" || limit === undefined) return [];
  if (text.length <= limit) return [];
  const path = [documentKind.body];
  const message = `${subjectOf(declaration, path)} has ${text.length} characters; above ${limit} it may be cut`;
  return [{ path, message, hint: "shorten it, or move parts into links" }];
};
