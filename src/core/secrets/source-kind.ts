import type { SourceErrorCode } from "./source-error.js";

/**
 * A kind of source, as data: its tag, its fields, and how to read it. All else follows from it: the checks of YAML
 * and TypeScript, the function of TypeScript, the JSON Schema and the documentation. To add one, write it as a file
 * of its own in `sources/`, and name it in the list there.
 */
export interface SourceKind<Fields extends object = object> {
  /** kebab-case: the tag without its `!`, and `from` of a `ValueSource`. */
  readonly name: string;
  /** As its makers spell it: "HashiCorp Vault or OpenBao". */
  readonly title: string;
  /** In the spelling of code; in YAML `apiKey` is `api_key`. `timeoutMs` is a field of every source. */
  readonly fields: { readonly [Field in keyof Required<Fields>]: SourceField };
  /** What may follow the tag in one word or one list instead of a mapping: `!vault kv/llm#api_key`. */
  readonly shorthand?: Shorthand<Fields>;
  /** What is wrong with fields that are each right; continues "service.api_key: !vault …". */
  check?(fields: Fields): string | undefined;
  /** For messages; continues "The …": `Vault secret kv/llm, field api_key`. No credentials and no value. */
  describe(fields: Fields): string;
  /** Reading it runs code that the project chooses. */
  readonly runsCode?: true;
  /** The optional packages it needs, for the documentation; loaded with `withPackage`. */
  readonly packages?: readonly string[];
  /** The right that each needs, for the documentation: "read on kv/data/llm", "read on kv/metadata/llm". */
  readonly rights: { readonly value: string; readonly version?: string };
  /**
   * The value, and its version if the same response has it. One attempt: the runner adds the time limit, retries for
   * `unreachable`, once per run, and checks length and encoding. An error other than SourceError is shown by its
   * system code only, because its message may contain the response.
   *
   * @throws SourceError
   */
  read(fields: Fields, context: SourceContext): Promise<SourceAnswer>;
  /**
   * Power: the current version, without reading the value. Undefined: this one has none.
   *
   * @throws SourceError
   */
  version?(fields: Fields, context: SourceContext): Promise<string | undefined>;
}

/** What a source answers. Bytes and texts lose one final line end, which editors and programs add. */
export interface SourceAnswer {
  readonly value: string | Uint8Array;
  /** Not secret. */
  readonly version?: string | undefined;
}

export interface Shorthand<Fields extends object = object> {
  /** As in YAML: `!vault kv/llm#api_key`. */
  readonly example: string;
  /** Continues "!vault must be followed by …". Default: "its fields". */
  readonly meaning?: string;
  /** What to write instead. Default: the example. */
  readonly hint?: string;
  /** The fields it means; undefined if it is not of that form. */
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

/** One field of a source. No field takes credentials. */
export interface SourceField {
  /**
   * `variable`: the name of an environment variable that has credentials. `url`: an address without credentials.
   * `file`: the path of a project file.
   */
  readonly type: "string" | "number" | "boolean" | "string-list" | "variable" | "url" | "file";
  /** One sentence for the documentation and the JSON Schema. */
  readonly description: string;
  /** Must be there, written or by `variable`. */
  readonly required?: true;
  /** The only values of a text. */
  readonly values?: readonly string[];
  /** What a text must match, from its start to its end. */
  readonly pattern?: RegExp;
  /** The environment variable that a text comes from if it is not written. */
  readonly variable?: string;
}

export interface SourceContext {
  /** Absolute path of the project folder. */
  readonly root: string;
  /** Whether code of the project may run: without that right, no package is loaded from beside it. */
  readonly allowCode: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time limit and Ctrl-C together. */
  readonly signal: AbortSignal;
  /** Wall clock, in ms. */
  readonly now: () => number;
  /**
   * Refuses an address to which no credentials are sent from here: see `AVATAROPS_ALLOW_HOSTS`. Fields of the type `url`
   * have been checked; to be called for other addresses, with where they come from.
   *
   * @throws SourceError
   */
  checkAddress(address: string, from: "source" | "environment"): void;
  /** A problem with this source; `problem` continues its description: "is sealed. Unseal it." */
  error(code: SourceErrorCode, problem: string): Error;
  /**
   * Opened once per run and shared by all sources with an equal key: a login, a client. At the end of the run, `close`
   * closes it.
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
