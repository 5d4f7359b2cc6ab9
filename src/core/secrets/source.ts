import { snakeCase } from "../../base/text/index.js";

/** What a field of a source may hold. */
export type SourceValue = string | number | boolean | readonly string[];

/**
 * Where a value comes from. Contains no value, and no credentials: where a source needs some, a field names the
 * environment variable that has them.
 */
export interface ValueSource {
  /** The kind of source: the YAML tag without its `!`. */
  readonly from: string;
  /** How long reading it may take, retries included. Default: 10 seconds. */
  readonly timeoutMs?: number;
  /** The fields of that kind, in the spelling of code. */
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

/** What a command prints: an argument list, run without a shell. */
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

/** Equal for sources of the same value, whatever the order of their fields. */
export function sourceText(source: ValueSource): string {
  const fields = Object.entries(source).filter(([, value]) => value !== undefined);
  return JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The fields of a source as they are written in YAML: `{ role_id_variable: "ROLE", timeout_seconds: 5 }`. */
export function writtenFields({ from: _, timeoutMs, ...fields }: ValueSource): Record<string, SourceValue> {
  const written: Record<string, SourceValue> = {};
  for (const [property, value] of Object.entries(fields)) {
    if (value !== undefined) written[snakeCase(property)] = value;
  }
  if (timeoutMs !== undefined) written.timeout_seconds = timeoutMs / 1000;
  return written;
}
