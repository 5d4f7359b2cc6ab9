/** Running and ended sessions with their cost, and tokens to start sessions with. */

/** How a token departs from its preset. */
export type { TokenOptions } from "../lifecycle/index.js";
/** What durations of sessions are counted in. */
export type { DurationUnit } from "../manifest/index.js";
/** Every session of a type, with totals. */
export {
  reportSessions,
  type SessionReport,
  type SessionRow,
  type SessionTotals,
} from "./report.js";
/** A token from a preset of the manifest (§4.5). */
export { type MintedToken, mintToken } from "./token.js";
/** Why there is no token. */
export { TokenError, type TokenProblem } from "./token-error.js";
