import { findKind, listReferenceFields } from "../kinds/index.js";
import type { ApplyContext } from "./apply-context.js";
import { createSkippedResult, createWithheldResult, type Result } from "./outcome.js";
import { type Change, isWithheld } from "./plan-types.js";

/** Finds the changes that write an object's new id, or delete objects that may refer to its old id. */
export type FindChangesUsing = (change: Change, id: string) => readonly Change[];

/** Indexes changes by the addresses and ids that they refer to. Results keep the given order. */
export function indexChangesUsing(changes: readonly Change[]): FindChangesUsing {
  const byUse = new Map<string, Set<number>>();
  const note = (key: string, at: number) => byUse.set(key, (byUse.get(key) ?? new Set()).add(at));
  for (const [at, { kind, action, references = {}, fields }] of changes.entries())
    for (const [field, target] of listReferenceFields(findKind(kind))) {
      if (action === "delete") note(`delete ${target}`, at);
      const address = references[field];
      if (address !== undefined) note(`address ${target} ${address}`, at);
      for (const { field: name, before } of fields)
        if (name === field && typeof before === "string") note(`id ${target} ${before}`, at);
    }
  return ({ address, kind }, id) => {
    const keys = [`delete ${kind}`, `address ${kind} ${address}`, `id ${kind} ${id}`];
    const found = new Set(keys.flatMap((key) => [...(byUse.get(key) ?? [])]));
    return [...found].sort((a, b) => a - b).flatMap((at) => changes[at] ?? []);
  };
}

/** Returns the result of a change whose prerequisite failed. */
export function recheckAfterFailure(input: ApplyContext, change: Change, failedBefore: Result): Result {
  if (isWithheld(change, input.overwriteDrift)) return createWithheldResult(change, input.plan);
  return createSkippedResult(change, "needs-another", explainNeed(change, failedBefore.address));
}

/** Explains why a change depends on its prerequisite. */
function explainNeed({ action, references = {}, supersededBy }: Change, address: string): string {
  if (supersededBy === address) return `${address}, which supersedes it, was not written. Apply again.`;
  if (action === "delete") return `It is used by ${address}, whose change was not applied.`;
  if (Object.values(references).includes(address)) return `It refers to ${address}, which was not written.`;
  return `Its name is still used by ${address}, which was not renamed.`;
}
