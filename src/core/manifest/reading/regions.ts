import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findRegions, regionProblems } from "../../kinds/index.js";
import { placeInComposition } from "../../templates/index.js";
import { type Node, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration } from "./manifest.js";

/** Refuses ignored regions that are not marked, or not once. */
export function refuseBrokenRegions(
  { address, kind, spec, origins, range, ignoreChanges: names = [] }: Declaration,
  node: Node,
  { collector, files }: Reading,
): void {
  for (const { name, field = "", at, message, hint } of regionProblems(kind, spec, names)) {
    const value = rangeAt(range, node, at ? [field] : ["ignore_changes", names.indexOf(name)]);
    const place = at ? findMark(field, name, at, value) : value;
    collector.error(at ? "broken-region" : "missing-region", `${address}: ${message}`, place, hint);
  }

  /** If the text is spelt differently there, as with escapes, all of it. */
  function findMark(field: string, name: string, at: { start: number; end: number }, value: SourceRange) {
    const origin = origins[field];
    if (origin?.at === "template") return placeInComposition(origin.composition, at);
    const file = origin?.at === "file" ? files.open(origin.file, value) : undefined;
    const { source, start, end } = file ? { source: file, start: 0, end: file.text.length } : value;
    const there = findRegions(source.text.slice(start, end), names).broken.get(name)?.at;
    return there ? { source, start: start + there.start, end: start + there.end } : value;
  }
}
