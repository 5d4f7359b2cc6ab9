import type { Change, FieldChange } from "../core/engine/index.js";
import { openTexts, readHistory } from "../core/history/index.js";
import { withLineFeeds } from "../core/kinds/index.js";
import type { Manifest } from "../core/manifest/index.js";
import type { State } from "../core/state/index.js";
import { findHunks } from "../core/templates/index.js";
import { openProjectStore } from "./project-store.js";
import type { Runtime } from "./runtime.js";

/*
 * A text of the files may have what somebody edited in the account, and more: after the merge of a pull request that brings one edit into
 * a prompt and another into a partial of it. Writing that overwrites nothing. The text that both come from is that of the last apply,
 * as its record has it.
 */

/** Records in which a text is looked for: each is a request to some stores. */
const mostRecords = 50;

/** The texts (`ADDRESS.FIELD`) that changed here and elsewhere, and have each edit made elsewhere in the files, too. */
export async function findMerged(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const merged = new Set<string>();
  let open = changes.flatMap(({ address, fields }) =>
    fields.flatMap((edit) => {
      const stored = state?.objects[address]?.applied[edit.field];
      const isMeant = edit.cause === "conflicting" && edit.type === "prose" && stored !== undefined;
      return isMeant ? [{ name: `${address}.${edit.field}`, edit, stored }] : [];
    }),
  );
  const texts = openTexts();
  const judge = () => {
    open = open.filter(({ name, edit, stored }) => {
      const base = texts.find(stored);
      if ("value" in base && hasEdit(base.value, edit)) merged.add(name);
      return "missing" in base;
    });
  };
  // Short texts are in the state.
  judge();
  if (open.length === 0) return merged;
  let read = 0;
  for await (const item of readHistory(openProjectStore(runtime, manifest).history(), state)) {
    if (item.is === "record") texts.add(item.record);
    judge();
    if (open.length === 0 || ++read >= mostRecords) break;
  }
  return merged;
}

function hasEdit(base: unknown, { before: live, after: files }: FieldChange): boolean {
  const [from, theirs, ours] = [base, live, files].map((text) => withLineFeeds(text as string)) as Texts;
  const own = new Set(findHunks(from, ours).map((hunk) => JSON.stringify(hunk)));
  return findHunks(from, theirs).every((hunk) => own.has(JSON.stringify(hunk)));
}

type Texts = [base: string, theirs: string, ours: string];
