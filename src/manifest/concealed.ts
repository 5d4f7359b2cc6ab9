import type { Source } from "../diagnostics/index.js";
import { kinds, writeOnlyFields } from "../kinds/index.js";
import type { Findings } from "./findings.js";
import { serviceForm } from "./form.js";
import type { MapNode, Node } from "./node.js";
import { conceal } from "./source-tag.js";
import { camelCase } from "./spelling.js";
import type { YamlPart } from "./yaml-tree.js";

/*
 * What must never be shown. Masking is by place, not by searching for values: before anything is reported, every
 * stretch of a file in which a secret could have been written out is marked, and no line shown includes it. That is
 * the value of every key that takes secrets, wherever it stands, and every unknown key beside one, since the key's
 * name may be misspelt.
 */

const secretKeys = new Set(["api_key", "fingerprint_key", ...kinds.flatMap(writeOnlyFields)]);

/** Conceals what may be a secret in the tree of one file. */
export function concealSecrets(root: Node, findings: Findings): void {
  concealKeys(root, findings);
  if (root.is !== "map") return;
  concealTopLevel(root, findings);
  const environments = root.entries.get("environments")?.value;
  if (environments?.is !== "map") return;
  for (const { value } of environments.entries.values()) {
    if (value.is === "map") concealTopLevel(value, findings);
  }
}

/** Conceals what may be a secret in a text that could not be understood as YAML: by its lines. */
export function concealSecretLines(part: YamlPart, findings: Findings): void {
  const text = part.source.text.slice(0, part.end);
  const key = new RegExp(`\\b(?:${[...secretKeys].join("|")})\\b["']?[ \\t]*:`, "g");
  for (const { index, 0: found } of text.matchAll(key)) {
    if (index < part.start) continue;
    findings.conceal({ source: part.source, start: index + found.length, end: endOfValue(text, index) });
  }
}

/** Conceals what may be a secret written out in code: behind the name of each property that takes one. */
export function concealSecretsOfCode(source: Source, findings: Findings): void {
  const names = [...secretKeys].map(camelCase).join("|");
  const literal = new RegExp(
    `\\b(?:${names})\\b["']?\\s*[:=]\\s*(?!env\\(|file\\(|exec\\()(?=\\S)[^\\n]*`,
    "g",
  );
  for (const { index, 0: found } of source.text.matchAll(literal)) {
    const start = index + (/^\w+["']?\s*[:=]/.exec(found)?.[0].length ?? 0);
    findings.conceal({ source, start, end: index + found.length });
  }
}

/** Up to the next line that begins a key no deeper than the line at `from`. */
function endOfValue(text: string, from: number): number {
  const lineStart = text.lastIndexOf("\n", from) + 1;
  const depth = /^[ \t]*/.exec(text.slice(lineStart, from))?.[0].length ?? 0;
  const nextKey = new RegExp(`\\n[ \\t-]{0,${depth}}["']?[\\w.-]+["']?[ \\t]*:`, "g");
  nextKey.lastIndex = from;
  return nextKey.exec(text)?.index ?? text.length;
}

function concealKeys(node: Node, findings: Findings): void {
  if (node.is === "list") for (const item of node.items) concealKeys(item, findings);
  if (node.is !== "map") return;
  for (const [key, { value }] of node.entries) {
    if (secretKeys.has(key)) conceal(value, findings);
    else concealKeys(value, findings);
  }
}

function concealTopLevel(root: MapNode, findings: Findings): void {
  const service = root.entries.get("service")?.value;
  if (service) concealUnknown(service, Object.keys(serviceForm.shape), findings);
  for (const kind of kinds) {
    if (writeOnlyFields(kind).length === 0) continue;
    const objects = root.entries.get(kind.collection)?.value;
    if (objects?.is !== "map") {
      if (objects) conceal(objects, findings);
      continue;
    }
    for (const { value } of objects.entries.values())
      concealUnknown(value, Object.keys(kind.fields), findings);
  }
}

function concealUnknown(record: Node, known: readonly string[], findings: Findings): void {
  if (record.is !== "map") conceal(record, findings);
  if (record.is !== "map") return;
  for (const [key, { value }] of record.entries) if (!known.includes(key)) conceal(value, findings);
}
