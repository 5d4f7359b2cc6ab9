import { UsageError } from "../../base/diagnostics/index.js";
import { findKind, kinds } from "../kinds/index.js";
import type { Change } from "./plan-types.js";

/**
 * Sorts the changes by kind, and adds their prerequisites. A change waits until its new name is free, its referenced
 * objects have ids, and nothing refers to an object that it deletes.
 *
 * @param users For each address, the addresses of the objects that referred to it at the last apply.
 * @throws UsageError `names-exchanged` if changes swap unique names in a cycle.
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
    const isCycle = isTaken && isWaitingFor(waitsFor, chains, first, address);
    if (isCycle && used.length === 0 && findKind(kind)?.uniqueLabels)
      throw createExchangeError(address, first, label);
    // Breaks any other cycle here. The service decides whether it accepts the same name twice.
    const after = isTaken && !isCycle ? [first, ...used] : used;
    waitsFor.set(address, after);
    const [only] = after;
    if (only !== undefined && after.length === 1) chains.set(address, only);
    return withAfter(change, after);
  });
}

/**
 * Returns the changes that must come first, because they write a referenced object or remove a reference to a deleted
 * object.
 */
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
  const advice = `Give one of them a temporary name, apply, and then set its final name.`;
  return new UsageError(
    "names-exchanged",
    `${address} takes the name ${JSON.stringify(label)} from ${other}, but these renames form a cycle. ${advice}`,
  );
}

function findReleasedName({ kind, fields, action, label }: Change): string | undefined {
  if (action === "delete") return label;
  const renamed = fields.find(({ field }) => field === findKind(kind)?.label);
  return typeof renamed?.before === "string" ? renamed.before : undefined;
}

/** Returns whether a change comes last, because its object was removed from the files. */
function isLast({ action }: Change): boolean {
  return action === "forget" || action === "delete" || action === "protected";
}

/**
 * Returns whether a change waits for another, directly or indirectly. `chains` caches shortcuts along changes with a
 * single prerequisite.
 */
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

/** Returns the end of a chain, and shortens the chain for the next search. */
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
