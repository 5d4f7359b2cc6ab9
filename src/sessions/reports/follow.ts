/**
 * Follows the sessions of an account: which are active, and which have ended since the last pass.
 *
 * The service sends no events, so each poll reads two lists. The active list is read first: a session that ends in
 * between is then in both lists, and never in neither. Of the historic list, sessions are found in two ways.
 *
 * - Those that were seen active are looked for by id, however long ago they were created: a session of many hours is far
 *   down in a list that begins with the newest. What has left the active list and is not found is looked for again, less
 *   and less often, and given up after a day.
 * - Those that began and ended between two polls, also while nothing polled, are recognised by when they were created:
 *   after the watermark. It trails the newest session by the look-back, so that a session that the service lists late is
 *   still reported. The ids of what was reported are kept as long as a session could be taken for a new one.
 *
 * The watermark is made from times of the service, and only ever advances; so neither our clock nor a constant difference
 * between the clocks of the service matters. A poll that fails changes nothing.
 */
import type { Service } from "../../core/api/index.js";
import { type FollowerCheckpoint, startPass } from "./follower-pass.js";
import { readSessions, sumUnknown } from "./read.js";
import type { SessionRow } from "./row.js";

/** What a poll found. */
export interface SessionPoll {
  /** By the service's clock, in ms. */
  readonly at: number;
  readonly active: readonly SessionRow[];
  /** Newly ended since the last successful poll, newest first; the first poll of all reports none. */
  readonly ended: readonly SessionRow[];
  /** How many sessions left the active list more than a day ago, and never came into the historic one; given up now. */
  readonly lost: number;
  /** Entries of unknown shape among those that were read: what is wrong, and how often. */
  readonly unknown: Readonly<Record<string, number>>;
}

export interface FollowOptions {
  /** How long after it was created a session may come into the lists, if it was never seen active; ms. Default 15 minutes. */
  readonly lookBackMs?: number | undefined;
  /** What an earlier follower knew; absent: begin anew. */
  readonly checkpoint?: FollowerCheckpoint | undefined;
  /**
   * Called at the end of each poll, before it counts: stores what is reported and that it was reported in one step. If it rejects, so
   * does the poll, and the same sessions are reported by the next one.
   */
  readonly keep?: ((checkpoint: FollowerCheckpoint, poll: SessionPoll) => Promise<void>) | undefined;
  /** Wall clock in ms, for a service whose answers have no date. */
  readonly now?: (() => number) | undefined;
}

/** What an earlier follower knew cannot be continued: the lists have none of its sessions. */
export class FollowError extends Error {
  override readonly name = "FollowError";
  readonly code = "other-account";

  constructor() {
    super("None of the sessions that are remembered is in the lists of this account.");
  }
}

/** How long after it was created a session may come into the lists, by default: in ms. */
const defaultLookBackMs = 15 * 60_000;

/** Follows the sessions of the service's account, poll by poll. */
export function followSessions(
  service: Pick<Service, "sessions" | "serverTime">,
  { lookBackMs = defaultLookBackMs, checkpoint, keep, now = Date.now }: FollowOptions = {},
) {
  let known = checkpoint;
  // Another account would have other sessions: each of them would be reported as a new one.
  let isProven = checkpoint === undefined;
  let isPolling = false;

  const poll = async (): Promise<SessionPoll> => {
    const activeStream = readSessions(service, { type: "active" });
    const active: SessionRow[] = [];
    for await (const row of activeStream) active.push(row);
    const at = service.serverTime() ?? now();
    const pass = startPass({ known, active, at, lookBackMs });
    const historicStream = readSessions(service, { type: "historic", ...pass.range });
    for await (const row of historicStream) if (!pass.see(row)) break;
    if (!isProven && !pass.isPlausible()) throw new FollowError();
    const { checkpoint: next, lost } = pass.result();
    const reported = new Set(pass.reported.map(({ id }) => id));
    const found: SessionPoll = {
      at,
      active: active.filter(({ id }) => !reported.has(id)),
      ended: pass.reported,
      lost,
      unknown: sumUnknown([activeStream.facts(), historicStream.facts()]),
    };
    await keep?.(next, found);
    known = next;
    isProven = true;
    return found;
  };

  return {
    /** One poll. Rejects as the client does, or with a FollowError; what was known stays. */
    async poll(): Promise<SessionPoll> {
      if (isPolling) throw new Error("Bug: a follower polls once at a time");
      isPolling = true;
      try {
        return await poll();
      } finally {
        isPolling = false;
      }
    },
  };
}
