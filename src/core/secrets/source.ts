import { toSnakeCase } from "../../base/text/index.js";

/** The value of a source's field. */
export type SourceValue = string | number | boolean | readonly string[];

/**
 * The origin of a value, without the value and without credentials: a field names the environment variable that has
 * them.
 */
export interface ValueSource {
  /** The kind of source: the YAML tag without its `!`. */
  readonly from: string;
  /** Time limit of reading it, including retries. Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** The fields of that kind, in camelCase. */
  readonly [field: string]: SourceValue | undefined;
}

/** The value of an environment variable. */
export interface EnvSource extends ValueSource {
  readonly from: "env";
  readonly name: string;
}

/** The content of a file; `path` is relative to the project folder, and inside it. */
export interface FileSource extends ValueSource {
  readonly from: "file";
  readonly path: string;
}

/** The output of a command, given as an argument list and run without a shell. */
export interface ExecSource extends ValueSource {
  readonly from: "exec";
  readonly command: readonly string[];
}

export function isEnv(source: ValueSource): source is EnvSource {
  return source.from === "env";
}

export function isFile(source: ValueSource): source is FileSource {
  return source.from === "file";
}

export function isExec(source: ValueSource): source is ExecSource {
  return source.from === "exec";
}

/** Serialises a source, regardless of the order of its fields. */
export function serializeSource(source: ValueSource): string {
  const fields = Object.entries(source).filter(([, value]) => value !== undefined);
  return JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Converts the fields of a source to YAML: `{ role_id_variable: "ROLE", timeout_seconds: 5 }`. */
export function listWrittenFields({
  from: _,
  timeoutMs,
  ...fields
}: ValueSource): Record<string, SourceValue> {
  const written: Record<string, SourceValue> = {};
  for (const [property, value] of Object.entries(fields)) {
    if (value !== undefined) written[toSnakeCase(property)] = value;
  }
  if (timeoutMs !== undefined) written.timeout_seconds = timeoutMs / 1000;
  return written;
}
