import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../base/diagnostics/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type ProjectIdentity, replaceProject } from "../../core/state/index.js";
import { assertWritable } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";
import { identifyProject } from "./project-identity.js";
import { openUncheckedStore, withLock } from "./project-store.js";
import { createStateChangedError, describeNoState } from "./state-changes.js";

/** Change to the project recorded in a state. */
export interface ProjectReplacement {
  /** Previous project, if any was recorded. */
  readonly from?: ProjectIdentity | undefined;
  readonly to: ProjectIdentity;
  readonly isSame: boolean;
}

/**
 * Records the current project in its state, replacing any project recorded there. Without git, the recorded repository
 * and folder stay the same.
 *
 * @returns undefined if `approve` returned false.
 * @throws UsageError `no-state`, or `state-changed` if another project was recorded in the meantime; LockedError
 */
export async function recordProject(
  runtime: Runtime,
  manifest: Manifest,
  approve: (replacement: ProjectReplacement) => Promise<boolean>,
): Promise<ProjectReplacement | undefined> {
  assertWritable(runtime);
  const state = (await openUncheckedStore(runtime, manifest).read())?.state;
  if (!state) throw new UsageError("no-state", describeNoState(manifest));
  const { project: from } = state;
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
      if (!state || !isDeepStrictEqual(state.project, from)) throw createStateChangedError();
      session.describe({ project: { ...(from && { from }), to } });
      await session.replace({ objects: state.objects, pending: state.pending, project: to });
    },
    { isOfAnyProject: true },
  );
  return replacement;
}
