import { UsageError } from "../../base/diagnostics/index.js";
import { restrictToReads } from "../../core/api/index.js";
import { findRecorded, type RecordedLookup } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { withService } from "../project/connect.js";
import { assertWritable } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";
import { readForWriting } from "./project-store.js";
import { changeState, createStateChangedError, describeNoState } from "./state-changes.js";

/** Change to the base URL recorded in a state. */
export interface ServiceReplacement {
  readonly from: string;
  readonly to: string;
  readonly isSame: boolean;
  /** Number of recorded objects that exist in the account at the new base URL. */
  readonly found: number;
  /** Number of recorded objects that cannot be read. */
  readonly unknown: number;
}

/**
 * Records the configured base URL in the state, if the account at that URL has the recorded objects.
 *
 * @returns undefined if `approve` returned false.
 * @throws UsageError `no-state`, `other-service` if objects are missing, or `state-changed`; LockedError
 */
export async function recordService(
  runtime: Runtime,
  manifest: Manifest,
  approve: (replacement: ServiceReplacement) => Promise<boolean>,
): Promise<ServiceReplacement | undefined> {
  assertWritable(runtime);
  const state = (await readForWriting(runtime, manifest))?.state;
  if (!state) throw new UsageError("no-state", describeNoState(manifest));
  const { service: from } = state;
  const replacement = await withService(
    runtime,
    { ...manifest, declarations: [], presets: [] },
    async (service): Promise<ServiceReplacement> => {
      const to = service.baseUrl;
      if (to === from) return { from, to, isSame: true, found: 0, unknown: 0 };
      const { found, missing, unknown } = await findRecorded(
        restrictToReads(service),
        state,
        manifest.service.profile,
      );
      if (missing.length > 0) throw createMissingError(to, { found, missing, unknown });
      return { from, to, isSame: false, found: found.length, unknown: unknown.length };
    },
  );
  if (replacement.isSame) return replacement;
  if (!(await approve(replacement))) return undefined;
  const { to } = replacement;
  await changeState(runtime, manifest, "state replace-service", async (session, { service, ...current }) => {
    if (service !== from) throw createStateChangedError();
    session.describe({ service: { from, to } });
    await session.replace({ objects: current.objects, pending: current.pending, service: to });
  });
  return replacement;
}

/** Maximum number of missing objects that the error lists. */
const maxListed = 10;

function createMissingError(baseUrl: string, { found, missing, unknown }: RecordedLookup): UsageError {
  const total = found.length + missing.length + unknown.length;
  const others = missing.length - maxListed;
  const listed = [...missing.toSorted().slice(0, maxListed), ...(others > 0 ? [`${others} more`] : [])];
  const problem = `Nothing was changed, because ${baseUrl} does not have ${missing.length} of the ${total} recorded objects (${listed.join(", ")}).`;
  const advice = "For another account, use another state: set `state` in an environment.";
  const forget = "If the objects were deleted, run `avatarops state forget` for them first.";
  return new UsageError("other-service", [problem, advice, ...(found.length > 0 ? [forget] : [])].join(" "));
}
