import { loadManifest } from "../../core/manifest/index.js";
import { type PullDocument, toPullDocument, toShownConflict } from "../../output/documents/index.js";
import { createDeclaredAt } from "../project/declared-places.js";
import { toLoadOptions } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { listWritten, type PreparedEdits } from "./prepare-edits.js";

/** Describes a pull. If the pull changed the files, the locations of conflicts refer to the new content. */
export async function describePull(
  runtime: Runtime,
  project: Project,
  { fields, refused }: PreparedEdits,
  { dryRun }: { readonly dryRun: boolean },
): Promise<PullDocument> {
  const written = listWritten(fields);
  const hasConflicts = written.some(({ merged }) => merged?.resolved) || refused.some((one) => one.conflicts);
  const isChanged = !dryRun && written.length > 0 && hasConflicts;
  const { manifest = project } = isChanged ? await loadManifest(toLoadOptions(runtime)) : {};
  const declaredAt = createDeclaredAt(manifest);
  const pulled = written.map(({ merged, ...one }) => {
    if (!merged) return one;
    const { conflicts = [], ...counts } = merged;
    const placed = conflicts.map((conflict) => {
      const line = isChanged ? conflict.mergedLine : conflict.line;
      return toShownConflict(conflict, declaredAt(one.address, one.field, { ...conflict, line }));
    });
    return { ...one, merged: { ...counts, ...(merged.resolved && { conflicts: placed }) } };
  });
  const rejected = refused.map(({ conflicts, ...one }) => {
    if (!conflicts) return one;
    const placed = conflicts.map((conflict) =>
      toShownConflict(conflict, declaredAt(one.address, one.field, conflict)),
    );
    return { ...one, conflicts: placed };
  });
  return toPullDocument(pulled, rejected, { dryRun });
}
