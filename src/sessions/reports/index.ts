/** Running and ended sessions with their cost, and tokens to start sessions with. */

/** How a token departs from its preset. */
export type { TokenOptions } from "../../core/lifecycle/index.js";
/** What durations of sessions are counted in. */
export type { DurationUnit } from "../../core/manifest/index.js";
/** How many sessions are active now. */
export { type ActiveSessionCount, countActiveOnFirstPage, countActiveSessions } from "./active.js";
/** Days, weeks and hours of a time zone. */
export { type Calendar, instantIn, openCalendar } from "./calendar.js";
/** Which sessions are active, and which have ended since the last look. */
export {
  FollowError,
  type FollowOptions,
  followSessions,
  type SessionPoll,
} from "./follow.js";
export type { FollowerCheckpoint } from "./follower-pass.js";
/** How a report is divided. */
export {
  type Grouping,
  type GroupingName,
  groupBy,
  groupByIntervals,
  groupings,
  type Period,
} from "./grouping.js";
/** The sessions of a period, beside those of the period before. */
export { type PeriodReport, type PeriodReportOptions, reportPeriod } from "./period-report.js";
/** Sessions as a stream, whatever their number. */
export { readSessions, type SessionFacts, type SessionQuery, type SessionStream } from "./read.js";
/** Every session of a type, with totals. */
export { openTotals, reportSessions, type SessionReport } from "./report.js";
/** One session, and its duration in seconds. */
export { durationSeconds, type SessionRow } from "./row.js";
/** Whether sessions can be started with presets. */
export { checkPresets, type SmokeCheck, type SmokeReport } from "./smoke.js";
/** Sums that are exact. */
export { exactSum, type SessionTotals } from "./sum.js";
/** A token from a preset of the manifest (§4.5). */
export {
  type MintedToken,
  mintResolved,
  mintToken,
  resolvePreset,
  TokenError,
  type TokenProblem,
} from "./token.js";
/** What is known of the sessions while they are watched. */
export {
  readEnded,
  type SessionEvent,
  type SessionsSeen,
  type SessionsToday,
  SessionWatch,
} from "./watch.js";
