/** The service imitated over HTTP, with faults on request. Shares no code with the client it tests. */
export { type Behaviour, defaultBehaviour, parseBehaviour } from "./behaviour.js";
export type { ContextEdit, Dashboard } from "./dashboard.js";
export {
  type Avatar,
  type Context,
  type Dataset,
  type DatasetSize,
  emptyDataset,
  generateDataset,
  type Link,
  type Secret,
  type Session,
  type Voice,
} from "./dataset.js";
export type { Emulator, Fault, FaultAction, FaultMatch } from "./emulator.js";
export { parseFault } from "./fault-text.js";
export { EmulatorInputError } from "./input-error.js";
export type { LoggedRequest } from "./request-log.js";
export { sampleDataset } from "./sample-dataset.js";
export { sandboxAvatarId } from "./sessions.js";
export { type EmulatorOptions, startEmulator } from "./start-emulator.js";
