/** Running and ended sessions with their cost, and tokens to start sessions with. */

export type { Transcript } from "../../core/api/index.js";
export type { TokenOptions } from "../../core/lifecycle/index.js";
export type { DurationUnit } from "../../core/manifest/index.js";
export { type Calendar, instantIn, openCalendar } from "./calendar.js";
export type { FollowerCheckpoint } from "./follow.js";
export {
  FollowError,
  type FollowOptions,
  followSessions,
  type SessionPoll,
} from "./follow.js";
export {
  type Grouping,
  groupBy,
  groupByUse,
  type Period,
  type PeriodReport,
  type PeriodReportOptions,
  reportPeriod,
} from "./period-report.js";
export {
  type ActiveSessionCount,
  countActiveOnFirstPage,
  countActiveSessions,
  readLastUse,
  readSessions,
  type SessionFacts,
  type SessionFilter,
  type SessionQuery,
  type SessionStream,
} from "./read.js";
export { openTotals, reportSessions, type SessionReport } from "./report.js";
export { durationSeconds, parseRow, type SessionRow } from "./row.js";
export { checkPresets, checkSession, type SmokeCheck, type SmokeReport } from "./smoke.js";
export { exactSum, type SessionTotals } from "./sum.js";
export {
  type MintedToken,
  mintResolved,
  mintToken,
  resolvePreset,
  TokenError,
  type TokenProblem,
} from "./token.js";
export {
  readEnded,
  type SessionEvent,
  type SessionsSeen,
  type SessionsToday,
  SessionWatch,
} from "./watch.js";
