import type { SourceErrorCode } from "./source-error.js";

/**
 * A kind of source as data: its tag, its fields, and how to read it. The checks of YAML and TypeScript, the TypeScript
 * function, the JSON Schema and the documentation follow from it. To add one, write a file in `sources/` and add it to
 * the list there.
 */
export interface SourceKind<Fields extends object = object> {
  /** The tag without its `!`, and `from` of a `ValueSource`, in kebab-case. */
  readonly name: string;
  /** The product's name: "HashiCorp Vault or OpenBao". */
  readonly title: string;
  /** In camelCase; in YAML `apiKey` is `api_key`. Every source also has `timeoutMs`. */
  readonly fields: { readonly [Field in keyof Required<Fields>]: SourceField };
  /** A word or list that may follow the tag instead of a mapping: `!vault kv/llm#api_key`. */
  readonly shorthand?: Shorthand<Fields>;
  /** Returns the problem of fields that are each valid; continues "service.api_key: !vault …". */
  check?(fields: Fields): string | undefined;
  /** Describes the source without credentials and value; continues "The …": `Vault secret kv/llm, field api_key`. */
  describe(fields: Fields): string;
  /** Whether reading it runs code that the project chooses. */
  readonly runsCode?: true;
  /** The optional packages it needs, for the documentation; loaded with `withPackage`. */
  readonly packages?: readonly string[];
  /** The right that each read needs, for the documentation: "read on kv/data/llm", "read on kv/metadata/llm". */
  readonly rights: { readonly value: string; readonly version?: string };
  /**
   * Reads the value, and its version if the same response has it. Makes one attempt: the runner adds the time limit,
   * retries for `unreachable`, caching per run, and checks of length and encoding. Of an error other than SourceError, only
   * the system code is shown, because its message may contain the response.
   *
   * @throws SourceError
   */
  read(fields: Fields, context: SourceContext): Promise<SourceAnswer>;
  /**
   * Reads the current version without the value; undefined if this source has none.
   *
   * @throws SourceError
   */
  version?(fields: Fields, context: SourceContext): Promise<string | undefined>;
}

/** The result of a read. The runner drops one final newline, which editors and programs add. */
export interface SourceAnswer {
  readonly value: string | Uint8Array;
  /** Not secret. */
  readonly version?: string | undefined;
}

export interface Shorthand<Fields extends object = object> {
  /** In YAML: `!vault kv/llm#api_key`. */
  readonly example: string;
  /** Continues "!vault must be followed by …". Default: "its fields". */
  readonly meaning?: string;
  /** The correct form. Default: the example. */
  readonly hint?: string;
  /** Parses it into fields; undefined if it has another form. */
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

/** One field of a source, never credentials. */
export interface SourceField {
  /**
   * `variable`: the name of an environment variable with credentials. `url`: an address without credentials.
   * `file`: the path of a project file.
   */
  readonly type: "string" | "number" | "boolean" | "string-list" | "variable" | "url" | "file";
  /** One sentence for the documentation and the JSON Schema. */
  readonly description: string;
  /** Whether it must be declared or set by `variable`. */
  readonly required?: true;
  /** The allowed values of a text. */
  readonly values?: readonly string[];
  /** Pattern of the whole text. */
  readonly pattern?: RegExp;
  /** The environment variable that supplies a text that is not declared. */
  readonly variable?: string;
}

export interface SourceContext {
  /** Absolute path of the project folder. */
  readonly root: string;
  /** Whether project code may run. If not, no package is loaded from the project. */
  readonly allowCode: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts at the time limit and on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Wall clock, in ms. */
  readonly now: () => number;
  /**
   * Rejects an address that must not receive credentials; see `AVATAROPS_ALLOW_HOSTS`. Fields of the type `url` are
   * already checked, so call it for other addresses, with their origin.
   *
   * @throws SourceError
   */
  checkAddress(address: string, from: "source" | "environment"): void;
  /** Creates a problem of this source; `problem` continues its description: "is sealed. Unseal it." */
  error(code: SourceErrorCode, problem: string): Error;
  /**
   * Opens a connection, such as a login or a client, once per run for all sources with an equal key. `close` runs at the
   * end of the run.
   */
  connection<Opened>(
    key: string,
    open: () => Promise<Opened>,
    close?: (opened: Opened) => unknown,
  ): Promise<Opened>;
}

export function listFields(kind: SourceKind): ReadonlyMap<string, SourceField> {
  return new Map(Object.entries(kind.fields));
}
