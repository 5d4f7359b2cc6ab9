import { isEnv, isFile, listFields, type SourceKind, type ValueSource } from "../../secrets/index.js";
import type { Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { kindOfTag, readFields } from "./source-fields.js";

/** The default sources of the service's address and key. */
export const defaultSources = {
  baseUrl: { from: "env", name: "AVATAROPS_BASE_URL" },
  apiKey: { from: "env", name: "AVATAROPS_API_KEY" },
} as const;

/** The source that a tag names; reported and undefined if there is none. Does not resolve it. */
export function readSource(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const source = readTag(node, subject, reading);
  if (!source) return undefined;
  reading.onSource?.(subject, source);
  return isRefused(source, node, subject, reading) ? undefined : source;
}

/** A source as the base's files name it: variables anywhere, all others only where they stand. */
export function sourceKey(subject: string, source: ValueSource): string {
  return isEnv(source) ? JSON.stringify(["env", source.name]) : JSON.stringify([subject, source]);
}

/** An untrusted change names no variable, runs no command and asks no vault that its base does not. */
function isRefused(source: ValueSource, node: Node, subject: string, { base, collector }: Reading): boolean {
  if (!base || isFile(source) || base.sources.has(sourceKey(subject, source))) return false;
  if (isEnv(source) && isDefaultSource(source.name, subject)) return false;
  const hint = "let somebody with write access to the repository propose it";
  const [code, message] = isEnv(source)
    ? ([
        "untrusted-variable",
        `${subject} reads the environment variable ${source.name}, which no file of ${base.name} names`,
      ] as const)
    : source.from === "exec"
      ? (["untrusted-command", `${subject} runs a command that ${base.name} does not run there`] as const)
      : (["untrusted-source", `${subject} has another source than in ${base.name}`] as const);
  collector.error(code, message, node, hint);
  return true;
}

function readTag(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const { collector } = reading;
  if (node.broken) return undefined;
  const kind = node.tag && kindOfTag(node.tag, reading.kinds);
  if (kind) {
    const source =
      kind.name === "file" ? fileSource(node, reading) : readFields(node, kind, subject, reading);
    return source && allowed(source, kind, node, subject, reading);
  }
  collector.error(
    "literal-secret",
    `${subject} must not be a literal: it would put a secret into git`,
    node,
    "use a source: !env NAME, !file path or !exec [command, argument]",
  );
  return undefined;
}

/** A path is named in a few words wherever it stands, in a secret as in a prompt. */
function fileSource(node: Node, reading: Reading): ValueSource | undefined {
  const path = readFileName(node, reading);
  return path === undefined ? undefined : { from: "file", path };
}

/** The project file a `!file` names, relative to the root. */
export function readFileName(node: Node, { collector, files }: Reading): string | undefined {
  if (node.is === "scalar" && typeof node.value === "string" && node.value !== "") {
    return files.resolve(node.value, node);
  }
  collector.error(
    "wrong-tag",
    "!file must be followed by the path of a file",
    node,
    "write !file prompts/support.md",
  );
  return undefined;
}

/** The source, if every environment variable that it names may be read. */
function allowed(
  source: ValueSource,
  kind: SourceKind,
  node: Node,
  subject: string,
  reading: Reading,
): ValueSource | undefined {
  for (const [field, { type }] of listFields(kind)) {
    const name = source[field];
    if (type !== "variable" || typeof name !== "string" || isAllowed(name, subject, reading)) continue;
    const message = `${subject} may not read the environment variable ${name}`;
    const hint = `allow it with --allow-env ${name} or AVATAROPS_ALLOW_ENV`;
    reading.collector.error("env-not-allowed", message, node, hint);
    return undefined;
  }
  return source;
}

/** The variables of address and key may be read for these settings; for anything else they must be allowed. */
function isAllowed(name: string, subject: string, { allowedVariables }: Reading): boolean {
  return !allowedVariables || allowedVariables.has(name) || isDefaultSource(name, subject);
}

function isDefaultSource(name: string, subject: string): boolean {
  if (subject === "service.base_url") return name === defaultSources.baseUrl.name;
  return subject === "service.api_key" && name === defaultSources.apiKey.name;
}
