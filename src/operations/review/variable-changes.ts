import { toPlace } from "../../base/diagnostics/index.js";
import { withLineFeeds } from "../../core/kinds/index.js";
import { type Composition, compose } from "../../core/templates/index.js";
import type { PartialChange, ReachedText } from "../../output/render/index.js";

/** A text that a plan changes, and how it is composed. */
export interface ChangedText {
  readonly address: string;
  readonly field: string;
  /** The live text. */
  readonly before: string;
  readonly composition: Composition;
}

/** The variables whose new value is all that changes in texts, each with its old value, place and texts. */
export function findVariableChanges(texts: readonly ChangedText[]): readonly PartialChange[] {
  const found = new Map<string, PartialChange>();
  for (const { address, field, before: live, composition } of texts) {
    const changes = [...composition.variables].flatMap((name) => {
      const change = explainByVariable(composition, withLineFeeds(live), name);
      return change ? [change] : [];
    });
    const [change] = changes;
    // Of variables side by side, any could be the one.
    if (!change || changes.length > 1) continue;
    const key = JSON.stringify(change);
    const reached: ReachedText = { address, field, isWhole: true };
    found.set(key, { ...change, reached: [...(found.get(key)?.reached ?? []), reached] });
  }
  return [...found.values()];
}

/** The change of a variable whose old value gives the live text; undefined if there is none. */
function explainByVariable(
  composition: Composition,
  live: string,
  name: string,
): Omit<PartialChange, "reached"> | undefined {
  const { main, input, stretches, text } = composition;
  const after = input.variables.get(name);
  const range = input.placeOf?.(name);
  if (after === undefined || !range) return undefined;
  let [length, count, first] = [0, 0, -1];
  for (const { is, ofProject, range: at, text: own } of stretches) {
    const tag = at.source.text.slice(at.start, at.end).replace(/[{}\s]/g, "");
    if (is === "variable" && ofProject && tag === name) {
      if (first < 0) first = length;
      count += 1;
    }
    length += own.length;
  }
  const oldLength = after.length + (live.length - text.length) / count;
  if (count === 0 || !Number.isInteger(oldLength) || oldLength < 0) return undefined;
  const before = live.slice(first, first + oldLength);
  const earlier = compose(main, { ...input, variables: new Map(input.variables).set(name, before) });
  if (before === after || withLineFeeds(earlier.text) !== live) return undefined;
  const { file, line } = toPlace(range);
  return { file, variable: { name, line }, before, after };
}
