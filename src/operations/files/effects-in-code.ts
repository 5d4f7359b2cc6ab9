import { isDeepStrictEqual } from "node:util";
import { areValuesEqual, type Value } from "../../core/kinds/index.js";
import { createOverlay, type Declaration, editFiles, type Manifest } from "../../core/manifest/index.js";
import { findField, nameField, type PreparedEdit, toEdits } from "./field-to-write.js";

/** Effects of edits on a project's code, by name of the edited field. */
export interface EffectsInCode {
  /** Names of the other fields that change, each with its environment unless it is the chosen one. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
  /** Reasons why the code cannot run with an edit. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Finds the texts that code makes of edited files, for example with `text()`. Runs the code again with the edits in
 * memory: first with all of them and, while that has an effect, with each half.
 */
export async function findEffectsInCode(
  fields: readonly PreparedEdit[],
  manifest: Manifest,
): Promise<EffectsInCode> {
  const effects = new Map<string, readonly string[]>();
  const problems = new Map<string, string>();
  const { reload, environment: chosen, environments } = manifest;
  if (!reload || fields.length === 0) return { effects, problems };
  const before = new Map([[chosen, manifest.declarations]]);
  for (const name of environments.keys()) {
    const { manifest: other } = name === chosen ? { manifest } : await reload(name);
    // Code may reject some environments, which no edit can then change.
    if (other) before.set(name, other.declarations);
  }
  const pulled = new Map(fields.map((field) => [nameField(field), field]));
  const run = async (edited: readonly PreparedEdit[]) => {
    const readFile = createOverlay(manifest.root, editFiles(manifest.root, toEdits(edited)).files);
    const names: string[] = [];
    for (const [environment, declarations] of before) {
      const { manifest: after, diagnostics } = await reload(environment, readFile);
      if (!after)
        return { names, problem: diagnostics.find(({ severity }) => severity === "error")?.message };
      for (const { name, value } of listChanges(declarations, after.declarations)) {
        const meant = environment === chosen ? pulled.get(name) : undefined;
        const isOwn = edited.length === 1 && edited[0] === meant;
        if (isOwn || (meant && areValuesEqual(findField(meant), value, meant.value))) continue;
        names.push(environment === chosen ? name : `${name} (${environment})`);
      }
    }
    return { names };
  };
  const search = async (edited: readonly PreparedEdit[]): Promise<void> => {
    const { names, problem } = await run(edited);
    if (names.length === 0 && problem === undefined) return;
    const [field, ...others] = edited;
    if (field && others.length === 0) {
      if (names.length > 0) effects.set(nameField(field), names);
      if (problem !== undefined)
        problems.set(nameField(field), `With this text, the project is not valid: ${problem}.`);
      return;
    }
    const middle = edited.length >> 1;
    await search(edited.slice(0, middle));
    await search(edited.slice(middle));
  };
  await search(fields);
  return { effects, problems };
}

/** Lists the fields that differ between two loads, with the new value. */
function listChanges(before: readonly Declaration[], after: readonly Declaration[]) {
  const specs = new Map(before.map(({ address, spec }) => [address, spec]));
  const now = new Map(after.map(({ address, spec }) => [address, spec]));
  return [...new Set([...specs.keys(), ...now.keys()])].flatMap((address) => {
    const [old = {}, current = {}] = [specs.get(address), now.get(address)];
    return [...new Set([...Object.keys(old), ...Object.keys(current)])].flatMap(
      (field): { readonly name: string; readonly value: Value | undefined }[] =>
        isDeepStrictEqual(old[field], current[field])
          ? []
          : [{ name: `${address}.${field}`, value: current[field] }],
    );
  });
}
