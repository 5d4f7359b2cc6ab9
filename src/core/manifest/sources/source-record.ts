import { type Diagnostic, openSource, type SourceRange, suggest } from "../../../base/diagnostics/index.js";
import { loadKind, sourceNames, type ValueSource } from "../../secrets/index.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import type { Entry, Node } from "../tree/node.js";
import { noFiles } from "../tree/project-files.js";
import { readFields } from "./source-fields.js";
import { toDiagnostics } from "./to-diagnostics.js";

export interface ReadSourceRecord {
  /** Undefined if there are errors. */
  readonly source?: ValueSource;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads one source that is written outside any project, as plain values in the spelling of YAML. Paths stay relative:
 * whoever resolves the source says to what.
 */
export async function readSourceRecord(from: string, fields: object): Promise<ReadSourceRecord> {
  const collector = createCollector();
  const kind = await loadKind(from);
  if (!kind) {
    const hint = suggest(from, sourceNames, `the sources are ${sourceNames.join(", ")}`);
    collector.error("unknown-source", `there is no source ${JSON.stringify(from)}`, undefined, hint);
    return { diagnostics: toDiagnostics(collector) };
  }
  const source = readFields(toNode(fields), kind, "fields", {
    collector,
    files: noFiles((written) => written),
  });
  // What was written has no place: only its text would be shown.
  const diagnostics = toDiagnostics(collector).map(({ place: _, ...diagnostic }) => diagnostic);
  return source ? { source, diagnostics } : { diagnostics };
}

const nowhere: SourceRange = { source: openSource("", ""), start: 0, end: 0 };

function toNode(value: unknown): Node {
  const facts = { ...nowhere, at: "yaml", trail: undefined } as const;
  if (Array.isArray(value)) return { ...facts, is: "list", flow: true, items: value.map(toNode) };
  if (typeof value === "object" && value !== null) {
    const set = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
    const entries = set.map(([key, inner]): [string, Entry] => [
      key,
      { range: nowhere, value: toNode(inner) },
    ]);
    return { ...facts, is: "map", flow: true, entries: new Map(entries) };
  }
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  return { ...facts, is: "scalar", style: "PLAIN", value: isScalar ? (value as string) : null };
}
