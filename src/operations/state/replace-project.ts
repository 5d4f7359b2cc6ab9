import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../base/diagnostics/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type ProjectIdentity, replaceProject } from "../../core/state/index.js";
import { refuseReadOnly } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";
import { identifyProject } from "./project-identity.js";
import { openUnchecked, withLock } from "./project-store.js";
import { noState } from "./state-changes.js";

/** A change of the project that a state belongs to. */
export interface ProjectReplacement {
  /** Absent: none was recorded. */
  readonly from?: ProjectIdentity | undefined;
  readonly to: ProjectIdentity;
  readonly isSame: boolean;
}

/**
 * Records a project as the one that its state belongs to, whatever the state records. Without git, the recorded repository
 * and folder stay.
 *
 * @returns undefined if `approve` said no.
 * @throws UsageError `no-state`, or `state-changed` if another project was recorded meanwhile; LockedError
 */
export async function recordProject(
  runtime: Runtime,
  manifest: Manifest,
  approve: (replacement: ProjectReplacement) => Promise<boolean>,
): Promise<ProjectReplacement | undefined> {
  refuseReadOnly(runtime);
  const snapshot = await openUnchecked(runtime, manifest).read();
  if (!snapshot) throw new UsageError("no-state", noState(manifest));
  const { project: from } = snapshot.state;
  const current = await identifyProject(runtime, manifest, { recorded: from, writes: true });
  const to = replaceProject(from ?? {}, current);
  const replacement = { from, to, isSame: isDeepStrictEqual(from, to) };
  if (replacement.isSame) return replacement;
  if (!(await approve(replacement))) return undefined;
  await withLock(
    runtime,
    manifest,
    "state replace-project",
    async (session) => {
      const { state } = session;
      if (!state || !isDeepStrictEqual(state.project, from))
        throw new UsageError(
          "state-changed",
          "Nothing was changed: the state was written meanwhile. Run the command again.",
        );
      session.describe({ project: { ...(from && { from }), to } });
      await session.replace({ objects: state.objects, pending: state.pending, project: to });
    },
    { ofAnyProject: true },
  );
  return replacement;
}
