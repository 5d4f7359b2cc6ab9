import { nearest } from "../../../base/diagnostics/index.js";
import { environmentForm } from "../forms/form.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { type Entry, entriesIn, isNothing, type MapNode } from "../tree/node.js";
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
  }
  checkNeeds(found, collector);
  return found;
}

/** What the environments say of themselves, by name. */
export function readEnvironments(root: MapNode): ReadonlyMap<string, EnvironmentSettings> {
  const found = entriesIn(root.entries.get("environments")?.value);
  return new Map(Array.from(found, ([name, entry]) => [name, { needs: neededBy(entry) }]));
}

function neededBy({ value }: Entry): string[] {
  const needs = entriesIn(value).get("needs")?.value;
  const items = needs?.is === "list" ? needs.items : [];
  return items.flatMap((item) =>
    item.is === "scalar" && !item.tag && typeof item.value === "string" ? [item.value] : [],
  );
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
  for (const [name, entry] of found) {
    const needs = entriesIn(entry.value).get("needs")?.value;
    if (!needs || needs.broken) continue;
    const subject = `environments.${name}.needs`;
    const written = neededBy(entry);
    if (needs.is !== "list" || needs.tag || written.length < needs.items.length) {
      collector.error("wrong-type", `${subject} must be a list of environments`, needs, "such as [staging]");
      continue;
    }
    for (const other of written.filter((other) => !found.has(other))) {
      const meant = nearest(other, names);
      const hint = meant ? `did you mean "${meant}"?` : `the environments are ${names.join(", ")}`;
      collector.error(
        "unknown-environment",
        `${subject} names ${JSON.stringify(other)}, which there is not`,
        needs,
        hint,
      );
    }
    if (reaches(name, name, found))
      collector.error(
        "needs-cycle",
        `environments.${name} needs itself, by way of its needs`,
        needs,
        "remove one of them",
      );
  }
}

function reaches(
  from: string,
  to: string,
  found: ReadonlyMap<string, Entry>,
  seen = new Set<string>(),
): boolean {
  const entry = found.get(from);
  return (entry ? neededBy(entry) : []).some((other) => {
    if (other === to) return true;
    if (seen.has(other)) return false;
    seen.add(other);
    return reaches(other, to, found, seen);
  });
}
