import type { Service } from "../core/api/index.js";
import { loadManifest, type Manifest, writeBack } from "../core/manifest/index.js";
import type { Entry, State, StateSession } from "../core/state/index.js";
import { withService } from "./connect.js";
import { inFolder } from "./folder.js";
import { toLoadOptions } from "./open-project.js";
import { makePlan, refuseUnknownAddress } from "./plan.js";
import type { Project } from "./project.js";
import { openProjectStore, withLock } from "./project-store.js";
import { entriesAfterPull, preparePull, refuseEdited } from "./pull-fields.js";
import { type Pull, toEdits, withoutRefused } from "./pull-places.js";
import { entriesWithTimestamps, type ListedState } from "./reread.js";
import type { Runtime } from "./runtime.js";

/** What to pull. */
export interface PullOptions {
  /** The objects; none: all that drifted. */
  readonly named?: readonly string[];
  /** Nothing is written. */
  readonly dryRun?: boolean | undefined;
}

/** Writes edits made elsewhere back into the files. */
export async function pullProject(
  runtime: Runtime,
  project: Project,
  { named = [], dryRun = false }: PullOptions,
): Promise<Pull> {
  if (dryRun) {
    const snapshot = await openProjectStore(runtime, project).read();
    return withService(runtime, project, (service) =>
      prepare(runtime, project, snapshot?.state, service, named),
    );
  }
  return withLock(runtime, project, "pull", (session) =>
    withService(runtime, project, async (service) => {
      const pull = await prepare(runtime, project, session.state, service, named);
      return runtime.finishing(() => writePulledFields(runtime, project, session, service, pull));
    }),
  );
}

/** What to pull: all that drifted, or everything that differs for the objects named. */
async function prepare(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  service: Service,
  named: readonly string[],
): Promise<Pull> {
  for (const address of named) refuseUnknownAddress(address, manifest, state);
  const { plan, observation } = await makePlan(runtime, { manifest, state, service, targets: named });
  const pull = preparePull({ manifest, plan, observation, named });
  const { manifest: now } = await loadManifest(toLoadOptions(runtime));
  return refuseEdited(pull, now);
}

/**
 * Writes the files first: if the state cannot be written afterwards, the next plan sees that both sides are
 * equal. An edit that a file refuses does not count as pulled, because the next apply would overwrite it.
 */
async function writePulledFields(
  runtime: Runtime,
  manifest: Manifest,
  session: StateSession,
  service: Service,
  planned: Pull,
): Promise<Pull> {
  if (planned.fields.length === 0) return planned;
  const written = await inFolder(manifest.root, () => writeBack(manifest.root, toEdits(planned.fields)));
  const { fields, refused } = withoutRefused(planned.fields, written);
  const pull = { fields, refused: [...planned.refused, ...refused] };
  if (fields.length === 0) return pull;
  await session.begin(service.baseUrl);
  const entries = entriesAfterPull(pull, session.state);
  for (const [address, entry] of entries) await session.completeIntent(address, entry);
  const settled = await entriesWithTimestamps(runtime, service, toListedStates(pull, entries));
  for (const [address, entry] of settled) session.recordEntry(address, entry);
  await session.commit();
  return pull;
}

/** The pulled objects that are in sync now; an edit that was refused must still show up in the next plan. */
function toListedStates({ fields, refused }: Pull, entries: ReadonlyMap<string, Entry>): ListedState[] {
  return fields.flatMap(({ declaration: { address, kind }, live: { id, updatedAt } }) => {
    const entry = entries.get(address);
    return entry && !refused.some((refusal) => refusal.address === address)
      ? [{ address, kind, id, updatedAt, entry }]
      : [];
  });
}
