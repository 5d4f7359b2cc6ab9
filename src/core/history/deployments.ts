import { actionFacts, actionNames, parseAddress } from "../kinds/index.js";
import type { CommitRecord } from "../state/index.js";
import type { HistoryItem } from "./read-history.js";

/** An apply that changed what sessions use. */
export interface Deployment {
  readonly record: CommitRecord;
  /** When it was recorded, at its end; ms since the epoch, by the clock of the machine that applied. */
  readonly atMs: number;
  /** The addresses of what it changed, of the kinds that sessions use. */
  readonly addresses: readonly string[];
}

/** The deployments of a time, and what the history does not tell. */
export interface Deployments {
  /** Oldest first; the first one may be the last before that time. */
  readonly deployments: readonly Deployment[];
  /** Serials without a record, and records that cannot be read: each may be a deployment. */
  readonly lost: number;
}

/** Clocks of machines differ: records this much older than needed are read, too. */
const clockToleranceMs = 24 * 3_600_000;

/**
 * Finds the applies since a time that changed what sessions use, and the last one before it. Reads no further back than
 * that. A pull or an import only records what is live already.
 */
export async function deploymentsSince(
  history: AsyncIterable<HistoryItem>,
  sinceMs: number,
): Promise<Deployments> {
  const found: Deployment[] = [];
  let lost = 0;
  for await (const item of history) {
    if (item.is === "missing") lost += item.to - item.from + 1;
    else if (item.is === "unreadable") lost++;
    else {
      const atMs = Date.parse(item.record.at);
      const addresses = changedBy(item.record);
      if (addresses.length > 0 && !Number.isNaN(atMs)) found.push({ record: item.record, atMs, addresses });
      if (found.length > 0 && atMs < sinceMs - clockToleranceMs) break;
    }
  }
  const sorted = found.toSorted((a, b) => a.atMs - b.atMs || a.record.serial - b.record.serial);
  const first = sorted.findLastIndex(({ atMs }) => atMs <= sinceMs);
  return { deployments: sorted.slice(Math.max(0, first)), lost };
}

function changedBy({ results, recovered, objects }: CommitRecord): string[] {
  const isUsed = (address: string) => parseAddress(address)?.kind.usedInSessions === true;
  if (results) {
    const written = results.filter(
      ({ action, status, reason }) => status === "applied" && sends(action) && reason !== "converged",
    );
    return written.map(({ address }) => address).filter(isUsed);
  }
  if (!recovered) return [];
  const isWritten = (address: string) => {
    const { before, after } = objects[address] ?? {};
    return after !== undefined && JSON.stringify(before?.applied) !== JSON.stringify(after.applied);
  };
  return Object.keys(objects).filter((address) => isUsed(address) && isWritten(address));
}

/** Names of actions are those of the version that applied. */
function sends(action: string): boolean {
  const known = actionNames.find((name) => name === action);
  return known !== undefined && actionFacts[known].sends !== undefined;
}
