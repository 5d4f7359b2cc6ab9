import { hasErrors, UsageError } from "../../base/diagnostics/index.js";
import { listChangesToWrite, type Notice } from "../../core/engine/index.js";
import { PolicyError, toDiagnosticsDocument } from "../../output/documents/index.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Agreement, isAgreed, isSettledPlan, type PreparedPlan } from "./agreement.js";
import { judgePlan } from "./judge-plan.js";
import { explainUnmet } from "./needs.js";

/*
 * Checks between a plan and its writes, based on notices of the plan. They run in `executePlan`, which also rejects a plan other
 * than the agreed one, and waits for active sessions.
 */

/**
 * Error codes that retrying does not help until a decision is made or something ends, with the result of such a `sync` cycle.
 * Other errors can be retried at once.
 */
export const refusals = {
  "all-vanished": "refused",
  behind: "refused",
  "names-exchanged": "refused",
  needs: "refused",
  "not-approved": "refused",
  "not-reviewed": "refused",
  "other-project": "refused",
  policy: "refused",
  "stale-plan": "refused",
  threshold: "refused",
  held: "held",
  "sessions-active": "waiting",
} as const;

/** Overrides of gates, named like their command-line options. */
export interface GateOptions {
  /** Creates all objects again if the account has none of the recorded ones. */
  readonly recreate?: boolean | undefined;
  /** Exceeds `thresholds`. */
  readonly force?: boolean | undefined;
  /** Replaces values from commits that the checkout lacks. */
  readonly forceBehind?: boolean | undefined;
  /** Applies before required environments are up to date. */
  readonly ignoreNeeds?: boolean | undefined;
  /** Applies despite a hold. */
  readonly ignoreHold?: boolean | undefined;
  /** Sends only values rotated at their source, which cannot be reviewed. */
  readonly onlyRotations?: boolean | undefined;
}

/** Command, agreements and overrides of an apply. */
export interface GateInput extends GateOptions, Agreement {
  readonly command: "apply" | "sync" | "rollback" | "prune";
}

interface Gate {
  readonly code: keyof typeof refusals;
  /** Option that opens it, if any. */
  readonly option?: keyof GateOptions;
  /** Whether an agreement opens it. */
  isOpenTo?(agreement: Agreement): boolean;
  /** Applies only to plans from files: a rollback must not wait, and `prune` is given the objects. */
  readonly onlyFromFiles?: true;
  /** May close at any time, so it is checked again before the first write. */
  readonly isLate?: true;
  /** Also applies to plans without changes. */
  readonly isAlways?: true;
  /** Returns why it is closed, or undefined if it is open. */
  why(
    made: PreparedPlan,
    runtime: Runtime,
    input: GateInput,
  ): string | undefined | Promise<string | undefined>;
}

const gates: readonly Gate[] = [
  {
    ...{ code: "held", option: "ignoreHold", isLate: true },
    why: closeOnNotice("held", (input) => `To apply anyway: ${suggestOverride(input, "--ignore-hold")}.`),
  },
  {
    ...{ code: "behind", option: "forceBehind" },
    why: closeOnNotice("behind", (input) => `To apply anyway: ${suggestOverride(input, "--force-behind")}.`),
  },
  {
    // Most likely, the API key belongs to another account.
    ...{ code: "all-vanished", option: "recreate" },
    why: closeOnNotice(
      "all-vanished",
      (input) => `If they were deleted: ${suggestOverride(input, "--recreate")}.`,
    ),
  },
  {
    ...{ code: "threshold", option: "force" },
    // Reviewed changes need no second confirmation.
    isOpenTo: ({ reviewed }) => reviewed !== undefined,
    why: closeOnNotice(
      "threshold",
      (input) =>
        `To apply it: ${suggestOverride(input, "--force")}. To always allow as much, set \`thresholds\`.`,
    ),
  },
  {
    ...{ code: "needs", option: "ignoreNeeds", onlyFromFiles: true },
    async why({ plan, project }, runtime, input) {
      const writes = listChangesToWrite(plan, doesOverwriteDrift(runtime, project)).map(
        ({ address }) => address,
      );
      const unmet = await explainUnmet(runtime, project, writes);
      return unmet && `${unmet} To apply anyway: ${suggestOverride(input, "--ignore-needs")}.`;
    },
  },
  {
    ...{ code: "not-approved", option: "onlyRotations", onlyFromFiles: true },
    isOpenTo: (agreement) => isAgreed(agreement) || agreement.approve !== undefined,
    async why({ plan, project: { reviews } }, _runtime, { findRequired }) {
      const { requireApproval } = reviews;
      const found = requireApproval > 0 ? undefined : await findRequired?.();
      const required = found?.required ?? requireApproval;
      if (required === 0) return undefined;
      const source = found?.why ?? `\`reviews.require_approval\` is ${required}`;
      return `${source}. Apply it with \`avatarops apply --reviewed\` after its pull request is approved and merged, or exactly this plan: \`avatarops apply --digest ${plan.digest}\`.`;
    },
  },
  {
    ...{ code: "policy", isAlways: true },
    async why({ project, plan }, runtime) {
      const findings = await judgePlan(runtime, project, plan);
      // Findings about the files have already been reported.
      const fresh = findings.slice(project.findings?.length ?? 0);
      if (fresh.length > 0) runtime.output.diagnostics(toDiagnosticsDocument(fresh), { isFresh: true });
      if (hasErrors(findings)) throw new PolicyError(findings);
      return undefined;
    },
  },
];

/** Closes a gate if the plan has notices with this code. */
function closeOnNotice(code: Notice["code"], advise: (input: GateInput) => string): Gate["why"] {
  return ({ plan }, _runtime, input) => {
    const found = plan.notices.flatMap((notice) => (notice.code === code ? [notice.message] : []));
    return found.length > 0 ? [...found, advise(input)].join(" ") : undefined;
  };
}

/** Returns the command that passes a gate, as run on a laptop, where no review is needed. */
function suggestOverride(input: GateInput, option: string): string {
  const { saved, digest, onlyRotations } = input;
  if (!isFromFiles(input) || saved) return `run the same command with \`${option}\``;
  const plan = digest === undefined ? [] : [`--digest ${digest}`];
  const words = ["avatarops apply", ...(onlyRotations ? ["--only-rotations"] : []), ...plan, option];
  return `\`${words.join(" ")}\``;
}

/** Whether a command applies the files. */
export function isFromFiles({ command }: Pick<GateInput, "command">): boolean {
  return command === "apply" || command === "sync";
}

/**
 * Throws if a gate is closed. `isLate`: checks late gates again, just before the first write.
 *
 * @throws UsageError with the gate's code; PolicyError, which no option overrides
 */
export async function passGates(
  runtime: Runtime,
  made: PreparedPlan,
  input: GateInput,
  { isLate = false } = {},
): Promise<void> {
  const isEmpty = isSettledPlan(made.plan, doesOverwriteDrift(runtime, made.project));
  for (const gate of gates) {
    const isRelevant = (gate.isLate || !isLate) && (isFromFiles(input) || !gate.onlyFromFiles);
    const isOpen = (isEmpty && !gate.isAlways) || (gate.option && input[gate.option]);
    if (!isRelevant || isOpen || gate.isOpenTo?.(input)) continue;
    const why = await gate.why(made, runtime, input);
    if (why !== undefined) throw new UsageError(gate.code, why);
  }
}
