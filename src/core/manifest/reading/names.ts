import path from "node:path";
import { type SourceRange, suggest } from "../../../base/diagnostics/index.js";
import { type Kind, toAddress } from "../../kinds/index.js";
import { isLogicalName } from "../forms/logical-name.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { isEmptyValue, type MapEntry, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";

/** Logical names that references can target, by kind. */
export type DeclaredNames = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** Reports a logical name that is not valid in addresses and file names. Returns whether it is valid. */
export function checkLogicalName(
  address: string,
  key: string,
  { range }: MapEntry,
  collector: DiagnosticsCollector,
): boolean {
  if (isLogicalName(key)) return true;
  const { file } = range.source;
  const rename = path.posix.basename(file) === `${key}.md` ? "rename the file: " : "";
  const hint = isLogicalName(key.normalize("NFC"))
    ? "retype the name in composed Unicode (NFC), because its accents are separate characters"
    : `${rename}use letters, digits, - and _, and start with a letter or digit`;
  collector.error("invalid-name", `${address} has an invalid name`, range, hint);
  return false;
}

/** Reports a collection that is not a mapping of names. `at` is its key path. */
export function checkCollection(at: string, node: Node, collector: DiagnosticsCollector): void {
  checkMapping(at, node, "give each entry a name, with its fields under it", collector);
}

export function checkReference(
  subject: string,
  kind: Kind,
  name: string,
  range: SourceRange,
  declared: DeclaredNames,
  { collector }: Reading,
  idHint = `write ${kind.name}_id: instead of ${kind.name}:`,
): void {
  const names = declared.get(kind.name) ?? new Map<string, unknown>();
  // The object may be declared in a file that could not be read.
  if (names.has(name) || collector.isIncomplete) return;
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name);
  const hint = isId
    ? `this is an id: ${idHint}`
    : suggest(name, names.keys(), `declare it under ${kind.collection}:`);
  collector.error("undeclared-reference", `${subject}: there is no ${toAddress(kind, name)}`, range, hint);
}

/** Reports a value that is neither empty nor a mapping without a tag. */
export function checkMapping(
  subject: string,
  node: Node,
  hint: string,
  collector: DiagnosticsCollector,
): void {
  const isMapping = node.is === "map" && !node.tag;
  if (isMapping || isEmptyValue(node) || node.broken) return;
  collector.error("wrong-type", `${subject} must be a mapping`, node, hint);
}

/** Reports unknown keys in a mapping. `subject` starts the message. */
export function reportUnknownKeys(
  subject: string,
  entries: ReadonlyMap<string, MapEntry>,
  known: readonly string[],
  collector: DiagnosticsCollector,
  hints: (key: string) => string | undefined = () => undefined,
): void {
  for (const [key, { range }] of entries) {
    if (known.includes(key)) continue;
    const hint = hints(key) ?? suggest(key, known, `valid keys are ${known.join(", ")}`);
    collector.error("unknown-field", `${subject} has no key ${JSON.stringify(key)}`, range, hint);
  }
}

export function reportDuplicate(
  subject: string,
  second: SourceRange,
  first: SourceRange,
  collector: DiagnosticsCollector,
  advice = "rename one",
): void {
  const { file, line } = first.source.locate(first.start);
  const hint = `${advice} (the first is at ${file}:${line})`;
  collector.error("duplicate-name", `${subject} is declared twice`, second, hint);
}
