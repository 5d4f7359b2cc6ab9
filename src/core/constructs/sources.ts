import { readFileSync } from "node:fs";
import { textOfFile } from "../manifest/index.js";
import type {
  AwsSecretsManagerFields,
  AzureKeyVaultFields,
  EnvSource,
  ExecSource,
  FileSource,
  GoogleSecretManagerFields,
  SourceKind,
  ValueSource,
  VaultFields,
} from "../secrets/index.js";
import { callSite } from "./call-site.js";
import { currentLoading } from "./loading.js";

/** A project file that is a template, with values for its variables over those of the project. */
export interface TemplateFile {
  readonly from: "file";
  readonly path: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A literal text, the whole of a file, or what a template makes. */
export type Text = string | FileSource | TemplateFile;

/** Values that are sent to the service as they stand: JSON, in which any value can come from a source. */
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

/** The value of an environment variable, resolved when needed. */
export function env(name: string): EnvSource {
  return marked({ from: "env", name });
}

/** The content of a project file, without one final line end; `path` is relative to the project folder. */
export function file(path: string): FileSource {
  return marked({ from: "file", path });
}

/**
 * A prompt in its own file; line ends are read as line feeds; `path` is relative to the project folder.
 * `avatarops pull` writes into it. With `variables`, the file is a template.
 */
export function promptFile(path: string): FileSource;
export function promptFile(path: string, variables: TemplateFile["variables"]): TemplateFile;
export function promptFile(path: string, variables?: TemplateFile["variables"]): FileSource | TemplateFile {
  return variables === undefined ? file(path) : marked({ from: "file", path, variables });
}

/**
 * The content of a project file as a string to compute with; without one final line end. `path` is relative
 * to the project folder. If a property gets it unchanged, `avatarops pull` writes into the file.
 *
 * @throws Error of the file system if called outside avatarops, as in unit tests: `path` is then relative to
 * the current folder of the process.
 */
export function text(path: string): string {
  const loading = currentLoading();
  if (loading) return loading.readText(path, callSite(text));
  return textOfFile(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
}

/** The output of a command, without one final line end. Runs without a shell, in the project folder. */
export function exec(command: readonly string[], options: SourceOptions = {}): ExecSource {
  return execSource({ command, ...options }) as ExecSource;
}

const execSource = sourceFunction<{ readonly command: readonly string[] }>("exec");

/** A stock avatar in the place of its id, by its name: `stockAvatar("Wayne")`. It is looked up when needed. */
export function stockAvatar(name: string): string {
  return `!stock_avatar ${name}`;
}

/** A stock voice in the place of its id, by its name. It is looked up when needed. */
export function stockVoice(name: string): string {
  return `!stock_voice ${name}`;
}

/** What a source made by a function may have in addition to its fields. */
export interface SourceOptions {
  /** How long reading it may take, retries included. Default: 10. */
  readonly timeoutSeconds?: number | undefined;
}

/** The function that makes sources of one kind: `vault({ path: "kv/llm", field: "api_key" })`. */
export type SourceFunction<Fields extends object> = (fields: Fields & SourceOptions) => ValueSource;

/** A field of a secret in HashiCorp Vault or OpenBao: `vault({ path: "kv/llm", field: "api_key" })`. */
export const vault = sourceFunction<VaultFields>("vault");

/** A secret of AWS Secrets Manager: `awsSecretsManager({ id: "llm/production", field: "api_key" })`. */
export const awsSecretsManager = sourceFunction<AwsSecretsManagerFields>("aws-secrets-manager");

/** A secret in Azure Key Vault: `azureKeyVault({ vault: "my-vault", secret: "llm-api-key" })`. */
export const azureKeyVault = sourceFunction<AzureKeyVaultFields>("azure-key-vault");

/** A secret in Google Secret Manager: `googleSecretManager({ secret: "projects/my-project/secrets/llm" })`. */
export const googleSecretManager = sourceFunction<GoogleSecretManagerFields>("google-secret-manager");

/**
 * A kind of source of the project's own, for values that no built-in one can read. Returns the function that makes such
 * sources; in the YAML files of the project, they have the tag `!name`.
 */
export function defineSource<Fields extends object>(kind: SourceKind<Fields>): SourceFunction<Fields> {
  currentLoading()?.defineSource(kind, callSite(defineSource));
  return sourceFunction(kind.name);
}

/** The function of a kind, by its name; the fields are checked where the source is used, as in YAML. */
function sourceFunction<Fields extends object>(from: string): SourceFunction<Fields> {
  return ({ timeoutSeconds, ...fields }) =>
    marked({
      ...fields,
      from,
      ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    });
}

/** Whether a value was made by one of these functions, of whichever copy of avatarops. */
export function isMadeSource(value: object): boolean {
  return Object.hasOwn(value, mark);
}

function marked<Source extends ValueSource | TemplateFile>(source: Source): Source {
  const refuse = () => {
    throw new TypeError("a value from a source is no string to compute with: it is read later");
  };
  return Object.defineProperties(source, { [mark]: { value: true }, toString: { value: refuse } });
}

/** All copies of avatarops share it. */
const mark: unique symbol = Symbol.for("avatarops.source") as never;
