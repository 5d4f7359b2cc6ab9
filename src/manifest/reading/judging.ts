import type { SourceRange } from "../../diagnostics/index.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { entriesIn, type MapNode, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { type DisableComment, disableComments, disableKey } from "./disabling.js";
import type { Declaration, Manifest, Policies, Preset } from "./manifest.js";
import { rangeOfText, type TextPart } from "./text-range.js";

/**
 * Judges what the files declare by the project's policies. The caller of `loadManifest` provides it: this room only reads
 * text, and who only wants the manifest does not load what judges it. Asks for one project after the other, and for all.
 */
export type Judge = (projects: Iterable<JudgedProject>, reading: Pick<Reading, "collector">) => Promise<void>;

/** What the files declare, for one environment or for none. */
export interface JudgedProject {
  readonly policies: Policies;
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
  /** The comments that switch rules off. */
  readonly comments: readonly DisableComment[];
  /** Where a value of a declaration is written, or a part of its text. */
  rangeOf(declaration: Declaration, path: readonly (string | number)[], part?: TextPart): SourceRange;
}

/** A project to be judged; undefined if nobody judges. */
export function judgedProject(
  root: MapNode,
  desired: Pick<Manifest, "policies" | "declarations" | "presets">,
  reading: Reading,
): JudgedProject | undefined {
  const { policies, declarations, presets } = desired;
  if (!policies) return undefined;
  const nodeOf = ({ kind, key }: Declaration): Node | undefined =>
    entriesIn(root.entries.get(kind.collection)?.value).get(key)?.value;
  const found = disableComments(declarations, nodeOf, reading);
  return {
    ...{ policies, declarations, presets },
    comments: reading.base ? trusted(found, reading.base.disabled, reading.collector) : found,
    rangeOf: (declaration, path, part) =>
      rangeOfText(declaration.range, nodeOf(declaration), path, part, reading),
  };
}

/** An untrusted change switches no rule off that its base does not switch off there. */
function trusted(
  comments: readonly DisableComment[],
  disabled: ReadonlySet<string>,
  collector: DiagnosticsCollector,
): DisableComment[] {
  return comments.flatMap((comment) => {
    const covers = comment.covers.filter((covered) => disabled.has(disableKey(comment.rule, covered)));
    if (covers.length === comment.covers.length) return [comment];
    const hint = "let somebody with write access to the repository propose it";
    const message = "an untrusted change must not switch a rule off";
    collector.warning("untrusted-exception", message, comment.range, hint);
    return covers.length === 0 ? [] : [{ ...comment, covers }];
  });
}
