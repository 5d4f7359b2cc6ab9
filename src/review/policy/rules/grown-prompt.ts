import { documentKind } from "../../../core/kinds/index.js";
import type { Rule } from "../rule.js";

/*
 * A prompt rarely doubles by intention: a file was pasted into it, or merged twice. Compared with the account; where that
 * was not read, the length before is not known. What only undoes an edit made elsewhere does not count.
 */
export const grownPrompt: Rule<"grown-prompt"> = (
  { address, kind },
  { factor = 2, above = 2_000 },
  { changes },
) => {
  if (kind !== documentKind.kind) return [];
  const fields = changes?.get(address)?.fields;
  const change = fields?.find(({ field }) => field === documentKind.body);
  if (!change || change.cause === "drifted") return [];
  const { before, after } = change;
  if (typeof before !== "string" || typeof after !== "string" || before === "") return [];
  if (after.length <= above || after.length <= before.length * factor) return [];
  const message = `would grow from ${before.length} to ${after.length} characters, more than ${factor === 2 ? "twice" : `${factor} times`} its size`;
  return [{ path: [documentKind.body], message, hint: "look for text that was pasted or merged twice" }];
};
