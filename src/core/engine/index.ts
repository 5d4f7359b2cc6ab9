/** Observe, plan, apply: compares what is declared with what is live, and writes the difference. */
export type { Action } from "../kinds/index.js";
export * from "./apply.js";
export type * from "./apply-input.js";
export * from "./drift.js";
export * from "./fill-earlier-texts.js";
export type * from "./listings.js";
export * from "./map-concurrent.js";
export * from "./notices.js";
export type * from "./observation.js";
export * from "./observe.js";
export type * from "./outcome.js";
export * from "./pending-rotations.js";
export * from "./plan.js";
export * from "./plan-types.js";
export * from "./reread-recent.js";
export * from "./stale-plan.js";
export * from "./stored-form.js";
export * from "./unreadable.js";
