import type { SourceRange } from "../../../base/diagnostics/index.js";
import { settingsForm } from "../forms/form.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { entriesIn, type MapNode, type Node } from "../tree/node.js";
import type { Base } from "../tree/reading.js";

/*
 * An untrusted change, such as a pull request from a fork, may propose texts and objects. What decides where requests
 * go, what is read and what is run is taken from the base: the branch that the change is proposed to.
 */

/** The settings that an untrusted change must leave as they are. */
const fixedSettings = [...Object.keys(settingsForm.shape), "needs"];

/** Reports each setting that differs from the base's, where it differs. */
export function refuseOtherSettings(root: MapNode, base: Base, collector: DiagnosticsCollector): void {
  const compare = (path: string, node: Node | undefined, of: Node | undefined, at: SourceRange): void => {
    if (sameNode(node, of)) return;
    if (node?.is === "map" && of?.is === "map" && !node.tag && !of.tag) {
      for (const key of new Set([...node.entries.keys(), ...of.entries.keys()])) {
        const entry = node.entries.get(key);
        compare(`${path}.${key}`, entry?.value, of.entries.get(key)?.value, entry?.range ?? at);
      }
      return;
    }
    const message = `${path} is not as in ${base.name}, and an untrusted change must not change settings`;
    const hint =
      "leave it as it is there (merge the base branch if it has moved), or let somebody with write access propose it";
    collector.error("untrusted-setting", message, at, hint);
  };
  const compareAll = (prefix: string, node: Node | undefined, of: Node | undefined, at: SourceRange) => {
    for (const key of fixedSettings) {
      const entry = entriesIn(node).get(key);
      compare(`${prefix}${key}`, entry?.value, entriesIn(of).get(key)?.value, entry?.range ?? at);
    }
  };
  compareAll("", root, base.root, { source: root.source, start: 0, end: 1 });
  const ofBase = entriesIn(base.root?.entries.get("environments")?.value);
  for (const [name, { value, range }] of entriesIn(root.entries.get("environments")?.value))
    compareAll(`environments.${name}.`, value, ofBase.get(name)?.value, range);
}

function sameNode(one: Node | undefined, other: Node | undefined): boolean {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}

/** A node without its place; the order of keys has no meaning. */
function plain(node: Node | undefined): unknown {
  if (!node) return null;
  const { tag = null } = node;
  if (node.is === "scalar") return [tag, node.value];
  if (node.is === "list") return [tag, "list", node.items.map(plain)];
  const keys = [...node.entries.keys()].sort();
  return [tag, "map", keys.map((key) => [key, plain(node.entries.get(key)?.value)])];
}
