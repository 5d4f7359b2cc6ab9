import { GitError } from "../base/git/index.js";
import type { Change, FieldChange } from "../core/engine/index.js";
import { definitionsIn, openTextFinder, readHistory, repositoryAt } from "../core/history/index.js";
import { kindNamed, withLineFeeds } from "../core/kinds/index.js";
import type { Manifest } from "../core/manifest/index.js";
import type { Definitions, State } from "../core/state/index.js";
import { findHunks } from "../core/templates/index.js";
import { openProjectStore } from "./project-store.js";
import type { Runtime } from "./runtime.js";

/*
 * A text of the files may have what somebody edited in the account, and more: after the merge of a pull request that brings one edit into
 * a prompt and another into a partial of it. Writing that overwrites nothing. The text that both come from is that of the last apply,
 * as the files of its commit have it.
 */

/** Records in which the commit of an object is looked for: each is a request to some stores. */
const mostRecords = 50;

/** The texts (`ADDRESS.FIELD`) that changed here and elsewhere, and have each edit made elsewhere in the files, too. */
export async function findMerged(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const merged = new Set<string>();
  const open = changes.flatMap(({ address, kind, fields }) => {
    const found = fields.filter(({ cause, type }) => cause === "conflicting" && type === "prose");
    const stored = state?.objects[address]?.applied;
    return stored ? found.map((edit) => ({ address, kind: kindNamed(kind), edit, stored })) : [];
  });
  if (!state || open.length === 0) return merged;
  try {
    const { environment } = runtime.host;
    const git = await repositoryAt(manifest.root, { environment, signal: runtime.signal });
    const finder = openTextFinder({ git, manifest });
    const commits = await findCommits(runtime, manifest, state, new Set(open.map(({ address }) => address)));
    for (const { address, kind, edit, stored } of open) {
      const { [edit.field]: applied } = stored;
      if (!kind || applied === undefined) continue;
      const wanted = { address, kind, field: edit.field, stored: applied };
      const found = await finder.find({ ...wanted, definitions: commits.get(address) ?? [] });
      if ("value" in found && hasEdit(found.value, edit)) merged.add(`${address}.${edit.field}`);
    }
  } catch (error) {
    // As where there is no git.
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
  }
  return merged;
}

/** By address, the commit from which it was written last. */
async function findCommits(
  runtime: Runtime,
  manifest: Manifest,
  state: State,
  open: Set<string>,
): Promise<ReadonlyMap<string, readonly Definitions[]>> {
  const found = new Map<string, readonly Definitions[]>();
  let read = 0;
  for await (const item of readHistory(openProjectStore(runtime, manifest).history(), state)) {
    if (item.is === "record" && item.own)
      for (const address of Object.keys(item.record.objects))
        if (open.delete(address)) found.set(address, definitionsIn(item.record));
    if (open.size === 0 || ++read >= mostRecords) break;
  }
  return found;
}

function hasEdit(base: unknown, { before: live, after: files }: FieldChange): boolean {
  const [from, theirs, ours] = [base, live, files].map((text) => withLineFeeds(text as string)) as Texts;
  const own = new Set(findHunks(from, ours).map((hunk) => JSON.stringify(hunk)));
  return findHunks(from, theirs).every((hunk) => own.has(JSON.stringify(hunk)));
}

type Texts = [base: string, theirs: string, ours: string];
