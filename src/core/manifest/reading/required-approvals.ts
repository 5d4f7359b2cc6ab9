import { openSourceFile } from "../../../base/diagnostics/index.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { entriesIn, type MapNode, type Node } from "../tree/node.js";
import { yamlTree } from "../tree/yaml-tree.js";

/**
 * Reads `reviews.require_approval` of an environment from the YAML of an earlier commit, without loading the project.
 *
 * @returns undefined if the file has errors, so that nothing could be applied with it; "unknown" if it is a link.
 */
export function readRequiredApprovals(
  file: string,
  text: string,
  environment: string | undefined,
): number | "unknown" | undefined {
  const collector = createCollector();
  const source = openSourceFile(file, text);
  const { root } = yamlTree({ source, at: "yaml", start: 0, end: source.text.length }, collector);
  if (collector.hasErrors) return undefined;
  if (!root) return 0;
  // The content of a link is the path that it leads to.
  if (root.is !== "map") return root.is === "scalar" ? "unknown" : undefined;
  const environments = entriesIn(root.entries.get("environments")?.value);
  const own = environment === undefined ? undefined : environments.get(environment)?.value;
  const [number = 0] = [own, root].flatMap((node) => (node?.is === "map" ? numberIn(node) : []));
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : undefined;
}

function numberIn({ entries }: MapNode): unknown[] {
  const node: Node | undefined = entriesIn(entries.get("reviews")?.value).get("require_approval")?.value;
  return node === undefined ? [] : [node.is === "scalar" ? node.value : node];
}
