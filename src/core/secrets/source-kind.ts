import type { SourceErrorCode } from "./source-error.js";

/**
 * Secret source descriptor. The checks, the TypeScript function, the JSON Schema and the documentation are derived from
 * the descriptors listed in `sources/`.
 */
export interface SourceKind<Fields extends object = object> {
  /** Tag without the `!`, in kebab-case. Also `from` in a `ValueSource`. */
  readonly name: string;
  /** Product name: "HashiCorp Vault or OpenBao". */
  readonly title: string;
  /** Fields in camelCase. In YAML, `apiKey` is `api_key`. Every source also has `timeoutMs`. */
  readonly fields: { readonly [Field in keyof Required<Fields>]: SourceField };
  /** A string or list that may follow the tag instead of a mapping: `!vault kv/llm#api_key`. */
  readonly shorthand?: Shorthand<Fields>;
  /**
   * Checks the fields together, after each one was found valid on its own. Returns a problem that continues
   * "service.api_key: !vault …".
   */
  check?(fields: Fields): string | undefined;
  /**
   * Returns a description that can follow "The ", such as `Vault secret kv/llm, field api_key`. Contains neither
   * credentials nor the value.
   */
  describe(fields: Fields): string;
  /** Whether reading the source runs code that the project chooses. */
  readonly runsCode?: true;
  /** Optional packages that the source needs, for the documentation. Loaded with `withPackage`. */
  readonly packages?: readonly string[];
  /** Permission that each read needs, for the documentation: "read on kv/data/llm", "read on kv/metadata/llm". */
  readonly rights: { readonly value: string; readonly version?: string };
  /**
   * Reads the value in one attempt, and its version if the response contains one. The runner adds the timeout, retries
   * for `unreachable`, caching, and checks of length and encoding.
   *
   * @throws SourceError. Other errors are shown only by their system code, because the message may contain the
   * response.
   */
  read(fields: Fields, context: SourceContext): Promise<SourceResult>;
  /**
   * Reads the current version, but not the value. Returns undefined if this source has no versions.
   *
   * @throws SourceError
   */
  version?(fields: Fields, context: SourceContext): Promise<string | undefined>;
  /**
   * Whether `version` fails if the value lacks the declared field. If not, a plan also reads the value, to check the
   * field.
   */
  readonly versionChecksField?: true;
}

/** Result of a read. The runner drops one final newline, which editors and programs add. */
export interface SourceResult {
  readonly value: string | Uint8Array;
  /** Version of the value. Not secret. */
  readonly version?: string | undefined;
}

export interface Shorthand<Fields extends object = object> {
  /** Example in YAML: `!vault kv/llm#api_key`. */
  readonly example: string;
  /** End of the message "!vault must be followed by …". Default: "its fields". */
  readonly meaning?: string;
  /** Expected form, for the hint of a diagnostic. Default: the example. */
  readonly hint?: string;
  /** Parses a shorthand into fields. Returns undefined if the form is unknown. */
  read(written: string | readonly string[]): Partial<Fields> | undefined;
}

export type SourceFields = Readonly<Record<string, SourceField>>;

type ValueIn<Field extends SourceField> = Field["type"] extends "number" | "boolean" | "string-list"
  ? { number: number; boolean: boolean; "string-list": readonly string[] }[Field["type"]]
  : string;

export type FieldsIn<Table extends SourceFields> = {
  readonly [Name in keyof Table as Table[Name]["required"] extends true ? Name : never]: ValueIn<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name]["required"] extends true ? never : Name]?:
    | ValueIn<Table[Name]>
    | undefined;
};

/** One field of a source. Never contains credentials. */
export interface SourceField {
  /**
   * Type of the value. `variable` is the name of an environment variable with credentials, `url` a URL without
   * credentials, and `file` the path to a project file.
   */
  readonly type: "string" | "number" | "boolean" | "string-list" | "variable" | "url" | "file";
  /** One sentence for the documentation and the JSON Schema. */
  readonly description: string;
  /** Whether the field must be declared or set by `variable`. */
  readonly required?: true;
  /** Allowed values of a string. */
  readonly values?: readonly string[];
  /** Pattern that the whole string must match. */
  readonly pattern?: RegExp;
  /** Environment variable that supplies a string if none is declared. */
  readonly variable?: string;
}

export interface SourceContext {
  /** Absolute path to the project folder. */
  readonly root: string;
  /** Whether project code may run. If not, no package is loaded from the project. */
  readonly allowCode: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Signal that aborts at the timeout and on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Wall clock, in ms. */
  readonly now: () => number;
  /**
   * Rejects a URL that must not receive credentials (see `AVATAROPS_ALLOW_HOSTS`). Fields of type `url` are already
   * checked, so call this for other URLs. `from` is where the URL is set.
   *
   * @throws SourceProblem
   */
  checkAddress(address: string, from: "source" | "environment"): void;
  /** Creates an error for this source. `problem` continues the description of the source: "is sealed. Unseal it." */
  error(code: SourceErrorCode, problem: string): Error;
  /**
   * Opens a connection, such as a login or a client, once per run. Sources with the same key share it. `close` runs at
   * the end of the run. A connection that caches values needs `forget` to drop them, because another run may have sent
   * newer ones.
   */
  connection<Opened>(
    key: string,
    open: () => Promise<Opened>,
    close?: (opened: Opened) => unknown,
    forget?: (opened: Opened) => unknown,
  ): Promise<Opened>;
}

export function listFields(kind: SourceKind): ReadonlyMap<string, SourceField> {
  return new Map(Object.entries(kind.fields));
}
