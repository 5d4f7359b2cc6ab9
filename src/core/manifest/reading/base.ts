import type { SourceRange } from "../../../base/diagnostics/index.js";
import { settingsForm } from "../forms/form.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { listEntries, type MapNode, type Node } from "../tree/node.js";
import type { BaseManifest } from "../tree/reading.js";

/*
 * An untrusted change, such as a pull request from a fork, may propose texts and objects. But the base (the target
 * branch) decides where requests go, which files are read, and which code runs.
 */

/** Settings that must be the same as in the base. */
const fixedSettings = [...Object.keys(settingsForm.shape), "needs"];

/** Reports each setting that differs from the base. */
export function rejectChangedSettings(
  root: MapNode,
  base: BaseManifest,
  collector: DiagnosticsCollector,
): void {
  const compare = (path: string, node: Node | undefined, other: Node | undefined, at: SourceRange): void => {
    if (areEqual(node, other)) return;
    if (node?.is === "map" && other?.is === "map" && !node.tag && !other.tag) {
      for (const key of new Set([...node.entries.keys(), ...other.entries.keys()])) {
        const entry = node.entries.get(key);
        compare(`${path}.${key}`, entry?.value, other.entries.get(key)?.value, entry?.range ?? at);
      }
      return;
    }
    const message = `${path} differs from ${base.name}, and an untrusted change must not change settings`;
    const hint =
      "use the base's value (merge the base branch if it has changed), or ask someone with write access to propose this change";
    collector.error("untrusted-setting", message, at, hint);
  };
  const compareAll = (prefix: string, node: Node | undefined, other: Node | undefined, at: SourceRange) => {
    for (const key of fixedSettings) {
      const entry = listEntries(node).get(key);
      compare(`${prefix}${key}`, entry?.value, listEntries(other).get(key)?.value, entry?.range ?? at);
    }
  };
  compareAll("", root, base.root, { source: root.source, start: 0, end: 1 });
  const baseEnvironments = listEntries(base.root?.entries.get("environments")?.value);
  for (const [name, { value, range }] of listEntries(root.entries.get("environments")?.value))
    compareAll(`environments.${name}.`, value, baseEnvironments.get(name)?.value, range);
}

function areEqual(one: Node | undefined, other: Node | undefined): boolean {
  return JSON.stringify(stripPosition(one)) === JSON.stringify(stripPosition(other));
}

/** Returns a node without its position. Sorts the keys, because key order has no meaning. */
function stripPosition(node: Node | undefined): unknown {
  if (!node) return null;
  const { tag = null } = node;
  if (node.is === "scalar") return [tag, node.value];
  if (node.is === "list") return [tag, "list", node.items.map(stripPosition)];
  const keys = [...node.entries.keys()].sort();
  return [tag, "map", keys.map((key) => [key, stripPosition(node.entries.get(key)?.value)])];
}
