import {
  type Change,
  isDrift,
  isSkippedEdit,
  observePendingRotations,
  type Plan,
} from "../../core/engine/index.js";
import { listActiveHolds, type State } from "../../core/state/index.js";
import {
  isInFiles,
  type StatusDocument,
  type StatusFacts,
  toPlanExit,
  toStatusDocument,
} from "../../output/documents/index.js";
import { findUnmetNeeds, listChanged } from "../gates/needs.js";
import { withBehindNotice } from "../plan/commits-behind.js";
import { observeDrift } from "../plan/observe-drift.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import { planFromState, planProject } from "../plan/plan-project.js";
import { withThresholdAdvice } from "../plan/threshold-advice.js";
import { hasKey, readServiceUrl, withService } from "../project/connect.js";
import { loadProject } from "../project/open-project.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { loadHistory, readRecords } from "../state/project-history.js";
import { openProjectStore } from "../state/project-store.js";

/**
 * Collects a project overview. Drift is unknown without a base URL and an API key.
 *
 * @throws UsageError, InvalidProjectError, StateError
 */
export async function readProjectStatus(runtime: Runtime): Promise<StatusDocument> {
  const project = await loadProject(runtime);
  const snapshot = await openProjectStore(runtime, project).read();
  const state = snapshot?.state;
  const compared = await compareWithAccount(runtime, project, state);
  const plan = compared.plan ?? (await planOffline(runtime, project, state));
  const past = state && (await loadHistory(runtime, project, state));
  // Reading secret sources does not need the account.
  const sources = createSourceEnvironment(runtime, project);
  const rotations = state && (await observePendingRotations(project, state, sources));
  const rotated = rotations?.pending.map(({ address }) => address) ?? [];
  const lastChange = past && (await takeNewest(readRecords(past)));
  const { pending, conflicting, held } = groupChanges(plan, rotated, doesOverwriteDrift(runtime, project));
  const { drifted, ...drift } = compared.drift;
  return toStatusDocument({
    ...{ project, location: project.state, state },
    ...{ lockedBy: snapshot?.lockedBy, unreadableLock: snapshot?.unreadableLock },
    service: state?.service ?? (readServiceUrl(runtime, project) || undefined),
    lastChange: lastChange?.is === "record" ? lastChange.record : undefined,
    pending: [
      ...new Set([...pending, ...(rotations?.configured ?? []).filter((address) => !held.includes(address))]),
    ],
    ...{ conflicting, held },
    notices: withThresholdAdvice(plan, "To apply it, add `--allow threshold`.").notices,
    planned: compared.plan && toPlanExit(plan),
    rotated,
    unverified: rotations?.unverified,
    isUnverified: (rotations?.unknown ?? []).length > 0,
    holds: listActiveHolds(state, runtime.host.now()),
    behind: plan.notices.flatMap(({ code, message }) => (code === "behind" ? [message] : [])),
    needs: (await findUnmetNeeds(runtime, project)).map(({ environment, addresses }) => ({
      environment,
      addresses,
    })),
    drifted: drifted?.filter((address) => !conflicting.includes(address)),
    ...drift,
  });
}

/** Groups the changes as `plan` counts them, but leaves out rotated secrets and objects that only drifted. */
function groupChanges({ changes }: Plan, rotated: readonly string[], overwritesDrift: boolean) {
  const isRotation = ({ reason, address }: Change) => reason === "rotated" && rotated.includes(address);
  const open = changes.filter((change) => !isRotation(change) && !isDrift(change));
  const edited = open.filter((change) => isSkippedEdit(change, overwritesDrift));
  const others = open.filter((change) => !edited.includes(change));
  const held = others.filter((change) => change.held !== undefined);
  return {
    pending: listChanged({ changes: others.filter((change) => !held.includes(change)) }),
    conflicting: edited.flatMap(({ reason, address }) => (reason === "conflicting" ? [address] : [])),
    held: listChanged({ changes: held }),
  };
}

/** Compares the files with the state, and reports applied commits that are not in the checkout. */
function planOffline(runtime: Runtime, project: Project, state: State | undefined): Promise<Plan> {
  const { plan } = planFromState(runtime, project, state);
  return withBehindNotice(runtime, project, state, plan, { overwriteDrift: false, fetchesHistory: false });
}

/** Returns the first item and closes the iterator. */
async function takeNewest<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}

interface ComparedAccount {
  /** The plan that `avatarops plan` would show. Undefined if the account cannot be read. */
  readonly plan?: Plan;
  readonly drift: Pick<StatusFacts, "drifted" | "unknown" | "failed">;
}

/** Finds the changes and dashboard edits that `plan` and `drift` would show, or explains why the edits are unknown. */
async function compareWithAccount(
  runtime: Runtime,
  project: Project,
  state: State | undefined,
): Promise<ComparedAccount> {
  if (!readServiceUrl(runtime, project) || !hasKey(runtime, project))
    return { drift: { unknown: "reading the account needs a base URL and an API key" } };
  try {
    const { plan } = await planProject(runtime, project);
    if (!state) return { plan, drift: {} };
    const { drift } = await withService(runtime, project, (service) =>
      observeDrift(runtime, project, service),
    );
    const [unread] = drift.unreadable;
    if (unread) return { plan, drift: { unknown: unread.reason, failed: true } };
    const open = drift.objects.filter((object) => !isInFiles(object));
    return { plan, drift: { drifted: open.map(({ address }) => address) } };
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    return { drift: { unknown: (error as Error).message, failed: true } };
  }
}
