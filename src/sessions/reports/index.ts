/** Active and ended sessions with their cost, and tokens that start sessions. */

export type { Transcript } from "../../core/api/index.js";
export type { TokenOptions } from "../../core/lifecycle/index.js";
export type { CreditPrice, DurationUnit } from "../../core/manifest/index.js";

export * from "./calendar.js";
export * from "./follow.js";
export * from "./period-report.js";
export * from "./read.js";
export * from "./row.js";
export * from "./smoke.js";
export * from "./sum.js";
export * from "./token.js";
export * from "./watch.js";
