import type { SourceRange } from "../../../base/diagnostics/index.js";
import { findRegions, markHint } from "../../kinds/index.js";
import { type Composition, placeInComposition } from "../../templates/index.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";

/** A text, and where it is written: composed, or in a file that may spell it differently, as with escapes. */
interface WrittenText {
  readonly subject: string;
  readonly text: string;
  readonly at: SourceRange | Composition;
  readonly node: SourceRange;
}

/** Refuses marks of regions that mark nothing. Returns the names of all that have marks. */
export function checkRegions(
  { subject, text, at: place, node }: WrittenText,
  names: readonly string[],
  collector: DiagnosticsCollector,
): readonly string[] {
  const { regions, broken } = findRegions(text, names);
  for (const [name, { why, at }] of broken) {
    const message = `${subject}: the region ${name} ${why}`;
    collector.error("broken-region", message, findRange(name, at), markHint(name));
  }
  return [...regions.keys(), ...broken.keys()];

  function findRange(name: string, at: { start: number; end: number }): SourceRange {
    if ("stretches" in place) return placeInComposition(place, at);
    const { source, start, end } = place;
    const there = findRegions(source.text.slice(start, end), names).broken.get(name)?.at;
    return there ? { source, start: start + there.start, end: start + there.end } : node;
  }
}
