/** The resources that the emulator has, one line each: paths, the world and the dashboard follow. */
export { type Avatar, avatars } from "./avatars.js";
export { type Context, type ContextEdit, contexts, type Link } from "./contexts.js";
export type { Session } from "./new-session.js";
export { type Secret, secrets } from "./secrets.js";
export { sessions } from "./sessions.js";
export { type Voice, voices } from "./voices.js";
