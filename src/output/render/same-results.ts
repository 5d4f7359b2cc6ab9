import type { ShownResult } from "../documents/index.js";
import { count, number } from "./phrases.js";

/** Results with the same status for the same reason; usually one. */
export interface SameResults {
  readonly first: ShownResult;
  /** The address, or the number of objects. */
  readonly title: string;
  /** The planned action, if all have the same. */
  readonly action?: ShownResult["action"];
  /** For more than one: the first addresses, and the number of others. */
  readonly which?: string;
}

/** Up to this many are shown one by one: a stopped apply of thousands prints its reason once. */
const mostApart = 3;

/** The results in order, with those grouped that failed for exactly the same reason. */
export function sameResults(results: readonly ShownResult[]): SameResults[] {
  const groups = new Map<string, ShownResult[]>();
  for (const result of results) {
    const key = groupingKey(result);
    const group = groups.get(key);
    if (group) group.push(result);
    else groups.set(key, [result]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length > mostApart ? [together(group)] : group.map(apart),
  );
}

function groupingKey({ address, status, problem, notes }: ShownResult): string {
  const isAlike = status !== "applied" && problem && notes.length === 0;
  return JSON.stringify(isAlike ? [status, problem.code, problem.message] : [address]);
}

function apart(first: ShownResult): SameResults {
  return { first, title: first.address, action: first.action };
}

function together(group: readonly ShownResult[]): SameResults {
  const [{ id: _one, ...first }] = group as [ShownResult];
  const names = group.slice(0, mostApart).map(({ address }) => address);
  const action = group.every((result) => result.action === first.action) ? { action: first.action } : {};
  const which = `${names.join(", ")} and ${number(group.length - mostApart)} more`;
  return { first, title: count(group.length, "object"), ...action, which };
}
