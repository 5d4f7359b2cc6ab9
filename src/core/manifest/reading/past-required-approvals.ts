import { openSourceFile } from "../../../base/diagnostics/index.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { listEntries, type MapNode, type Node } from "../tree/node.js";
import { parseYamlTree } from "../tree/yaml-tree.js";

/**
 * Reads an environment's `reviews.require_approval` from an earlier commit's YAML file, without loading the project.
 *
 * @returns Undefined for a file with errors, which was never applied. "unknown" for a symlink.
 */
export function readRequiredApprovals(
  file: string,
  text: string,
  environment: string | undefined,
): number | "unknown" | undefined {
  const collector = createCollector();
  const source = openSourceFile(file, text);
  const { root } = parseYamlTree({ source, at: "yaml", start: 0, end: source.text.length }, collector);
  if (collector.hasErrors) return undefined;
  if (!root) return 0;
  // For a symlink, git stores the target path as the content, which parses as a scalar.
  if (root.is !== "map") return root.is === "scalar" ? "unknown" : undefined;
  const environments = listEntries(root.entries.get("environments")?.value);
  const own = environment === undefined ? undefined : environments.get(environment)?.value;
  const [number = 0] = [own, root].flatMap((node) => (node?.is === "map" ? readNumber(node) : []));
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : undefined;
}

function readNumber({ entries }: MapNode): unknown[] {
  const node: Node | undefined = listEntries(entries.get("reviews")?.value).get("require_approval")?.value;
  return node === undefined ? [] : [node.is === "scalar" ? node.value : node];
}
