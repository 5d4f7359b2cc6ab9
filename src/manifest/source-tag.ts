import type { SourceRange } from "../diagnostics/index.js";
import type { ValueSource } from "../secrets/index.js";
import { sourceKey } from "./base.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { isCode } from "./is-code.js";
import { childrenOf, type Node } from "./node.js";
import type { Reading } from "./reading.js";

/** The default sources of the service's address and key. */
export const defaultSources = {
  baseUrl: { from: "env", name: "AVATAROPS_BASE_URL" },
  apiKey: { from: "env", name: "AVATAROPS_API_KEY" },
} as const;

/** The source that a tag names; reported and undefined if there is none. Does not resolve it. */
export function readSource(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const source = sourceNamed(node, subject, reading);
  if (!source) return undefined;
  reading.onSource?.(subject, source);
  return isRefused(source, node, subject, reading) ? undefined : source;
}

/** An untrusted change names no variable and runs no command that its base does not. */
function isRefused(source: ValueSource, node: Node, subject: string, { base, collector }: Reading): boolean {
  if (!base || source.from === "file" || base.sources.has(sourceKey(subject, source))) return false;
  if (source.from === "env" && isDefaultSource(source.name, subject)) return false;
  const hint = "let somebody with write access to the repository propose it";
  const [code, message] =
    source.from === "env"
      ? ([
          "untrusted-variable",
          `${subject} reads the environment variable ${source.name}, which no file of ${base.name} names`,
        ] as const)
      : (["untrusted-command", `${subject} runs a command that ${base.name} does not run there`] as const);
  collector.error(code, message, node, hint);
  return true;
}

function sourceNamed(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const { collector } = reading;
  switch (node.tag) {
    case "!env":
      return envSource(node, subject, reading);
    case "!file": {
      const path = fileNamed(node, reading);
      return path === undefined ? undefined : { from: "file", path };
    }
    case "!exec":
      return execSource(node, subject, collector);
    default:
      if (node.broken) return undefined;
      redact(node, collector);
      collector.error(
        "literal-secret",
        `${subject} must not be a literal: it would put a secret into git`,
        node,
        "use a source: !env NAME, !file path or !exec [command, argument]",
      );
      return undefined;
  }
}

/** The project file a `!file` names, relative to the root. */
export function fileNamed(node: Node, { collector, files }: Reading): string | undefined {
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

function envSource(node: Node, subject: string, reading: Reading): ValueSource | undefined {
  const { collector } = reading;
  if (namesVariable(node)) {
    const name = String((node as { value: unknown }).value);
    if (isAllowed(name, subject, reading)) return { from: "env", name };
    const message = `${subject} may not read the environment variable ${name}`;
    collector.error(
      "env-not-allowed",
      message,
      node,
      `allow it with --allow-env ${name} or AVATAROPS_ALLOW_ENV`,
    );
    return undefined;
  }
  // It may be the key itself, pasted after the tag.
  redact(node, collector);
  collector.error(
    "wrong-tag",
    `${subject}: !env must be followed by the name of an environment variable`,
    node,
    "write !env LLM_API_KEY, with the name of the variable and not its value",
  );
  return undefined;
}

/**
 * The variables of address and key may be read for these settings; for anything else they must be allowed.
 */
function isAllowed(name: string, subject: string, { allowedVariables }: Reading): boolean {
  return !allowedVariables || allowedVariables.has(name) || isDefaultSource(name, subject);
}

function isDefaultSource(name: string, subject: string): boolean {
  if (subject === "service.base_url") return name === defaultSources.baseUrl.name;
  return subject === "service.api_key" && name === defaultSources.apiKey.name;
}

function execSource(node: Node, subject: string, collector: DiagnosticsCollector): ValueSource | undefined {
  const command = commandOf(node);
  const timeout = node.is === "map" ? node.entries.get("timeout_seconds")?.value : undefined;
  const seconds = timeout?.is === "scalar" ? timeout.value : undefined;
  const timeIsRight = timeout === undefined || (typeof seconds === "number" && seconds > 0);
  const keysAreRight =
    node.is !== "map" ||
    [...node.entries.keys()].every((key) => key === "command" || key === "timeout_seconds");
  if (command && timeIsRight && keysAreRight) {
    return { from: "exec", command, ...(typeof seconds === "number" ? { timeoutMs: seconds * 1000 } : {}) };
  }
  collector.error(
    "wrong-tag",
    `${subject}: !exec must be followed by a command and its arguments`,
    node,
    "write !exec [command, argument] or !exec { command: [command, argument], timeout_seconds: 10 }",
  );
  return undefined;
}

function commandOf(node: Node): string[] | undefined {
  const list = node.is === "map" ? node.entries.get("command")?.value : node;
  if (list?.is !== "list" || list.items.length === 0) return undefined;
  const words = list.items.map((item) => (item.is === "scalar" && !item.tag ? item.value : undefined));
  return words.every((word) => typeof word === "string") && words[0] !== "" ? (words as string[]) : undefined;
}

/** Whether a node is the name of an environment variable and does not look like a pasted key. */
function namesVariable(node: Node): boolean {
  if (node.is !== "scalar" || typeof node.value !== "string") return false;
  const name = node.value;
  // Names consist of words; keys have long runs of mixed letters and digits: sk_51HqLyjWDarjtT1zdp7dc.
  const looksPasted = name
    .split("_")
    .some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part));
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !looksPasted;
}

/** Redacts every literal below a node; names after source tags stay readable. */
export function redact(node: Node, collector: DiagnosticsCollector): void {
  if (node.tag === "!env" ? namesVariable(node) : node.tag) return;
  if (node.is === "scalar") {
    if (isCode(node.source.file)) concealLiteral(node, String(node.value), collector);
    else collector.redact(withComment(node));
  }
  for (const child of childrenOf(node)) redact(child, collector);
}

/**
 * In code the call is known, but not the position of its literal: redact the rest of its line, and every
 * equal text in the file.
 */
function concealLiteral({ source, end }: SourceRange, value: string, collector: DiagnosticsCollector): void {
  const lineEnd = source.text.indexOf("\n", end);
  collector.redact({ source, start: end, end: lineEnd === -1 ? source.text.length : lineEnd });
  if (value === "") return;
  for (let at = source.text.indexOf(value); at !== -1; at = source.text.indexOf(value, at + value.length)) {
    collector.redact({ source, start: at, end: at + value.length });
  }
}

/** The comment after a value may contain the value too. */
function withComment({ source, start, end }: SourceRange): SourceRange {
  const comment = /[^\S\n]+#[^\n]*/y;
  comment.lastIndex = end;
  return { source, start, end: end + (comment.exec(source.text)?.[0].length ?? 0) };
}
