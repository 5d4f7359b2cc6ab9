import { observePendingRotations } from "../../core/engine/index.js";
import { listActiveHolds } from "../../core/state/index.js";
import { type StatusDocument, type StatusFacts, toStatusDocument } from "../../output/documents/index.js";
import { findUnmetNeeds, listChanged } from "../gates/needs.js";
import { withBehindNotice } from "../plan/commits-behind.js";
import { observeDrift } from "../plan/observe-drift.js";
import { planFromState } from "../plan/plan-project.js";
import { hasKey, readServiceUrl, withService } from "../project/connect.js";
import { loadProject } from "../project/open-project.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { loadHistory, readRecords } from "../state/project-history.js";
import { openProjectStore } from "../state/project-store.js";

/**
 * Collects an overview of a project. Drift is unknown without a base URL and an API key.
 *
 * @throws UsageError, InvalidProjectError, StateError
 */
export async function readProjectStatus(runtime: Runtime): Promise<StatusDocument> {
  const project = await loadProject(runtime);
  const snapshot = await openProjectStore(runtime, project).read();
  const state = snapshot?.state;
  const { plan } = planFromState(runtime, project, state);
  const { notices } = await withBehindNotice(runtime, project, state, plan, {
    ...{ overwriteDrift: false, deepens: false },
  });
  const past = state && (await loadHistory(runtime, project, state));
  // Secret sources can be read without the account.
  const sources = createSourceEnvironment(runtime, project);
  const rotations = state && (await observePendingRotations(project, state, sources));
  const lastChange = past && (await takeNewest(readRecords(past)));
  return toStatusDocument({
    ...{ project, location: project.state, state },
    ...{ lockedBy: snapshot?.lockedBy, unreadableLock: snapshot?.unreadableLock },
    service: state?.service ?? (readServiceUrl(runtime, project) || undefined),
    lastChange: lastChange?.is === "record" ? lastChange.record : undefined,
    pending: [...new Set([...listChanged(plan), ...(rotations?.configured ?? [])])],
    rotated: rotations?.pending.map(({ address }) => address),
    unverified: rotations?.unverified,
    isUnverified: (rotations?.unknown ?? []).length > 0,
    holds: listActiveHolds(state, runtime.host.now()),
    behind: notices.flatMap(({ code, message }) => (code === "behind" ? [message] : [])),
    needs: (await findUnmetNeeds(runtime, project)).map(({ environment, addresses }) => ({
      environment,
      addresses,
    })),
    ...(state && (await findDrifted(runtime, project))),
  });
}

/** Returns the first item, and closes the source. */
async function takeNewest<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}

/** Finds the objects with dashboard edits, or explains why the edits are unknown. */
async function findDrifted(
  runtime: Runtime,
  project: Project,
): Promise<Pick<StatusFacts, "drifted" | "unknown" | "failed">> {
  if (!readServiceUrl(runtime, project) || !hasKey(runtime, project))
    return { unknown: "reading the account needs a base URL and an API key" };
  try {
    const { drift } = await withService(runtime, project, (service) =>
      observeDrift(runtime, project, service),
    );
    const [unread] = drift.unreadable;
    if (unread) return { unknown: unread.reason, failed: true };
    return { drifted: drift.objects.map(({ address }) => address) };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    return { unknown: (error as Error).message, failed: true };
  }
}
