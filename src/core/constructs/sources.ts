import { readFileSync } from "node:fs";
import { readFileText } from "../manifest/index.js";
import type {
  AwsSecretsManagerFields,
  AzureKeyVaultFields,
  EnvSource,
  ExecSource,
  FileSource,
  GoogleSecretManagerFields,
  SopsFields,
  SourceKind,
  ValueSource,
  VaultFields,
} from "../secrets/index.js";
import { captureCallSite } from "./call-site.js";
import { getLoadContext } from "./load-context.js";

/** A template file, with values that override the project's variables. */
export interface TemplateFile {
  readonly from: "file";
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A literal string, the content of a file, or a template file. */
export type Text = string | FileSource | TemplateFile;

/** JSON that is sent to the service unchanged. Any value can come from a source. */
export interface ExtraValues {
  readonly [key: string]: ExtraValue | undefined;
}

export type ExtraValue =
  | string
  | number
  | boolean
  | null
  | ValueSource
  | readonly ExtraValue[]
  | { readonly [key: string]: ExtraValue | undefined };

/** Refers to an environment variable, whose value is resolved when needed. */
export function env(name: string): EnvSource {
  return markAsSource({ from: "env", name });
}

/** Refers to the content of a project file, without the final line ending. `path` is relative to the project folder. */
export function file(path: string): FileSource {
  return markAsSource({ from: "file", path });
}

/**
 * Refers to a prompt in its own file, which `avatarops pull` can edit. `path` is relative to the project folder. If
 * `variables` are given, the file is a template.
 */
export function promptFile(path: string): FileSource;
export function promptFile(path: string, variables: TemplateFile["variables"]): TemplateFile;
export function promptFile(path: string, variables?: TemplateFile["variables"]): FileSource | TemplateFile {
  return variables === undefined ? file(path) : markAsSource({ from: "file", path, variables });
}

/**
 * Reads a project file as a string, without the final line ending. If a property has exactly this string, `avatarops
 * pull` edits the file.
 *
 * @param path Path relative to the project folder or, outside avatarops (as in unit tests), to the current folder.
 * @throws System errors, but only outside avatarops.
 */
export function text(path: string): string {
  const context = getLoadContext();
  if (context) return context.readText(path, captureCallSite(text));
  return readFileText(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
}

/** Refers to the output of a command, which runs without a shell in the project folder. Drops the final line ending. */
export function exec(command: readonly string[], options: SourceOptions = {}): ExecSource {
  return execSource({ command, ...options }) as ExecSource;
}

const execSource = createSourceFunction<{ readonly command: readonly string[] }>("exec");

/** Refers to a stock avatar, whose id is looked up by name when needed: `stockAvatar("Wayne")`. */
export function stockAvatar(name: string): string {
  return `!stock_avatar ${name}`;
}

/** Refers to a stock voice, whose id is looked up by name when needed. */
export function stockVoice(name: string): string {
  return `!stock_voice ${name}`;
}

/** Options that every source function accepts. */
export interface SourceOptions {
  /** Maximum time to read the value, including retries. Default: 10. */
  readonly timeoutSeconds?: number | undefined;
}

/** Function that creates a secret source, such as `vault({ path: "kv/llm", field: "api_key" })`. */
export type SourceFunction<Fields extends object> = (fields: Fields & SourceOptions) => ValueSource;

/** A field of a secret in HashiCorp Vault or OpenBao: `vault({ path: "kv/llm", field: "api_key" })`. */
export const vault = createSourceFunction<VaultFields>("vault");

/** A secret in AWS Secrets Manager: `awsSecretsManager({ id: "llm/production", field: "api_key" })`. */
export const awsSecretsManager = createSourceFunction<AwsSecretsManagerFields>("aws-secrets-manager");

/** A value in a project file that SOPS encrypted: `sops({ path: "secrets/production.yaml", field: "llm.api_key" })`. */
export const sops = createSourceFunction<SopsFields>("sops");

/** A secret in Azure Key Vault: `azureKeyVault({ vault: "my-vault", secret: "llm-api-key" })`. */
export const azureKeyVault = createSourceFunction<AzureKeyVaultFields>("azure-key-vault");

/** A secret in Google Secret Manager: `googleSecretManager({ secret: "projects/my-project/secrets/llm" })`. */
export const googleSecretManager = createSourceFunction<GoogleSecretManagerFields>("google-secret-manager");

/**
 * Defines a custom secret source, which the project's YAML files use with the tag `!name`. Returns a function that
 * creates these sources.
 */
export function defineSource<Fields extends object>(kind: SourceKind<Fields>): SourceFunction<Fields> {
  getLoadContext()?.defineSource(kind, captureCallSite(defineSource));
  return createSourceFunction(kind.name);
}

/** Creates a source function. Fields are checked where the source is used, as in YAML. */
function createSourceFunction<Fields extends object>(from: string): SourceFunction<Fields> {
  return ({ timeoutSeconds, ...fields }) =>
    markAsSource({
      ...fields,
      from,
      ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    });
}

/** Returns whether a value was created by a source function of any copy of avatarops. */
export function isMadeSource(value: object): boolean {
  return Object.hasOwn(value, mark);
}

function markAsSource<Source extends ValueSource | TemplateFile>(source: Source): Source {
  const throwNotText = () => {
    throw new TypeError("a source cannot be used as a string, because its value is read later");
  };
  return Object.defineProperties(source, { [mark]: { value: true }, toString: { value: throwNotText } });
}

/** Symbol shared by all copies of avatarops. */
const mark: unique symbol = Symbol.for("avatarops.source") as never;
