import type { SourceRange } from "../../../base/diagnostics/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { isNothing, type Node, setOwn } from "./node.js";

export type FieldPath = readonly (string | number)[];

/** What to make of a node that is more than plain data; undefined for one that is not. */
export type Visitor = (
  node: Node,
  path: FieldPath,
  subject: string,
) => { readonly value: unknown } | undefined;

/** A node as a plain value, without what has no value. */
export function toPlain(node: Node, path: FieldPath, subject: string, visit: Visitor): unknown {
  const visited = visit(node, path, subject);
  if (visited) return visited.value;
  if (node.is === "list")
    return node.items.map((item, i) => toPlain(item, [...path, i], `${subject}[${i}]`, visit) ?? null);
  if (node.is === "scalar") return node.value;
  const record: Record<string, unknown> = {};
  for (const [key, { value }] of node.entries) {
    const plain = toPlain(value, [...path, key], below(subject, key), visit);
    if (plain !== undefined) setOwn(record, key, plain);
  }
  return record;
}

/** The top level has no address of its own: `drift`, not `manifest.drift`. */
function below(subject: string, key: string): string {
  return subject === "" ? key : `${subject}.${key}`;
}

/** The texts of a list, each with its place; reports what is none. A tag makes no text of a list. */
export function readTextList(
  list: Node | undefined,
  subject: string,
  collector: DiagnosticsCollector,
  hint: string,
): readonly { readonly text: string; readonly range: SourceRange }[] {
  if (!list || list.broken || isNothing(list)) return [];
  const isList = list.is === "list" && !list.tag;
  return (isList ? list.items : [list]).flatMap((item) => {
    if (isList && item.is === "scalar" && typeof item.value === "string" && !item.tag)
      return [{ text: item.value, range: item }];
    if (!item.broken) collector.error("wrong-type", `${subject} must be a list of texts`, item, hint);
    return [];
  });
}
