/** Lists the service's endpoints (§4). The properties of the client follow this list. */
export { type Avatar, type Avatars, createAvatarsClient as avatars } from "./avatars.js";
export {
  type Context,
  type ContextBody,
  type ContextEntry,
  type Contexts,
  createContextsClient as contexts,
  type Link,
} from "./contexts.js";
export {
  createLlmConfigurationsClient as llmConfigurations,
  type LlmConfiguration,
  type LlmConfigurationBody,
  type LlmConfigurations,
} from "./llm-configurations.js";
export {
  createSecretsClient as secrets,
  type ListedSecret,
  type SecretBody,
  type Secrets,
  type StoredSecret,
} from "./secrets.js";
export { createSessionsClient as sessions, type Sessions, type Transcript } from "./sessions.js";
export { createVoicesClient as voices, type Voice, type Voices } from "./voices.js";
