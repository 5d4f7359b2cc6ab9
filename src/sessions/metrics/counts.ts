import * as z from "zod";
import { type DurationUnit, durationSeconds, exactSum, type SessionPoll } from "../reports/index.js";
import { labelValues, noLabelValues, SessionLabeler, sessionLabels } from "./label-values.js";

/** From a look at an avatar to a long consultation; sandbox sessions end after a minute (§8). */
export const bucketSeconds = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];

const amount = z.number().nonnegative();
const whole = z.int().nonnegative();

/** A histogram of durations, in seconds. */
const durationHistogram = z.object({
  mode: sessionLabels.shape.mode,
  sandbox: sessionLabels.shape.sandbox,
  /** Sessions of each bucket alone, and of those beyond the last one. */
  buckets: z.array(whole).length(bucketSeconds.length + 1),
  sum: amount,
});
export type DurationHistogram = z.infer<typeof durationHistogram>;

export const sessionCounts = z.object({
  labels: labelValues,
  ended: z.array(sessionLabels.extend({ reason: z.string(), sessions: whole })),
  credits: z.array(sessionLabels.extend({ sum: amount })),
  durations: z.array(durationHistogram),
  /** Ended sessions without a number of credits, or without a duration. */
  without: z.object({ credits: whole, duration: whole }),
  /** Sessions that have left the list of active ones, and never came into the other one. */
  lost: whole,
});

/** What was counted of ended sessions so far. A value: counting makes another one. */
export type SessionCounts = Readonly<z.infer<typeof sessionCounts>>;

export const noCounts: SessionCounts = {
  labels: noLabelValues,
  ended: [],
  credits: [],
  durations: [],
  without: { credits: 0, duration: 0 },
  lost: 0,
};

/**
 * Adds what a poll found. Series of active sessions begin at 0, so that a rate does not miss the first session that ends.
 */
export function addPoll(
  counts: SessionCounts,
  poll: Pick<SessionPoll, "active" | "ended" | "lost">,
  unit: DurationUnit | undefined,
): SessionCounts {
  const labels = new SessionLabeler(counts.labels);
  const ended = tally(counts.ended, ["mode", "source", "sandbox", "reason"]);
  const credits = tally(counts.credits, ["mode", "source", "sandbox"]);
  const durations = tally(counts.durations, ["mode", "sandbox"]);
  const without = { ...counts.without };
  const emptyBuckets = bucketSeconds.concat(0).map(() => 0);

  for (const row of [...poll.active, ...poll.ended]) {
    const { mode, source, sandbox } = labels.of(row);
    credits.change({ mode, source, sandbox, sum: 0 }, (known) => known);
    durations.change({ mode, sandbox, buckets: emptyBuckets, sum: 0 }, (known) => known);
  }
  for (const row of poll.ended) {
    const own = labels.of(row);
    const { mode, sandbox } = own;
    const reason = labels.reason(row);
    ended.change({ ...own, reason, sessions: 0 }, (known) => ({ ...known, sessions: known.sessions + 1 }));
    const { credits_consumed: consumed, duration } = row;
    // A counter never goes down: what is given back is not a number that it can count.
    if (isCountable(consumed))
      credits.change({ ...own, sum: 0 }, (known) => ({ ...known, sum: exactSum([known.sum, consumed]) }));
    else without.credits++;
    if (isCountable(duration)) {
      const seconds = durationSeconds(duration, unit);
      const bucket = bucketSeconds.findIndex((most) => seconds <= most);
      const at = bucket === -1 ? bucketSeconds.length : bucket;
      durations.change({ mode, sandbox, buckets: emptyBuckets, sum: 0 }, (known) => ({
        ...known,
        buckets: known.buckets.with(at, (known.buckets[at] ?? 0) + 1),
        sum: exactSum([known.sum, seconds]),
      }));
    } else without.duration++;
  }
  return {
    labels: labels.values(),
    ended: ended.rows(),
    credits: credits.rows(),
    durations: durations.rows(),
    without,
    lost: counts.lost + poll.lost,
  };
}

function isCountable(number: number | undefined): number is number {
  return number !== undefined && Number.isFinite(number) && number >= 0;
}

/** Rows by some of their columns. */
function tally<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row)[]) {
  const toKey = (row: Row) => JSON.stringify(columns.map((column) => row[column]));
  const known = new Map(rows.map((row) => [toKey(row), row]));
  return {
    /** Changes the row that has the columns of this one; adds this one if there is none. */
    change(row: Row, change: (known: Row) => Row): void {
      const key = toKey(row);
      known.set(key, change(known.get(key) ?? row));
    },
    rows: () => [...known.values()],
  };
}
