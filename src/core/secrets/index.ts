/** Where secret values come from, and how they are recognised without being stored. */
export {
  type FingerprintKey,
  fingerprint,
  matchFingerprint,
  newStateKey,
  type Random,
} from "./fingerprint.js";
export type { SourceEnvironment } from "./resolve.js";
export {
  currentVersion,
  describe,
  type ResolvedValue,
  resolve,
  resolveWithVersion,
  sourceIdentity,
} from "./resolve.js";
export { Sealed } from "./sealed.js";
export {
  type EnvSource,
  type ExecSource,
  type FileSource,
  isEnv,
  isExec,
  isFile,
  type SourceValue,
  type ValueSource,
  writtenFields,
} from "./source.js";
export { SourceError, type SourceErrorCode } from "./source-error.js";
export {
  listFields,
  type Shorthand,
  type SourceAnswer,
  type SourceContext,
  type SourceField,
  type SourceKind,
} from "./source-kind.js";
export { SourceRun } from "./source-run.js";
export type { AwsSecretsManagerFields } from "./sources/aws-secrets-manager.js";
export type { AwsSsmFields } from "./sources/aws-ssm.js";
export type { AzureKeyVaultFields } from "./sources/azure-key-vault.js";
export type { GoogleSecretManagerFields } from "./sources/google-secret-manager.js";
export { loadedKind, loadKind, sourceNames } from "./sources/index.js";
export type { SopsFields } from "./sources/sops.js";
export type { VaultFields } from "./sources/vault/settings.js";
