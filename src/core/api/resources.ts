/** Lists the service's endpoints (§4). The properties of the client follow this list. */
export { type Avatar, type Avatars, avatars } from "./avatars.js";
export {
  type Context,
  type ContextBody,
  type ContextEntry,
  type Contexts,
  contexts,
  type Link,
} from "./contexts.js";
export {
  type LlmConfiguration,
  type LlmConfigurationBody,
  type LlmConfigurations,
  llmConfigurations,
} from "./llm-configurations.js";
export { type ListedSecret, type SecretBody, type Secrets, type StoredSecret, secrets } from "./secrets.js";
export { type Sessions, sessions, type Transcript } from "./sessions.js";
export { type Voice, type Voices, voices } from "./voices.js";
