import type { Change, FieldChange } from "../../core/engine/index.js";
import { readHistory, readTexts } from "../../core/history/index.js";
import { normalizeLineEnds } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { State } from "../../core/state/index.js";
import { findHunks } from "../../core/templates/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * A text in the files may already contain a dashboard edit plus further edits, for example after merging a pull request that
 * changes a prompt and one of its partials. Writing such a text overwrites nothing. The common base is the last applied text in the
 * history.
 */

/**
 * Finds texts (`ADDRESS.FIELD`) that changed in the account and in the files, where the files contain every edit from the account.
 */
export async function findIncludedEdits(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const both = changes.flatMap(({ address, fields }) =>
    fields.flatMap((edit) => {
      const stored = state?.objects[address]?.applied[edit.field];
      const isComparable = edit.cause === "conflicting" && edit.type === "prose" && stored !== undefined;
      return isComparable ? [{ name: `${address}.${edit.field}`, edit, stored }] : [];
    }),
  );
  const history = readHistory(openProjectStore(runtime, manifest).history(), state);
  const texts = await readTexts(
    history,
    both.map(({ stored }) => stored),
  );
  const merged = both.filter(({ edit, stored }) => {
    const base = texts.find(stored);
    return "value" in base && hasEdit(base.value, edit);
  });
  return new Set(merged.map(({ name }) => name));
}

function hasEdit(base: unknown, { before: live, after: files }: FieldChange): boolean {
  const [from, theirs, ours] = [base, live, files].map((text) => normalizeLineEnds(text as string)) as Texts;
  const own = new Set(findHunks(from, ours).map((hunk) => JSON.stringify(hunk)));
  return findHunks(from, theirs).every((hunk) => own.has(JSON.stringify(hunk)));
}

type Texts = [base: string, theirs: string, ours: string];
