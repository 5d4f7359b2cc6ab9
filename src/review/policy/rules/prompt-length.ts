import { documentKind } from "../../../core/kinds/index.js";
import { judgePrompt, type Rule } from "../rule.js";

/** Counts code points: what people call characters, but for accents and emoji that consist of several. */
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

/*
 * A prompt rarely doubles by intention: a file was pasted into it, or merged twice. Compared with the account; where that
 * was not read, the length before is not known. What only undoes an edit made elsewhere does not count.
 */
export const grownPrompt: Rule<"grown-prompt"> = (
  { address, kind },
  { factor = 2, above = 2_000 },
  { changes },
) => {
  if (kind.name !== documentKind.kind.name) return [];
  const fields = changes?.get(address)?.fields;
  const change = fields?.find(({ field }) => field === documentKind.body);
  if (!change || change.cause === "drifted") return [];
  const { before, after } = change;
  if (typeof before !== "string" || typeof after !== "string" || before === "") return [];
  if (after.length <= above || after.length <= before.length * factor) return [];
  const message = `would grow from ${before.length} to ${after.length} characters, more than ${factor === 2 ? "twice" : `${factor} times`} its size`;
  return [{ path: [documentKind.body], message, hint: "look for text that was pasted or merged twice" }];
};
