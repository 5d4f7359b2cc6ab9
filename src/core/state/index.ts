/** What avatarops last did, kept safely: versions, atomic writes, journal, lock. */

export { activeHolds, describeHold } from "./holds.js";
export type { LockOptions } from "./lock.js";
export { describeHolder, type Holder } from "./lock-holder.js";
export { type LockedFile, openLockedFile } from "./locked-file.js";
export { type Migration, migrateState } from "./migrate.js";
export { findStorePackage } from "./open-store.js";
export { isRunning } from "./processes.js";
export {
  type Actor,
  type CommitFacts,
  type CommitRecord,
  type Definitions,
  decodeRecord,
  type RecordedChange,
  type RecordedPullRequest,
  type RecordedResult,
  type UnreadableRecord,
} from "./record.js";
export type { CommitDetails, StateSession } from "./session.js";
export type {
  ApplyHold,
  Entry,
  Intent,
  StaleObject,
  State,
  StoredDigest,
  StoredValue,
  ValueVersion,
} from "./state.js";
export { CorruptError, LockedError, StateError, type StateErrorCode } from "./state-error.js";
export { openFixedStore, openStore, type Snapshot, type Store } from "./store.js";
export type { StoreEnvironment } from "./store-backend.js";
export { writeWhole } from "./stores/disk.js";
