/** Stores the last applied state safely, with versions, atomic writes, a journal and a lock. */

export * from "./apply-holds.js";
export * from "./history-record.js";
export * from "./holder-status.js";
export type { ObservationCache } from "./in-sync-cache.js";
export { createMemoryCache, findCacheFolder, openFolderCache } from "./in-sync-cache.js";
export type * from "./lock.js";
export * from "./lock-holder.js";
export type * from "./lost-lock.js";
export * from "./migrate.js";
export { type FindStateProblem, loadStateCheck } from "./open-backend.js";
export * from "./project-identity.js";
export type { Actor, RecordedDefinitions, RunFacts } from "./run-facts.js";
export type * from "./state.js";
export { isDigest } from "./state.js";
export * from "./state-error.js";
export type * from "./state-writer.js";
export { isInProgress } from "./state-writer.js";
export * from "./store.js";
export type * from "./store-backend.js";
export * from "./stores/disk.js";
