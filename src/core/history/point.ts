import type { CommitRecord } from "../state/index.js";
import type { HistoryItem } from "./read-history.js";

/** The serial of a commit; or why there is none. */
export type SerialLookup =
  | { readonly serial: number }
  | { readonly problem: "unknown-commit" }
  | { readonly problem: "ambiguous-commit"; readonly commits: readonly string[] };

/** Whether a text is a serial: a number with fewer digits than the shortest id of a commit. */
export function isSerial(text: string): boolean {
  return /^\d{1,6}$/.test(text);
}

/**
 * The serial of a commit of the definitions, by its id or the start of it: the last time that its files were applied.
 * Other commands, such as `pull`, have it in their records too; they count only if it was never applied.
 */
export async function findCommitSerial(
  history: AsyncIterable<HistoryItem>,
  commit: string,
): Promise<SerialLookup> {
  let applied: CommitRecord | undefined;
  let other: CommitRecord | undefined;
  const commits = new Set<string>();
  for await (const item of history) {
    if (item.is !== "record" || !item.own || !item.record.definitions?.commit.startsWith(commit)) continue;
    commits.add(item.record.definitions.commit);
    if (item.record.results && !item.record.restored) applied ??= item.record;
    else other ??= item.record;
  }
  if (commits.size > 1) return { problem: "ambiguous-commit", commits: [...commits] };
  const found = applied ?? other;
  return found ? { serial: found.serial } : { problem: "unknown-commit" };
}
