import { suggest } from "../../../base/diagnostics/index.js";
import { environmentForm } from "../forms/form.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { type Entry, entriesIn, isNothing, type MapNode, type Node } from "../tree/node.js";
import { readTextList } from "../tree/to-plain.js";
import { checkLogicalName, reportUnknownKeys } from "./names.js";

/** What an environment says of itself. */
export interface EnvironmentSettings {
  /** The environments that must have what it gets, before it gets it. */
  readonly needs: readonly string[];
}

/** The entries under `environments:`, checked apart from the settings and objects in them. */
export function environmentsIn(root: MapNode, collector: DiagnosticsCollector): ReadonlyMap<string, Entry> {
  const environments = root.entries.get("environments")?.value;
  if (environments && environments.is !== "map" && !isNothing(environments)) {
    collector.error("wrong-type", "environments must be a mapping", environments, "name each environment");
  }
  const found = entriesIn(environments);
  for (const [name, entry] of found) {
    checkLogicalName(`environments.${name}`, name, entry, collector);
    checkEnvironment(name, entry, collector);
    for (const [part, { value }] of entriesIn(entry.value))
      refuseEmptied(`environments.${name}.${part}`, value, root.entries.get(part)?.value, collector);
  }
  checkNeeds(found, collector);
  return found;
}

/** What the environments say of themselves, by name. */
export function readEnvironments(root: MapNode): ReadonlyMap<string, EnvironmentSettings> {
  const found = entriesIn(root.entries.get("environments")?.value);
  return new Map(
    Array.from(found, ([name, entry]) => [name, { needs: neededBy(name, entry).map(({ text }) => text) }]),
  );
}

function neededBy(name: string, { value }: Entry, collector = createCollector()) {
  const needs = entriesIn(value).get("needs")?.value;
  return readTextList(needs, `environments.${name}.needs`, collector, "such as [staging]");
}

/** Refuses what is empty here and has parts for all environments: it would keep them, which is not what it seems to say. */
function refuseEmptied(
  at: string,
  over: Node,
  base: Node | undefined,
  collector: DiagnosticsCollector,
): void {
  if (over.is !== "map" || over.tag || base?.is !== "map" || base.tag) return;
  for (const [key, { value }] of over.entries) {
    const below = base.entries.get(key)?.value;
    if (!isNothing(value)) refuseEmptied(`${at}.${key}`, value, below, collector);
    else if (below?.is === "map" && !below.tag) {
      const hint = "remove the line; to leave it out here, write it only under the environments that have it";
      collector.error("emptied", `${at}.${key} is empty, which leaves nothing out`, value, hint);
    }
  }
}

function checkEnvironment(name: string, { value }: Entry, collector: DiagnosticsCollector): void {
  if (value.is !== "map" && !isNothing(value)) {
    const message = `environments.${name} must be a mapping`;
    collector.error("wrong-type", message, value, "write the differences under it");
  }
  reportUnknownKeys(`environments.${name}`, entriesIn(value), Object.keys(environmentForm.shape), collector);
}

/** Each environment needs others that exist, and none needs itself by way of them. */
function checkNeeds(found: ReadonlyMap<string, Entry>, collector: DiagnosticsCollector): void {
  const names = [...found.keys()];
  const needs = new Map(Array.from(found, ([name, entry]) => [name, neededBy(name, entry, collector)]));
  for (const [name, needed] of needs) {
    for (const { text, range } of needed) {
      if (found.has(text)) continue;
      const message = `environments.${name}.needs names ${JSON.stringify(text)}, which there is not`;
      const hint = suggest(text, names, `the environments are ${names.join(", ")}`);
      collector.error("unknown-environment", message, range, hint);
    }
    const [first] = needed;
    if (first && reaches(name, name, needs)) {
      const message = `environments.${name} needs itself, by way of its needs`;
      collector.error("needs-cycle", message, first.range, "remove one of them");
    }
  }
}

function reaches(
  from: string,
  to: string,
  needs: ReadonlyMap<string, readonly { readonly text: string }[]>,
  seen = new Set<string>(),
): boolean {
  return (needs.get(from) ?? []).some(({ text: other }) => {
    if (other === to) return true;
    if (seen.has(other)) return false;
    seen.add(other);
    return reaches(other, to, needs, seen);
  });
}
