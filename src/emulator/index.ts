/** The service imitated over HTTP, with faults on request. Shares no code with the client it tests. */
export { type Behaviour, defaultBehaviour, parseBehaviour } from "./behaviour.js";
export type { ContextEdit, Dashboard } from "./dashboard.js";
export { type Emulator, type EmulatorOptions, startEmulator } from "./emulator.js";
export type { Fault, FaultAction, FaultMatch } from "./fault.js";
export { parseFault } from "./fault-text.js";
export { EmulatorInputError } from "./input-error.js";
export type { LoggedRequest } from "./request-log.js";
export { sampleWorld } from "./sample-world.js";
export { sandboxAvatarId } from "./sessions.js";
export {
  type Avatar,
  type Context,
  emptyWorld,
  type Link,
  type Secret,
  type Session,
  type Voice,
  type World,
  type WorldSize,
  worldOf,
} from "./world.js";
