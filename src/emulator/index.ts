/** Emulates the service over HTTP, and injects faults. Shares no code with the client under test. */
export { type Behavior, defaultBehavior, parseBehavior } from "./behavior.js";
export type { Dashboard } from "./dashboard.js";
export { createEmptyDataset, type Dataset } from "./dataset.js";
export type { Emulator, Fault, FaultAction, FaultMatch } from "./emulator.js";
export type { Endpoint, EndpointCall } from "./endpoint.js";
export { parseFault } from "./fault-text.js";
export { EmulatorInputError } from "./input-error.js";
export { type Profile, profiles } from "./profile.js";
export type { LoggedRequest } from "./request-log.js";
/** The types of stored data. */
export type * from "./resources.js";
export { createSampleDataset, type DatasetSize, generateDataset } from "./sample-dataset.js";
export { sandboxAvatarId } from "./sample-ids.js";
/** Creates ended sessions, for an account of any size. */
export { createEndedSessions } from "./sample-sessions.js";
export { type EmulatorOptions, startEmulator } from "./start-emulator.js";
