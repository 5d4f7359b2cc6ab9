/**
 * Operations of the `avatarops` command, as a library for programs that embed them.
 *
 *     const runtime = createRuntime({ cwd, allowCode: true, environment: process.env });
 *     const project = await openProject(runtime);
 *     const { plan } = await planProject(runtime, project);
 *     const applied = await applyProject(runtime, project, { digest: plan.digest });
 *     await closeRuntime(runtime);
 *
 * For tests, `avatarops/emulator` emulates the service.
 */

/** Errors that a program can handle. Each has a `code`. */
export { UsageError } from "./base/diagnostics/index.js";
export { ServiceError } from "./core/api/index.js";
/** Constructs for `avatarops.config.ts`, and secret sources, whose values are read only when they are sent. */
export {
  awsSecretsManager,
  azureKeyVault,
  defineSource,
  env,
  exec,
  file,
  googleSecretManager,
  Project,
  type ProjectProps,
  promptFile,
  type SourceFunction,
  sops,
  stockAvatar,
  stockVoice,
  text,
  vault,
} from "./core/constructs/index.js";
export { type Outcome, type Plan, StalePlanError } from "./core/engine/index.js";
/** Object kinds as data: fields, limits and operations. */
export { type Field, type Kind, kinds } from "./core/kinds/index.js";
/** Types for policies in TypeScript. */
export type { Manifest } from "./core/manifest/index.js";
export type { SourceContext } from "./core/secrets/index.js";
export { SourceError } from "./core/secrets/index.js";
export { LockedError } from "./core/state/index.js";
/** Project operations, which pass the same gates as the commands before they write. */
export {
  type ApplyOptions,
  type ApplyResult,
  applyProject,
  closeRuntime,
  createRuntime,
  detectProjectDrift,
  InvalidProjectError,
  type OpenProject,
  type OperationOptions,
  openProject,
  planProject,
  pullProject,
  type Reporter,
  type Runtime,
  type RuntimeInput,
  rollbackProject,
} from "./operations/index.js";
/** Versioned JSON documents without secrets, and renderers that escape untrusted text. */
export { toErrorDocument, toOutcomeDocument, toPlanDocument } from "./output/documents/index.js";
export { renderMarkdown, renderText } from "./output/render/index.js";
export { loadManifest, type Policy, type PolicyFinding, type PolicyInput } from "./review/policy/index.js";
export { type MintedToken, TokenError } from "./sessions/reports/index.js";
/**
 * Tokens for application code (§4.5), from a file that `avatarops generate presets` writes and types that `avatarops generate types`
 * prints.
 */
export {
  type ContextTypes,
  type MintRequest,
  mintToken,
  type PresetName,
  type PresetsFile,
  type PresetTypes,
} from "./sessions/tokens/index.js";

/** Constructs for each kind and for presets. */
// <generated: kinds>

export {
  Avatar,
  type AvatarProps,
  Context,
  type ContextProps,
  type LinkProps,
  LlmConfiguration,
  type LlmConfigurationProps,
  type PersonaProps,
  Preset,
  type PresetProps,
  Secret,
  type SecretProps,
  Voice,
  type VoiceProps,
} from "./core/constructs/index.js";

// </generated>
