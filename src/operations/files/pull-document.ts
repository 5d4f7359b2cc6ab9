import { loadManifest } from "../../core/manifest/index.js";
import { type PullDocument, toPullDocument, toShownConflict } from "../../output/documents/index.js";
import { createDeclarationLocator } from "../project/locators.js";
import { toLoadOptions } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { listEditedFields, type PreparedEdits } from "./prepare-edits.js";

/** Describes a pull. If the pull changed the files, the locations of conflicts refer to the new content. */
export async function describePull(
  runtime: Runtime,
  project: Project,
  { fields, refused }: PreparedEdits,
  { dryRun }: { readonly dryRun: boolean },
): Promise<PullDocument> {
  const written = listEditedFields(fields);
  const hasConflicts = written.some(({ merged }) => merged?.resolved) || refused.some((one) => one.conflicts);
  const isChanged = !dryRun && written.length > 0 && hasConflicts;
  const { manifest = project } = isChanged ? await loadManifest(toLoadOptions(runtime)) : {};
  const locateDeclaration = createDeclarationLocator(manifest);
  const pulled = written.map(({ merged, ...one }) => {
    if (!merged) return one;
    const { conflicts = [], ...counts } = merged;
    const located = conflicts.map((conflict) => {
      const line = isChanged ? conflict.mergedLine : conflict.line;
      return toShownConflict(conflict, locateDeclaration(one.address, one.field, { ...conflict, line }));
    });
    return { ...one, merged: { ...counts, ...(merged.resolved && { conflicts: located }) } };
  });
  const rejected = refused.map(({ conflicts, ...one }) => {
    if (!conflicts) return one;
    const located = conflicts.map((conflict) =>
      toShownConflict(conflict, locateDeclaration(one.address, one.field, conflict)),
    );
    return { ...one, conflicts: located };
  });
  return toPullDocument(pulled, rejected, { dryRun });
}
