import { kindNamed, referenceFields } from "../kinds/index.js";
import type { ApplyContext } from "./apply-context.js";
import { leftAlone, leftAloneWith, type Result, skipped, stopped } from "./outcome.js";
import { type Change, isLeftAlone } from "./plan-value.js";
import { write } from "./write.js";

/** A change, or a part of one that steps aside (see order-changes.ts). */
export interface Step {
  /** Distinguishes the steps. */
  readonly address: string;
  readonly after: readonly string[];
  readonly change: Change;
  readonly part: "whole" | "aside" | "rest";
}

/** The steps of the changes. A change that waits for one that steps aside waits for its first step only. */
export function toSteps(changes: readonly Change[]): Step[] {
  const asides = new Set(changes.filter((change) => change.aside).map(({ address }) => address));
  return changes.flatMap((change): Step[] => {
    const { address, after = [], aside } = change;
    const forerunners = after.map((first) => (asides.has(first) ? toAsideAddress(first) : first));
    if (!aside) return [{ address, after: forerunners, change, part: "whole" }];
    const first = toAsideAddress(address);
    return [
      { address: first, after: [], change, part: "aside" },
      { address, after: [...forerunners, first, aside.until], change, part: "rest" },
    ];
  });
}

/** The changes that write the new id of an object somewhere, or delete what may have the old one. */
export function changesUsing({ address, kind }: Change, id: string, changes: readonly Change[]): string[] {
  const isUser = (change: Change) => {
    const { references = {}, action } = change;
    const referring = referenceFields(kindNamed(change.kind)).filter(([, target]) => target === kind);
    return referring.some(
      ([field]) =>
        action === "delete" ||
        references[field] === address ||
        change.fields.some((one) => one.field === field && one.before === id),
    );
  };
  return changes.filter(isUser).map((change) => change.address);
}

/** Writes the temporary name, if all changes of the cycle may be written. */
export async function giveTemporaryName(
  input: ApplyContext,
  { change }: Step,
  changes: readonly Change[],
): Promise<Result> {
  if (input.signal?.aborted) return stopped(change);
  const left = findCycle(change, changes).filter((member) => isLeftAlone(member, input.overwriteDrift));
  const [other] = left;
  if (left.includes(change)) return leftAlone(change);
  if (other) return leftAloneWith(change, other);
  return rename(input, change, change.aside?.name ?? "");
}

/** The result of a change if one that it waits for, or its own first step, failed. */
export async function afterFailure(
  input: ApplyContext,
  { change }: Step,
  failedBefore: Result,
): Promise<Result> {
  const { address, aside } = change;
  if (failedBefore.address !== address && isLeftAlone(change, input.overwriteDrift)) return leftAlone(change);
  const ended =
    failedBefore.address === address
      ? failedBefore
      : skipped(change, "needs-another", whyNeeded(change, failedBefore.address));
  if (!aside || !input.renamed.has(address)) return ended;
  const old = change.fields.find(({ field }) => field === kindNamed(change.kind)?.label)?.before;
  const isBack =
    typeof old === "string" &&
    !input.signal?.aborted &&
    (await rename(input, change, old)).status === "applied";
  if (isBack || !ended.problem) return ended;
  const message = `${ended.problem.message} It is named "${aside.name}" until the next apply.`;
  return { ...ended, problem: { ...ended.problem, message } };
}

/** Why a change is not tried when another was not done. */
function whyNeeded({ action, references = {}, supersededBy }: Change, address: string): string {
  if (supersededBy === address) return `${address}, which supersedes it, was not done: apply again.`;
  if (action === "delete") return `It is used by ${address}, whose change was not done.`;
  if (Object.values(references).includes(address)) return `It refers to ${address}, which was not made.`;
  return notGivenUp(address);
}

function notGivenUp(address: string): string {
  return `It takes the name of ${address}, which was not renamed.`;
}

/** Writes a name and nothing else. */
async function rename(input: ApplyContext, change: Change, name: string): Promise<Result> {
  const label = kindNamed(change.kind)?.label ?? "";
  const fields = change.fields.filter(({ field }) => field === label);
  const only: Change = { ...change, label: name, fields, wanted: { [label]: name }, notes: [] };
  return write(input, only, true);
}

/** All changes of a cycle, starting with the one that steps aside. */
function findCycle(change: Change, changes: readonly Change[]): Change[] {
  const cycle = [change];
  for (let next = change.aside?.until; next !== undefined && next !== change.address; ) {
    const member = changes.find(({ address }) => address === next);
    if (member) cycle.push(member);
    next = member?.after?.[0];
  }
  return cycle;
}

function toAsideAddress(address: string): string {
  return `${address} aside`;
}
