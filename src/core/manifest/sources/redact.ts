import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findUrlProblem } from "../../../base/files/index.js";
import { toSnakeCase } from "../../../base/text/index.js";
import { kinds, listWriteOnlyFields, preset, profileKeys, toVersionField } from "../../kinds/index.js";
import { getLoadedKind, listFields } from "../../secrets/index.js";
import { includedForm, serviceForm } from "../forms/form.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { listChildren, type MapNode, type Node } from "../tree/node.js";
import { isCode } from "../tree/project-files.js";
import type { YamlTree } from "../tree/yaml-tree.js";
import { isSafeToPrint, isShorthandSafeToPrint } from "./field-value.js";
import { redactSecretLines, secretKeys } from "./redact-text.js";
import { isLikelyKey, isNamedLikeSecret } from "./variable-name.js";

/*
 * Marks every range that may contain a literal secret, in one pass over all files, before any diagnostic is shown.
 * Output never includes these ranges. Such a range is the value of a secret key at any depth, the value of an unknown
 * (perhaps misspelled) key next to it, or misplaced text after the tag of a source.
 */

/** A parsed file or part of a file. */
export type ParsedFile = (YamlTree | { readonly root: Node; readonly isWhole: true }) & {
  /** Whether the file was included. It may then have been included by mistake, and contain unrelated credentials. */
  readonly isIncluded?: boolean;
};

/** Redacts possible secrets in the files of a project. */
export function redactSecrets(files: readonly ParsedFile[], collector: DiagnosticsCollector): void {
  for (const file of files) {
    const { root, isIncluded } = file;
    if (!file.isWhole) redactSecretLines(file.part, collector);
    if (!root) continue;
    redactValues(root, collector);
    if (isIncluded) redactUnknown(root, Object.keys(includedForm.shape), collector);
    if (root.is !== "map") continue;
    redactTopLevel(root, collector);
    const environments = root.entries.get("environments")?.value;
    if (environments?.is !== "map") continue;
    for (const { value } of environments.entries.values())
      if (value.is === "map") redactTopLevel(value, collector);
  }
}

/**
 * Redacts possible secrets at any depth: values whose key is in `secretKeys`, sources, and values in `extra` that look
 * like credentials.
 */
function redactValues(node: Node, collector: DiagnosticsCollector, extraKey?: string): void {
  if (node.tag && !node.tag.startsWith("!stock_")) redact(node, collector);
  else if (extraKey !== undefined && node.is === "scalar" && typeof node.value === "string") {
    if (isLikelyKey(node.value) || isNamedLikeSecret(extraKey, node.value)) redact(node, collector);
  }
  if (node.is === "list") for (const item of node.items) redactValues(item, collector, extraKey);
  if (node.is !== "map") return;
  for (const [key, { value }] of node.entries) {
    if (secretKeys.has(key)) redact(value, collector);
    else {
      const isExtra = extraKey !== undefined || key === preset.extra.key || profileKeys.includes(key);
      redactValues(value, collector, isExtra ? key : undefined);
    }
  }
}

function redactTopLevel(root: MapNode, collector: DiagnosticsCollector): void {
  const service = root.entries.get("service")?.value;
  if (service) redactUnknown(service, Object.keys(serviceForm.shape), collector);
  for (const item of listItems(root.entries.get("notify")?.value))
    redactUnknown(item, ["format", "events"], collector);
  const state = root.entries.get("state")?.value;
  if (state?.is === "scalar" && findUrlProblem(String(state.value)) !== undefined) {
    redact(state, collector);
    redactEqual(state, String(state.value), collector);
  }
  for (const kind of kinds) {
    const hidden = listWriteOnlyFields(kind);
    const objects = hidden.length > 0 ? root.entries.get(kind.collection)?.value : undefined;
    if (objects?.is === "map") {
      const known = [...Object.keys(kind.fields), ...hidden.map(toVersionField)];
      for (const { value } of objects.entries.values()) redactUnknown(value, known, collector);
    } else if (objects) redact(objects, collector);
  }
}

/** Returns a list's items. A node that is not a list counts as a single item, because its dash may be missing. */
function listItems(node: Node | undefined): readonly Node[] {
  if (!node) return [];
  return node.is === "list" ? node.items : [node];
}

function redactUnknown(record: Node, known: readonly string[], collector: DiagnosticsCollector): void {
  if (record.is !== "map") redact(record, collector);
  else for (const [key, { value }] of record.entries) if (!known.includes(key)) redact(value, collector);
}

/** Redacts every literal below a node, except names and paths after a source's tag. */
function redact(node: Node, collector: DiagnosticsCollector): void {
  const kind = node.tag && !node.broken ? getLoadedKind(node.tag.slice(1)) : undefined;
  if (kind && node.is === "map") {
    const fields = new Map([...listFields(kind)].map(([name, field]) => [toSnakeCase(name), field]));
    for (const [key, { value }] of node.entries) {
      const field = fields.get(key);
      if (!field) redactAll(value, collector);
      else if (!isSafeToPrint(value, field)) redact(value, collector);
    }
  } else if (!kind || !isShorthandSafeToPrint(node, kind)) redactAll(node, collector);
}

function redactAll(node: Node, collector: DiagnosticsCollector): void {
  if (node.is === "scalar") {
    if (isCode(node.source.file)) redactInCode(node, String(node.value), collector);
    else collector.redact(node);
  }
  for (const child of listChildren(node)) redact(child, collector);
}

/**
 * Redacts the rest of the line and all equal strings in the file, because only the position of the call is known in
 * code.
 */
function redactInCode(at: SourceRange, value: string, collector: DiagnosticsCollector): void {
  const { source, end } = at;
  const lineEnd = source.text.indexOf("\n", end);
  collector.redact({ source, start: end, end: lineEnd === -1 ? source.text.length : lineEnd });
  redactEqual(at, value, collector);
}

function redactEqual({ source }: SourceRange, value: string, collector: DiagnosticsCollector): void {
  if (value === "") return;
  for (let at = source.text.indexOf(value); at !== -1; at = source.text.indexOf(value, at + value.length)) {
    collector.redact({ source, start: at, end: at + value.length });
  }
}
