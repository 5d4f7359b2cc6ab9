import type { SourceRange } from "../../../base/diagnostics/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { isNothing, type Node, type ScalarNode, setOwn } from "./node.js";

export type FieldPath = readonly (string | number)[];

/** What to make of the nodes that are no plain data. */
export interface Visitor {
  /** The value of a node with a tag, or one that is broken. */
  special(node: Node, path: FieldPath, subject: string): unknown;
  /** Looks at a literal below `key`, the nearest one. */
  literal?(node: ScalarNode, subject: string, key: string): void;
}

/** A node as a plain value, without what has no value. */
export function toPlain(node: Node, path: FieldPath, subject: string, visitor: Visitor, key = ""): unknown {
  if (node.broken || node.tag) return visitor.special(node, path, subject);
  if (node.is === "list")
    return node.items.map((item, i) => toPlain(item, [...path, i], `${subject}[${i}]`, visitor, key) ?? null);
  if (node.is === "map") {
    const record: Record<string, unknown> = {};
    for (const [inner, { value }] of node.entries) {
      const plain = toPlain(value, [...path, inner], below(subject, inner), visitor, inner);
      if (plain !== undefined) setOwn(record, inner, plain);
    }
    return record;
  }
  visitor.literal?.(node, subject, key);
  return node.value;
}

/** The top level has no address of its own: `drift`, not `manifest.drift`. */
export function below(subject: string, key: string): string {
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
