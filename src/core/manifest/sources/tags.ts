import { suggest } from "../../../base/diagnostics/index.js";
import { hasStock, kinds as objectKinds } from "../../kinds/index.js";
import { loadKind, sourceNames } from "../../secrets/index.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { listChildren, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";

/** Tags for secret sources and stock ids, without the `!`. */
const tagNames = [...sourceNames, ...objectKinds.filter(hasStock).map(({ name }) => `stock_${name}`)];

/** Loads the secret sources used in a tree. Returns the nodes with unknown tags. */
export async function loadTags(root: Node): Promise<Node[]> {
  const tagged: Node[] = [];
  const walk = (node: Node): void => {
    if (node.tag) tagged.push(node);
    for (const child of listChildren(node)) walk(child);
  };
  walk(root);
  const names = new Set(tagged.map(({ tag }) => tag?.slice(1) ?? ""));
  await Promise.all(Array.from(names, (name) => loadKind(name)));
  return tagged.filter(({ tag }) => !tagNames.includes(tag?.slice(1) ?? ""));
}

/** Reports tags that the project does not define, and marks their nodes as broken. */
export function reportUnknownTags(
  nodes: readonly Node[],
  kinds: Reading["kinds"],
  collector: DiagnosticsCollector,
): void {
  for (const node of new Set(nodes)) {
    const { tag, source } = node;
    if (!tag || kinds?.has(tag.slice(1))) continue;
    node.broken = true;
    const start = source.text.lastIndexOf(tag, node.start);
    const range =
      start === -1 || node.at === "typescript" ? node : { source, start, end: start + tag.length };
    const tags = [...tagNames, ...(kinds?.keys() ?? [])].map((name) => `!${name}`);
    const hint = suggest(tag, tags, `valid tags are ${tags.join(", ")}`);
    collector.error("unknown-tag", `there is no tag ${tag}`, range, hint);
  }
}
