import { UsageError } from "../../base/diagnostics/index.js";
import { findKind, kinds } from "../kinds/index.js";
import type { Change } from "./plan-types.js";

/**
 * Sorts the changes by kind and adds to each the changes that must come first. Names may be unique in an account, so a change
 * that takes a name waits for the one that gives it up. A reference waits for the id, and a delete for the objects that refer
 * to it (`users`, by address).
 *
 * A plan in which names are exchanged in a circle is refused, because each change would wait for the next.
 *
 * @throws UsageError `names-exchanged`
 */
export function orderChanges(
  changes: readonly Change[],
  users: ReadonlyMap<string, readonly string[]> = new Map(),
): Change[] {
  const rank = new Map(kinds.map(({ name }, at) => [name, at]));
  const ordered = changes
    .map((change, at) => ({ change, at }))
    .sort(
      (a, b) =>
        Number(isLast(a.change)) - Number(isLast(b.change)) ||
        (rank.get(a.change.kind) ?? 99) - (rank.get(b.change.kind) ?? 99) ||
        a.at - b.at,
    )
    .map(({ change }) => change);
  const givenUp = new Map<string, string>();
  for (const change of ordered) {
    const old = findReleasedName(change);
    if (old !== undefined) givenUp.set(`${change.kind} ${old}`, change.address);
  }
  const waitsFor = new Map(ordered.map((change) => [change.address, listDependencies(change, users)]));
  const chains = new Map<string, string>();
  return ordered.map((change) => {
    const { address, kind, label } = change;
    const used = waitsFor.get(address) ?? [];
    const takes = change.fields.some(({ field }) => field === findKind(kind)?.label);
    const first = takes && givenUp.get(`${kind} ${label}`);
    const isTaken = first && first !== address;
    const isCircle = isTaken && isWaitingFor(waitsFor, chains, first, address);
    if (isCircle && used.length === 0 && findKind(kind)?.uniqueLabels)
      throw createExchangeError(address, first, label);
    // In a circle with a reference, nothing waits, and the service decides whether both names are allowed.
    const after = isTaken && !isCircle ? [first, ...used] : used;
    waitsFor.set(address, after);
    const [only] = after;
    if (only !== undefined && after.length === 1) chains.set(address, only);
    return withAfter(change, after);
  });
}

/** Returns the changes that come first because of references: those that create used objects or end uses of a deleted one. */
function listDependencies(
  { address, action, references = {} }: Change,
  users: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const before = action === "delete" ? (users.get(address) ?? []) : [];
  return [...new Set([...Object.values(references), ...before])];
}

function withAfter(change: Change, after: readonly string[]): Change {
  return after.length > 0 ? { ...change, after } : change;
}

function createExchangeError(address: string, other: string, label: string): UsageError {
  const advice = `Give one of them another name, apply, and then give it the name it is to have.`;
  return new UsageError(
    "names-exchanged",
    `${address} takes the name ${JSON.stringify(label)} of ${other}, which waits for a name in turn. ${advice}`,
  );
}

function findReleasedName({ kind, fields, action, label }: Change): string | undefined {
  if (action === "delete") return label;
  const renamed = fields.find(({ field }) => field === findKind(kind)?.label);
  return typeof renamed?.before === "string" ? renamed.before : undefined;
}

/** Whether a change comes last, because its object is no longer declared. */
function isLast({ action }: Change): boolean {
  return action === "forget" || action === "delete" || action === "protected";
}

/** Whether a change waits for another, directly or not. `chains` caches shortcuts for changes with a single prerequisite. */
function isWaitingFor(
  waitsFor: ReadonlyMap<string, readonly string[]>,
  chains: Map<string, string>,
  from: string,
  to: string,
): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const end = followChain(chains, at);
    if (end === to) return true;
    if (!seen.has(end)) open.push(...(waitsFor.get(end) ?? []));
    seen.add(end);
  }
  return false;
}

/** Returns the end of a chain and shortens it for the next search. */
function followChain(chains: Map<string, string>, from: string): string {
  const passed = new Set<string>();
  let end = from;
  for (let next = chains.get(end); next !== undefined && !passed.has(next); next = chains.get(end)) {
    passed.add(end);
    end = next;
  }
  for (const at of passed) chains.set(at, end);
  return end;
}
