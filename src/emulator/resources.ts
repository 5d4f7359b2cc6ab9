/** The emulator's resources, one line each. Paths, data and dashboard are derived from them. */
export { type Avatar, avatars } from "./avatars.js";
export { type Context, type ContextEdit, contexts, type Link } from "./contexts.js";
export { type LlmConfiguration, llmConfigurations } from "./llm-configurations.js";
export type { Session } from "./new-session.js";
export { type Secret, secrets } from "./secrets.js";
export { sessions } from "./sessions.js";
export { type Voice, voices } from "./voices.js";
