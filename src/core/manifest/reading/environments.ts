import { suggest } from "../../../base/diagnostics/index.js";
import { collectionNames, environmentForm } from "../forms/form.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { isEmptyValue, listEntries, type MapEntry, type MapNode, type Node } from "../tree/node.js";
import { readTextList } from "../tree/to-plain.js";
import { checkCollection, checkLogicalName, checkMapping, reportUnknownKeys } from "./names.js";

export interface EnvironmentSettings {
  /** Environments that must get a change before this environment. */
  readonly needs: readonly string[];
}

/**
 * Lists the environments under `environments:`. Checks only their names, keys and `needs`, and that their collections
 * are mappings, because the merge would replace all objects by another value. Their settings and objects are checked
 * after the merge.
 */
export function listEnvironments(
  root: MapNode,
  collector: DiagnosticsCollector,
): ReadonlyMap<string, MapEntry> {
  const environments = root.entries.get("environments")?.value;
  if (environments) checkMapping("environments", environments, "name each environment", collector);
  const found = listEntries(environments);
  for (const [name, entry] of found) {
    checkLogicalName(`environments.${name}`, name, entry, collector);
    checkEnvironment(name, entry, collector);
    for (const [part, { value }] of listEntries(entry.value))
      rejectEmptied(`environments.${name}.${part}`, value, root.entries.get(part)?.value, collector);
  }
  checkNeeds(found, collector);
  return found;
}

/** Reads each environment's settings, by name. */
export function readEnvironments(root: MapNode): ReadonlyMap<string, EnvironmentSettings> {
  const found = listEntries(root.entries.get("environments")?.value);
  return new Map(
    Array.from(found, ([name, entry]) => [name, { needs: readNeeds(name, entry).map(({ text }) => text) }]),
  );
}

function readNeeds(name: string, { value }: MapEntry, collector = createCollector()) {
  const needs = listEntries(value).get("needs")?.value;
  return readTextList(needs, `environments.${name}.needs`, collector, "such as [staging]");
}

/**
 * Rejects an empty value where the main file has a mapping. The empty value looks like a removal, but the merge would
 * keep the mapping.
 */
function rejectEmptied(
  at: string,
  over: Node,
  base: Node | undefined,
  collector: DiagnosticsCollector,
): void {
  if (over.is !== "map" || over.tag || base?.is !== "map" || base.tag) return;
  for (const [key, { value }] of over.entries) {
    const below = base.entries.get(key)?.value;
    if (!isEmptyValue(value)) rejectEmptied(`${at}.${key}`, value, below, collector);
    else if (below?.is === "map" && !below.tag) {
      const hint = "remove the line. To omit an entry from one environment, declare it only under the others";
      collector.error("emptied", `${at}.${key} is empty, but an empty value removes nothing`, value, hint);
    }
  }
}

function checkEnvironment(name: string, { value }: MapEntry, collector: DiagnosticsCollector): void {
  const hint = "put the environment's settings and objects under its name";
  checkMapping(`environments.${name}`, value, hint, collector);
  const entries = listEntries(value);
  reportUnknownKeys(`environments.${name}`, entries, Object.keys(environmentForm.shape), collector);
  for (const collection of collectionNames) {
    const objects = entries.get(collection)?.value;
    if (objects) checkCollection(`environments.${name}.${collection}`, objects, collector);
  }
}

/** Reports unknown environments and cycles in `needs`. */
function checkNeeds(found: ReadonlyMap<string, MapEntry>, collector: DiagnosticsCollector): void {
  const names = [...found.keys()];
  const needs = new Map(Array.from(found, ([name, entry]) => [name, readNeeds(name, entry, collector)]));
  for (const [name, needed] of needs) {
    for (const { text, range } of needed) {
      if (found.has(text)) continue;
      const message = `environments.${name}.needs names an unknown environment ${JSON.stringify(text)}`;
      const hint = suggest(text, names, `the environments are ${names.join(", ")}`);
      collector.error("unknown-environment", message, range, hint);
    }
    const [first] = needed;
    if (first && canReach(name, name, needs)) {
      const message = `environments.${name} is part of a \`needs\` cycle`;
      collector.error("needs-cycle", message, first.range, "remove one of these `needs` entries");
    }
  }
}

function canReach(
  from: string,
  to: string,
  needs: ReadonlyMap<string, readonly { readonly text: string }[]>,
  seen = new Set<string>(),
): boolean {
  return (needs.get(from) ?? []).some(({ text: other }) => {
    if (other === to) return true;
    if (seen.has(other)) return false;
    seen.add(other);
    return canReach(other, to, needs, seen);
  });
}
