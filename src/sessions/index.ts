/** Running and ended sessions with their cost, and tokens to start sessions with. */

/** How a token departs from its preset. */
export type { TokenOptions } from "../lifecycle/index.js";
/** What durations of sessions are counted in. */
export type { DurationUnit } from "../manifest/index.js";
/** How many sessions are active now. */
export { type ActiveSessionCount, countActiveOnFirstPage, countActiveSessions } from "./active.js";
/** Days, weeks and hours of a time zone. */
export { type Calendar, openCalendar } from "./calendar.js";
/** The service's clock. */
export { serviceNow } from "./clock.js";
/** Durations of sessions, in seconds. */
export { durationSeconds } from "./duration.js";
/** Which sessions are active, and which have ended since the last look. */
export {
  type FollowOptions,
  followSessions,
  type SessionFollower,
  type SessionPoll,
} from "./follow.js";
export { FollowError } from "./follow-error.js";
export type { FollowerCheckpoint } from "./follower-pass.js";
/** How a report is divided. */
export { type FixedGroup, type Grouping, type GroupingName, groupingOf, groupings } from "./grouping.js";
/** A period divided by moments. */
export { type Interval, intervalsOf } from "./intervals.js";
/** The sessions of a period, beside those of the period before. */
export type { Period } from "./period.js";
export { type PeriodReport, type PeriodReportOptions, reportPeriod } from "./period-report.js";
/** Sessions as a stream, whatever their number. */
export { readSessions, type SessionFacts, type SessionQuery, type SessionStream } from "./read.js";
/** Every session of a type, with totals. */
export {
  openTotals,
  reportSessions,
  type SessionReport,
  type SessionTotals,
} from "./report.js";
/** One session. */
export type { SessionRow } from "./row.js";
/** Whether sessions can be started with presets. */
export { checkPresets, type SmokeCheck, type SmokeReport } from "./smoke.js";
/** Sums that are exact. */
export { exactSum } from "./sum.js";
export type { DayTotals, GroupTotals, PeriodSummary, ValueCount } from "./summary.js";
export type { DurationStatistics, Totals } from "./tally.js";
/** A token from a preset of the manifest (§4.5). */
export {
  type MintedToken,
  mintResolved,
  mintToken,
  resolvePreset,
} from "./token.js";
/** Why there is no token. */
export { TokenError, type TokenProblem } from "./token-error.js";
/** What is known of the sessions while they are watched. */
export {
  readEnded,
  type SessionEvent,
  type SessionsSeen,
  type SessionsToday,
  SessionWatch,
} from "./watch.js";
/** Times of a time zone. */
export { instantIn } from "./zone.js";
