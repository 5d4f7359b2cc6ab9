import type { PlanDocument, ShownChange, ShownField } from "../documents/index.js";
import type { Hunk } from "./hunks.js";
import { findChangedHunks, memoize } from "./prose-changes.js";
import { findFirstWithEdit, markdownContextLength, toEditKey } from "./shared-edits.js";

/** Change to a partial's text or a variable's value, and the texts in a plan that it affects. */
export interface PartialChange {
  readonly file: string;
  /** The changed variable, with its line in the file. Omitted for a partial. */
  readonly variable?: { readonly name: string; readonly line: number } | undefined;
  /** Path before a rename. */
  readonly renamedFrom?: string | undefined;
  readonly before: string;
  readonly after: string;
  readonly affected: readonly AffectedText[];
}

/** A text that contains a changed partial. */
export interface AffectedText {
  readonly address: string;
  readonly field: string;
  /** Whether partials explain the entire change: with the old partials, the text would be unchanged. */
  readonly isWhole: boolean;
}

/** A partial change with its differences. */
export interface ShownPartial extends PartialChange {
  readonly asField: ShownField;
  /** Name of an earlier environment in the comment that already shows these differences. */
  readonly above?: string | undefined;
}

/** A plan that shows each partial change once, instead of with every affected object. */
export interface PartialsView {
  readonly is: "partials";
  readonly partials: readonly ShownPartial[];
  /** Objects that change only through the partials. */
  readonly covered: readonly ShownChange[];
  /**
   * Covered objects with an edit that no partial or earlier object shows, for example because the edited words depend
   * on a variable.
   */
  readonly rendered: readonly ShownChange[];
  /** Changes that are not covered by partials. */
  readonly others: readonly ShownChange[];
  /** Plan without the changes that the partials already show in full. */
  readonly plan: PlanDocument;
}

/** Minimum number of objects that one partial must affect before a plan shows its partials separately. */
const minReachedTexts = 2;

/**
 * Creates the view of a plan. `above` maps the keys (`toPartialKey`) of changes that the comment already shows to the
 * environments that show them.
 */
export function viewPartials(
  plan: PlanDocument,
  partials: readonly PartialChange[] = [],
  above: ReadonlyMap<string, string> = new Map(),
): PartialsView {
  const countAffected = ({ affected }: PartialChange) => new Set(affected.map(({ address }) => address)).size;
  if (!partials.some((partial) => partial.variable || countAffected(partial) >= minReachedTexts))
    return { is: "partials", partials: [], covered: [], rendered: [], others: plan.changes, plan };
  const shown = partials.map((partial) => toShown(partial, above.get(toPartialKey(partial))));
  const whole = new Set(
    partials.flatMap(({ affected }) =>
      affected.filter(({ isWhole }) => isWhole).map(({ address, field }) => `${address} ${field}`),
    ),
  );
  const covered = plan.changes.filter(
    (change) =>
      isPlain(change) && change.fields.every(({ field }) => whole.has(`${change.address} ${field}`)),
  );
  const rendered = findFirstRendered(shown, covered);
  const others = plan.changes.filter((change) => !covered.includes(change));
  return {
    ...{ is: "partials", partials: shown, covered, rendered, others },
    plan: { ...plan, changes: [...rendered, ...others] },
  };
}

/** Removes the changes to the given addresses from a view. */
export function omitChanges(
  view: PartialsView,
  omitted: { has(address: string): boolean } = new Set(),
): PartialsView {
  const keep = ({ address }: ShownChange) => !omitted.has(address);
  const plan = { ...view.plan, changes: view.plan.changes.filter(keep) };
  return { ...view, rendered: view.rendered.filter(keep), others: view.others.filter(keep), plan };
}

/** Returns a key that is equal for the same edit of the same partial in several environments. */
export function toPartialKey({ file, variable, renamedFrom, before, after }: PartialChange): string {
  return JSON.stringify([file, variable, renamedFrom, before, after]);
}

/** Returns the partial whose own diff contains the same edit, or undefined. */
export function findPartialWithEdit(partials: readonly ShownPartial[], hunk: Hunk): ShownPartial | undefined {
  const key = toEditKey(hunk);
  return key === undefined ? undefined : partials.find(({ asField }) => editKeys(asField).has(key));
}

/**
 * Returns whether a text is the first to contain changed words that no partial shows, for example in a newly included
 * partial.
 */
export function isFirstWithOtherWords({ partials, plan }: PartialsView, { fields }: ShownChange): boolean {
  const shown = new Set(
    partials
      .flatMap(({ asField }) => findChangedHunks(asField, markdownContextLength))
      .flatMap(listChangedWords),
  );
  return fields.some((field) =>
    findChangedHunks(field, markdownContextLength).some((hunk) => {
      const first = findFirstWithEdit(plan, hunk, field)?.field ?? field;
      return first === field && listChangedWords(hunk).some((words) => !shown.has(words));
    }),
  );
}

function listChangedWords({ segments }: Hunk): readonly string[] {
  return segments.flatMap(({ kind, text }) =>
    kind === "same" || text.trim() === "" ? [] : [`${kind} ${text.replace(/\s+/g, " ").trim()}`],
  );
}

const editKeys = memoize(
  (field: ShownField): ReadonlySet<string | undefined> =>
    new Set(findChangedHunks(field, markdownContextLength).map(toEditKey)),
);

function toShown(partial: PartialChange, above: string | undefined): ShownPartial {
  const { file, before, after } = partial;
  const location = { file, line: 1 };
  return {
    ...partial,
    above,
    asField: { field: file, type: "prose", cause: "configured", before, after, location },
  };
}

/** Returns whether a change is a plain update, with nothing to show but its differences. */
function isPlain({ action, reason, overwrites, held, candidates = [], notes, fields }: ShownChange): boolean {
  const hasMore = overwrites || held !== undefined || candidates.length + notes.length > 0;
  return action === "update" && reason === "configured" && !hasMore && fields.length > 0;
}

/** Returns the changes with an edit that neither a partial nor an earlier change shows. */
function findFirstRendered(
  partials: readonly ShownPartial[],
  covered: readonly ShownChange[],
): readonly ShownChange[] {
  const shown = new Set<string>();
  return covered.filter(({ address, fields }) => {
    const before = shown.size;
    for (const field of fields) {
      // Shows a variable's new value only with the first text that uses it.
      const variables = partials.filter(
        (one) =>
          one.variable && one.affected.some((at) => at.address === address && at.field === field.field),
      );
      for (const variable of variables) shown.add(toPartialKey(variable));
      if (variables.length > 0) continue;
      const hunks = findChangedHunks(field, markdownContextLength);
      // Without hunks to compare, the value itself is the key.
      if (hunks.length === 0) shown.add(JSON.stringify(field));
      for (const hunk of hunks)
        if (!findPartialWithEdit(partials, hunk)) shown.add(toEditKey(hunk) ?? JSON.stringify(hunk));
    }
    return shown.size > before;
  });
}
