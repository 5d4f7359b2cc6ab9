import type { SourceRange } from "../../../base/diagnostics/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { isEmptyValue, type Node, setOwn } from "./node.js";

export type FieldPath = readonly (string | number)[];

/** Converts a node that is more than plain data, such as a tagged one. Returns undefined for other nodes. */
export type Visitor = (
  node: Node,
  path: FieldPath,
  subject: string,
) => { readonly value: unknown } | undefined;

/** Converts a node to a plain value, without undefined entries. */
export function toPlain(node: Node, path: FieldPath, subject: string, visit: Visitor): unknown {
  const visited = visit(node, path, subject);
  if (visited) return visited.value;
  if (node.is === "list")
    return node.items.map((item, i) => toPlain(item, [...path, i], `${subject}[${i}]`, visit) ?? null);
  if (node.is === "scalar") return node.value;
  const record: Record<string, unknown> = {};
  for (const [key, { value }] of node.entries) {
    const plain = toPlain(value, [...path, key], appendKey(subject, key), visit);
    if (plain !== undefined) setOwn(record, key, plain);
  }
  return record;
}

/** Appends a key to a subject. Top-level keys have no prefix: `drift`, not `manifest.drift`. */
function appendKey(subject: string, key: string): string {
  return subject === "" ? key : `${subject}.${key}`;
}

/** Reads a list of strings, each with its range. Reports other values as errors. */
export function readTextList(
  list: Node | undefined,
  subject: string,
  collector: DiagnosticsCollector,
  hint: string,
): readonly { readonly text: string; readonly range: SourceRange }[] {
  if (!list || list.broken || isEmptyValue(list)) return [];
  const isList = list.is === "list" && !list.tag;
  return (isList ? list.items : [list]).flatMap((item) => {
    if (isList && item.is === "scalar" && typeof item.value === "string" && !item.tag)
      return [{ text: item.value, range: item }];
    if (!item.broken) collector.error("wrong-type", `${subject} must be a list of strings`, item, hint);
    return [];
  });
}
