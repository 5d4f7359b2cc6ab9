import { type Change, type DriftedObject, type FieldChange, mergeValues } from "../../core/engine/index.js";
import { readHistory, readTexts } from "../../core/history/index.js";
import { areValuesEqual, findKind, type Value } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { isDigest, type State } from "../../core/state/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/** Finds the last applied values of conflicting fields in the state and the history. The keys are `ADDRESS.FIELD`. */
export async function findLastApplied(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  changes: readonly Change[],
): Promise<Readonly<Record<string, Value>>> {
  const conflicting = changes.flatMap(({ address, fields }) =>
    fields.flatMap(({ field, cause, type }) => {
      const stored = state?.objects[address]?.applied[field];
      const isComparable = cause === "conflicting" && type !== "reference" && stored !== undefined;
      return isComparable ? [{ name: `${address}.${field}`, stored }] : [];
    }),
  );
  const history = readHistory(openProjectStore(runtime, manifest).readHistory(), state);
  const texts = await readTexts(
    history,
    conflicting.map(({ stored }) => stored),
  );
  const found = conflicting.flatMap(({ name, stored }) => {
    const applied = texts.find(stored);
    return "value" in applied ? [[name, applied.value]] : [];
  });
  return Object.fromEntries(found);
}

interface ComparedObject extends Pick<Change, "address" | "kind"> {
  readonly fields: readonly Pick<FieldChange, "field" | "before" | "after">[];
}

/**
 * Finds fields (`ADDRESS.FIELD`) that changed on both sides, but whose value in the files already contains every edit
 * from the account, for example after a pull. Writing these values overwrites nothing.
 */
export function findIncludedEdits(
  lastApplied: Readonly<Record<string, Value>>,
  changes: readonly ComparedObject[],
): ReadonlySet<string> {
  const included = changes.flatMap(({ address, kind, fields }) =>
    fields.flatMap(({ field, before, after }) => {
      const name = `${address}.${field}`;
      const [facts, applied] = [findKind(kind)?.fields[field], lastApplied[name]];
      if (!facts || applied === undefined || after === undefined) return [];
      const { value, conflicts } = mergeValues(facts, {
        ...{ applied, yours: after, dashboard: (before as Value | undefined) ?? "" },
      });
      return conflicts.length === 0 && areValuesEqual(facts, value, after) ? [name] : [];
    }),
  );
  return new Set(included);
}

/**
 * Marks drifted fields as `merged` if the files contain the edit, as in a plan.
 *
 * @param known Drift with the last applied values.
 */
export function markMergedEdits(
  objects: readonly DriftedObject[],
  { declarations }: Manifest,
  known = objects,
): readonly DriftedObject[] {
  const specs = new Map(declarations.map(({ address, spec }) => [address, spec]));
  const lastApplied = known.flatMap(({ address, fields }) =>
    fields.flatMap(({ field, before }): [string, Value][] =>
      before === undefined || isDigest(before) ? [] : [[`${address}.${field}`, before]],
    ),
  );
  const compared = objects.map(({ address, kind, fields }) => ({
    ...{ address, kind: kind.name },
    fields: fields
      .filter(({ files, type }) => files === "other" && type !== "reference")
      .map(({ field, after }) => ({ field, before: after, after: specs.get(address)?.[field] })),
  }));
  const merged = findIncludedEdits(Object.fromEntries(lastApplied), compared);
  return objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) =>
      merged.has(`${object.address}.${field.field}`) ? { ...field, files: "merged" } : field,
    ),
  }));
}
