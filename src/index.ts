/**
 * avatarops as a library: the operations of the command, for programs that embed them.
 *
 *     const runtime = createRuntime({ cwd, environment: process.env });
 *     const project = await openProject(runtime);
 *     const { plan } = await planProject(runtime, project);
 *     const applied = await applyProject(runtime, project, { digest: plan.digest });
 *     await closeRuntime(runtime);
 *
 * The service imitated for tests is `avatarops/emulator`.
 */

/** Diagnostics of the user's files: collected values with a place, never thrown. */
export {
  type Diagnostic,
  hasErrors,
  type Place,
  type Severity,
  UsageError,
} from "./base/diagnostics/index.js";
export type { ProxyOptions } from "./base/http/index.js";
/** The service (§4): a client with retries and limits, a read-only view of it, and its errors. */
export {
  type BaseUrlCheck,
  checkBaseUrl,
  type ErrorDetail,
  openService,
  type RequestCount,
  type RequestEvent,
  readOnly,
  type Service,
  ServiceError,
  type ServiceErrorCode,
  type ServiceOptions,
  type WriteOutcome,
} from "./core/api/index.js";
/** The desired state in TypeScript: constructs for `avatarops.config.ts`, and loading it or YAML. */
export {
  awsSecretsManager,
  awsSsm,
  azureKeyVault,
  defineSource,
  type EnvironmentProps,
  env,
  exec,
  file,
  googleSecretManager,
  Project,
  type ProjectProps,
  promptFile,
  type ServiceProps,
  type Settings,
  type SourceFunction,
  type SourceOptions,
  sops,
  stockAvatar,
  stockVoice,
  type TemplateFile,
  type Text,
  text,
  vault,
} from "./core/constructs/index.js";
/** A plan is a value: the same one is shown, saved and applied. `applyProject` carries it out. */
export {
  type Action,
  type ApplyEvent,
  type Basis,
  type Candidate,
  type Change,
  type FieldChange,
  type Notice,
  type Observation,
  type ObserveInput,
  type Outcome,
  observe,
  type Plan,
  type PlanOptions,
  plan,
  type Reason,
  type Result,
  StalePlanError,
  type Status,
  throwIfStale,
} from "./core/engine/index.js";
/** The kinds of objects, as data: fields, limits and powers. */
export {
  type Field,
  type Kind,
  kindNamed,
  kinds,
  parseAddress,
  type Spec,
  toAddress,
  type Value,
} from "./core/kinds/index.js";
/** The desired state after reading, and the JSON Schema of its files. */
export {
  type Declaration,
  type LoadedManifest,
  type LoadOptions,
  type Manifest,
  manifestSchema,
  type Preset as DeclaredPreset,
  type ServiceSettings,
  type Setting,
} from "./core/manifest/index.js";
/** Values behind `!env`, `!file` and `!exec`: resolved only when they are sent. */
export {
  type EnvSource,
  type ExecSource,
  type FileSource,
  resolve as resolveSource,
  type Sealed,
  type SourceAnswer,
  type SourceContext,
  type SourceEnvironment,
  SourceError,
  type SourceErrorCode,
  type SourceField,
  type SourceKind,
  SourceRun,
  type SourceValue,
  type ValueSource,
} from "./core/secrets/index.js";
/** What avatarops last did, kept safely: one writer at a time, every step on disk before it is sent. */
export {
  CorruptError,
  type Entry,
  LockedError,
  type LockOptions,
  openStore,
  type Snapshot,
  type State,
  StateError,
  type StateSession,
  type Store,
  type StoreEnvironment,
} from "./core/state/index.js";
/** What a project does: each gate of the command stands before what is written here, too. */
export {
  type ApplyOptions,
  type ApplyResult,
  applyProject,
  closeRuntime,
  createRuntime,
  driftProject,
  type GateOptions,
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
/**
 * What a program passes on: plans, outcomes, reports and errors as versioned JSON documents without secrets.
 */
export {
  type DiagnosticsDocument,
  diagnosticsDocument,
  type ErrorDocument,
  errorDocument,
  type OutcomeDocument,
  type OutcomeExit,
  outcomeDocument,
  outcomeExit,
  type PlanDocument,
  type PlanExit,
  PlanFileError,
  planDocument,
  planExit,
  readPlan,
  type SessionsDocument,
  sessionsDocument,
  writePlan,
} from "./output/documents/index.js";
/** Documents as text for terminals, Markdown for code hosts and JSON; foreign text in them is harmless. */
export {
  type MarkdownOptions,
  renderJson,
  renderMarkdown,
  renderSessionsMarkdown,
  renderSessionsText,
  renderText,
  type ShownDocument,
  type TextOptions,
} from "./output/render/index.js";
/** Loading a project, and judging it by its policies: functions of one's own, and what their tests need. */
export {
  type ChangeForTest,
  judgeBy,
  loadManifest,
  makePolicyInput,
  type Policy,
  type PolicyDeclaration,
  type PolicyFinding,
  type PolicyInput,
} from "./review/policy/index.js";
/** Running and ended sessions with their cost, and why there is no token. */
export {
  type MintedToken,
  reportSessions,
  type SessionReport,
  type SessionRow,
  type SessionTotals,
  TokenError,
  type TokenProblem,
} from "./sessions/reports/index.js";
/**
 * Tokens for application code (§4.5), with a file that `avatarops generate presets` writes, and with types that `avatarops generate types`
 * prints.
 */
export {
  type ContextTypes,
  declareTypes,
  type Json,
  type MintRequest,
  mintToken,
  type PresetName,
  type PresetsFile,
  type PresetTypes,
  presetsFile,
  type RequestArguments,
} from "./sessions/tokens/index.js";

/** The constructs of each kind, and of presets. */
// <generated: kinds>

export {
  Avatar,
  type AvatarProps,
  Context,
  type ContextProps,
  type Differences,
  type LanguageModel,
  type LinkProps,
  type LivekitRoom,
  LlmConfiguration,
  type LlmConfigurationProps,
  type PersonaProps,
  Preset,
  type PresetProps,
  Secret,
  type SecretProps,
  type SessionMemory,
  type SpeechToText,
  type VideoSettings,
  Voice,
  type VoiceProps,
  type VoiceSettings,
} from "./core/constructs/index.js";

// </generated>
