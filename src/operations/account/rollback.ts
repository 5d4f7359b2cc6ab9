import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { isWithheld, type Notice, type Outcome, type Plan } from "../../core/engine/index.js";
import type { PastState } from "../../core/history/index.js";
import type { State } from "../../core/state/index.js";
import {
  createFilesNotice,
  findRevertedByFiles,
  prepareRollback,
  type Rollback,
  type RollbackRequest,
} from "../files/prepare-rollback.js";
import type { Agreement, PreparedPlan } from "../gates/agreement.js";
import { type GateOptions, isAllowed } from "../gates/gates.js";
import { listChanged } from "../gates/needs.js";
import { checkIdleOptions } from "../gates/wait-for-idle.js";
import { createOutcomeNotices } from "../notify/notices-of-outcomes.js";
import { withNotices } from "../notify/notify.js";
import { withActiveSessionsNotice } from "../plan/active-sessions.js";
import { doesOverwriteDrift, makePlan } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { findSerial, loadHistory, readStateAt } from "../state/project-history.js";
import { readState } from "../state/project-store.js";
import { describeNoState } from "../state/state-changes.js";
import { executePlan } from "./execute-plan.js";
import { holdRolledBack } from "./hold-project.js";

export interface RollbackOptions
  extends RollbackRequest,
    GateOptions,
    Pick<Agreement, "approve" | "digest" | "repeat"> {
  /** Whether to place a hold on objects that the next apply would otherwise change back. Default: true. */
  readonly hold?: boolean | undefined;
}

/** Rollback plan, with the earlier state. */
export interface PreparedRollback extends PreparedPlan {
  readonly earlier: PastState;
  readonly rollback: Rollback;
  /** Addresses of objects that the next apply of the files would change back. */
  readonly undone: readonly string[];
}

/**
 * Restores an earlier applied state.
 *
 * @returns undefined if `approve` returned false.
 * @throws the errors of `executePlan`; UsageError if the earlier state is unknown or the files cannot express it.
 */
export function rollbackProject(
  runtime: Runtime,
  project: Project,
  options: RollbackOptions,
): Promise<Outcome | undefined> {
  const work = () =>
    executePlan(runtime, project, {
      ...options,
      command: "rollback",
      prepare: (service, state, session) =>
        prepare(runtime, project, state, service, options, session?.recoverUntil),
      async beforeWriting({ earlier, undone: addresses }, session) {
        if (options.hold !== false)
          await holdRolledBack(runtime, project, session, { addresses, serial: earlier.serial });
        const commit = earlier.record?.definitions?.commit;
        session.describe({ restored: { serial: earlier.serial, commit } });
      },
    });
  return withNotices(runtime, project, "rollback", work, createOutcomeNotices);
}

/** Plans a rollback. Takes no lock and checks no gates. */
export function planRollback(
  runtime: Runtime,
  project: Project,
  options: RollbackOptions,
): Promise<PreparedRollback & { readonly shown: Plan }> {
  checkIdleOptions(runtime, project);
  return withService(runtime, project, async (service) => {
    const prepared = await prepare(runtime, project, await readState(runtime, project), service, options);
    const plan = withNextStep(prepared.plan, options);
    const shown = await withActiveSessionsNotice(runtime, project, service, plan);
    return { ...prepared, plan, shown };
  });
}

async function prepare(
  runtime: Runtime,
  project: Project,
  state: State | undefined,
  service: Service,
  { to, named = [], hold = true, allow }: RollbackOptions,
  recoverUntil?: ReadonlyMap<string, number>,
): Promise<PreparedRollback> {
  if (!state) throw new UsageError("no-state", describeNoState(project));
  const past = await loadHistory(runtime, project, state);
  const earlier = await readStateAt(past, await findSerial(runtime, past, to));
  const rollback = await prepareRollback(past, earlier, { named });
  const { targets, manifest, unchanged } = rollback;
  const made = await makePlan(runtime, {
    ...{ manifest, state, service, targets, only: true, recoverUntil },
    // Ignores the holds of earlier rollbacks.
    appliesHold: ({ restored }) => !isAllowed({ allow }, "held") && restored === undefined,
  });
  const overwritesEdits = doesOverwriteDrift(runtime, project);
  const changes = made.plan.changes.filter((change) => !isWithheld(change, overwritesEdits));
  // Edits elsewhere may already have restored some objects. The files would undo these as well.
  const converged = changes.flatMap(({ address, reason }) => (reason === "converged" ? [address] : []));
  const undone = findRevertedByFiles(rollback, [...listChanged({ changes }), ...converged]);
  const notices = [
    ...made.plan.notices,
    ...rollback.notices,
    ...createOverwriteNotice(overwritesEdits, made.plan),
    ...createFilesNotice(rollback, undone, { serial: earlier.serial, holds: hold }),
  ];
  // Drops policy findings, because the rollback may be meant to fix them.
  const restored = { ...manifest, findings: [] };
  const scope = { serial: earlier.serial, isLimited: named.length > 0, unchanged };
  const plan = { ...made.plan, notices, rollback: scope };
  return { ...made, earlier, rollback, undone, project: restored, plan };
}

/** Adds the command that applies this plan, because `avatarops apply` would apply the files instead. */
function withNextStep(plan: Plan, { to, named = [] }: RollbackOptions): Plan {
  if (plan.changes.every(({ action }) => action === "keep")) return plan;
  const command = ["avatarops", "rollback", "--to", to, ...named].map(quoteShellWord).join(" ");
  const notice: Notice = { code: "rollback", message: `To roll back: \`${command}\`.` };
  return { ...plan, notices: [...plan.notices, notice] };
}

function createOverwriteNotice(overwritesEdits: boolean, { changes }: Plan): Notice[] {
  if (overwritesEdits || !changes.some(({ overwrites }) => overwrites)) return [];
  const message = "Edits made elsewhere are kept. To overwrite them, roll back with --overwrite-drift.";
  return [{ code: "rollback", message }];
}
