import { isEnv, isFile, listFields, type SourceKind, type ValueSource } from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { findKindByTag, readFields } from "./source-fields.js";

/** Default sources of the service's base URL and API key. */
export const defaultSources = {
  baseUrl: { from: "env", name: "AVATAROPS_BASE_URL" },
  apiKey: { from: "env", name: "AVATAROPS_API_KEY" },
} as const;

/** Reads the source after a tag without resolving it. Reports an invalid source and returns undefined. */
export function readSource(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const source = readTag(node, subject, reading);
  if (!source) return undefined;
  reading.onSource?.(subject, source);
  return rejectUntrusted(source, node, subject, reading) ? undefined : source;
}

/**
 * Returns the key that identifies a source in the base. An environment variable that the base uses is permitted for
 * every setting. Any other source is permitted only for the setting that uses it in the base.
 */
export function toSourceKey(subject: string, source: ValueSource): string {
  return isEnv(source) ? JSON.stringify(["env", source.name]) : JSON.stringify([subject, source]);
}

/**
 * Rejects a variable, command or vault that the base of an untrusted change does not use. Returns true if it reported
 * an error.
 */
function rejectUntrusted(
  source: ValueSource,
  node: Node,
  subject: string,
  { base, collector }: Reading,
): boolean {
  if (!base || isFile(source) || base.sources.has(toSourceKey(subject, source))) return false;
  if (isEnv(source) && isDefaultSource(source.name, subject)) return false;
  const hint = "ask someone with write access to the repository to propose this change";
  const [code, message] = isEnv(source)
    ? ([
        "untrusted-variable",
        `${subject} reads the environment variable ${source.name}, which ${base.name} does not use`,
      ] as const)
    : source.from === "exec"
      ? (["untrusted-command", `${subject} runs a command that differs from ${base.name}`] as const)
      : (["untrusted-source", `${subject} has a source that differs from ${base.name}`] as const);
  collector.error(code, message, node, hint);
  return true;
}

function readTag(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const { collector } = reading;
  if (node.broken) return undefined;
  const kind = node.tag && findKindByTag(node.tag, reading.kinds);
  if (kind) {
    const source =
      kind.name === "file" ? readFileSource(node, reading) : readFields(node, kind, subject, reading);
    return source && checkVariables(source, kind, node, subject, reading);
  }
  collector.error(
    "literal-secret",
    `${subject} must not be a literal, to keep the secret out of git`,
    node,
    "use a source: !env NAME, !file path or !exec [command, argument]",
  );
  return undefined;
}

function readFileSource(node: Node, reading: Reading): ValueSource | undefined {
  const path = readFileName(node, reading);
  return path === undefined ? undefined : { from: "file", path };
}

/** Reads the path after `!file`, relative to the root. */
export function readFileName(node: Node, { collector, files }: Reading): string | undefined {
  if (node.is === "scalar" && typeof node.value === "string" && node.value !== "") {
    return files.resolve(node.value, node);
  }
  collector.error(
    "wrong-tag",
    "!file must be followed by a file path",
    node,
    "write !file prompts/support.md",
  );
  return undefined;
}

/** Returns the source. If it reads a forbidden environment variable, reports an error instead. */
function checkVariables(
  source: ValueSource,
  kind: SourceKind,
  node: Node,
  subject: string,
  reading: Reading,
): ValueSource | undefined {
  for (const [field, { type }] of listFields(kind)) {
    const name = source[field];
    if (type !== "variable" || typeof name !== "string" || isAllowed(name, subject, reading)) continue;
    const message = `${subject} is not allowed to read the environment variable ${name}`;
    const hint = `allow it with --allow-env ${name} or AVATAROPS_ALLOW_ENV`;
    reading.collector.error("env-not-allowed", message, node, hint);
    return undefined;
  }
  return source;
}

/**
 * Returns whether a variable may be read. The settings for base URL and API key may always read their default
 * variables.
 */
function isAllowed(name: string, subject: string, { allowedVariables }: Reading): boolean {
  return !allowedVariables || allowedVariables.has(name) || isDefaultSource(name, subject);
}

function isDefaultSource(name: string, subject: string): boolean {
  if (subject === "service.base_url") return name === defaultSources.baseUrl.name;
  return subject === "service.api_key" && name === defaultSources.apiKey.name;
}
