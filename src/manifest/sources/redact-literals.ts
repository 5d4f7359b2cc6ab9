import type { SourceRange } from "../../diagnostics/index.js";
import { fieldsOf, loadedKind } from "../../secrets/index.js";
import { snakeCase } from "../../text/index.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { isCode } from "../tree/is-code.js";
import { childrenOf, type Node } from "../tree/node.js";
import { looksLikeKey, namesVariable } from "./variable-name.js";

/** Redacts every literal below a node; the names and paths that a source tag takes stay readable. */
export function redact(node: Node, collector: DiagnosticsCollector): void {
  if (node.tag && !node.broken) redactSource(node, collector);
  else redactAll(node, collector);
}

function redactAll(node: Node, collector: DiagnosticsCollector): void {
  if (node.is === "scalar") {
    if (isCode(node.source.file)) concealLiteral(node, String(node.value), collector);
    else collector.redact(withComment(node));
  }
  for (const child of childrenOf(node)) redact(child, collector);
}

/** Redacts what a tag does not take. A kind that the project defines itself is not known yet: shows nothing of it. */
function redactSource(node: Node, collector: DiagnosticsCollector): void {
  const kind = node.tag && loadedKind(node.tag.slice(1));
  if (kind && node.is === "map") {
    const fields = new Map([...fieldsOf(kind)].map(([name, field]) => [snakeCase(name), field]));
    for (const [key, { value }] of node.entries) {
      const field = fields.get(key);
      if (!field || !isShown(value, field.type === "variable")) redactAll(value, collector);
    }
    return;
  }
  const takesVariable = kind && [...fieldsOf(kind).values()].some(({ type }) => type === "variable");
  if (!kind?.shorthand || !isShown(node, takesVariable === true && kind.name === "env"))
    redactAll(node, collector);
}

function isShown(node: Node, isVariable: boolean): boolean {
  if (node.is === "list")
    return node.items.every((item) => item.is === "scalar" && isShown(item, isVariable));
  if (node.is !== "scalar") return false;
  return isVariable ? namesVariable(node.value) : !looksLikeKey(String(node.value));
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
