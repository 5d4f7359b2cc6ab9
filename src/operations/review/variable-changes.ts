import { toLocation } from "../../base/diagnostics/index.js";
import type { Repository } from "../../base/git/index.js";
import { loadCommitted } from "../../core/history/index.js";
import { normalizeLineEnds } from "../../core/kinds/index.js";
import { type Composition, compose } from "../../core/templates/index.js";
import type { AffectedText, PartialChange } from "../../output/render/index.js";
import type { Project } from "../runtime/project.js";

/** A text that a plan changes, with its composition. */
export interface ChangedText {
  readonly address: string;
  readonly field: string;
  /** The live text. */
  readonly before: string;
  readonly composition: Composition;
  /** Values of the variables in the base. Set if the text changed for more than one reason. */
  readonly earlierVariables?: Composition["input"]["variables"] | undefined;
}

/** Finds variables whose new value fully explains the changes to their texts. */
export function findVariableChanges(texts: readonly ChangedText[]): readonly PartialChange[] {
  return mergeAffectedTexts(
    texts.flatMap(({ address, field, before: live, composition }) => {
      const changes = [...composition.variables].flatMap((name) => {
        const before = deduceEarlier(composition, normalizeLineEnds(live), name);
        return before === undefined ? [] : describeChange(composition, name, before);
      });
      const [change] = changes;
      // If several variables could explain the change, such as two adjacent ones, the origin is ambiguous.
      if (!change || changes.length > 1) return [];
      return [{ ...change, affected: [{ address, field, isWhole: true }] }];
    }),
  );
}

/** Compares the variables of two versions of a text. Returns undefined if a variable has no source location. */
export function compareVariables(
  { address, field, composition }: ChangedText,
  earlier: Composition,
): readonly PartialChange[] | undefined {
  const names = [...composition.variables].filter((name) => {
    const before = earlier.input.variables.get(name);
    return earlier.variables.has(name) && before !== composition.input.variables.get(name);
  });
  const changes = names.flatMap((name) =>
    describeChange(composition, name, earlier.input.variables.get(name) ?? ""),
  );
  if (changes.length < names.length) return undefined;
  return changes.map((change) => ({ ...change, affected: [{ address, field, isWhole: true }] }));
}

/** Merges changes that differ only in the affected texts, and combines those texts. */
export function mergeAffectedTexts(changes: readonly PartialChange[]): readonly PartialChange[] {
  const merged = new Map<string, PartialChange>();
  for (const { affected, ...change } of changes) {
    const key = JSON.stringify(change);
    merged.set(key, { ...change, affected: [...(merged.get(key)?.affected ?? []), ...affected] });
  }
  return [...merged.values()];
}

/**
 * Reads the base's variable values for each text, keyed by `toTextKey`. Returns an empty map if the base cannot be
 * read.
 */
export async function readEarlierVariables(
  git: Repository,
  { file, environment }: Project,
  commit: string,
): Promise<ReadonlyMap<string, ChangedText["earlierVariables"]>> {
  const committed = await loadCommitted(git, { commit, folder: git.prefix, file, environment });
  return new Map(
    (committed?.manifest?.declarations ?? []).flatMap(({ address, origins }) =>
      Object.entries(origins).flatMap(([field, origin]) =>
        origin?.at === "template"
          ? [[toTextKey({ address, field }), origin.composition.input.variables] as const]
          : [],
      ),
    ),
  );
}

export function toTextKey({ address, field }: Pick<AffectedText, "address" | "field">): string {
  return `${address} ${field}`;
}

function describeChange(
  { input }: Composition,
  name: string,
  before: string,
): readonly Omit<PartialChange, "affected">[] {
  const after = input.variables.get(name);
  const range = input.findVariable?.(name);
  if (after === undefined || !range) return [];
  const { file, line } = toLocation(range);
  return [{ file, variable: { name, line }, before, after }];
}

/** Deduces the old value of a variable from the live text. Returns undefined if no value reproduces that text. */
function deduceEarlier(
  { main, input, stretches, text }: Composition,
  live: string,
  name: string,
): string | undefined {
  const after = input.variables.get(name);
  if (after === undefined) return undefined;
  let [length, count, first] = [0, 0, -1];
  for (const { is, isFromProject, range: at, text: own } of stretches) {
    const tag = at.source.text.slice(at.start, at.end).replace(/[{}\s]/g, "");
    if (is === "variable" && isFromProject && tag === name) {
      if (first < 0) first = length;
      count += 1;
    }
    length += own.length;
  }
  const oldLength = after.length + (live.length - text.length) / count;
  if (count === 0 || !Number.isInteger(oldLength) || oldLength < 0) return undefined;
  const before = live.slice(first, first + oldLength);
  const earlier = compose(main, { ...input, variables: new Map(input.variables).set(name, before) });
  return before === after || normalizeLineEnds(earlier.text) !== live ? undefined : before;
}
