import type { Change, FieldChange } from "../../core/engine/index.js";
import { readHistory, readTexts } from "../../core/history/index.js";
import { withLineFeeds } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { State } from "../../core/state/index.js";
import { findHunks } from "../../core/templates/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * A text of the files may have what somebody edited in the account, and more: after the merge of a pull request that brings one edit into
 * a prompt and another into a partial of it. Writing that overwrites nothing. The text that both come from is that of the last apply,
 * as its record has it.
 */

/** The texts (`ADDRESS.FIELD`) that changed here and elsewhere, and have each edit made elsewhere in the files, too. */
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
  const [from, theirs, ours] = [base, live, files].map((text) => withLineFeeds(text as string)) as Texts;
  const own = new Set(findHunks(from, ours).map((hunk) => JSON.stringify(hunk)));
  return findHunks(from, theirs).every((hunk) => own.has(JSON.stringify(hunk)));
}

type Texts = [base: string, theirs: string, ours: string];
