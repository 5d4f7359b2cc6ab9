import { toSnakeCase } from "../../base/text/index.js";

export type SourceValue = string | number | boolean | readonly string[];

/**
 * The origin of a value. Contains neither the value nor credentials. If the source needs credentials, a field contains
 * the name of their environment variable.
 */
export interface ValueSource {
  /** Name of the source: the YAML tag without the `!`. */
  readonly from: string;
  /** Read timeout, including retries, in ms. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Source fields, in camelCase. */
  readonly [field: string]: SourceValue | undefined;
}

/** The value of an environment variable. */
export interface EnvSource extends ValueSource {
  readonly from: "env";
  readonly name: string;
}

/** The content of a file. `path` is relative to the project folder, and inside it. */
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

/** Serializes a source to a string that does not depend on field order. */
export function serializeSource(source: ValueSource): string {
  const fields = Object.entries(source).filter(([, value]) => value !== undefined);
  return JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Converts a source's fields to YAML: `{ role_id_variable: "ROLE", timeout_seconds: 5 }`. */
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
