import { hasErrors, UsageError } from "../../base/diagnostics/index.js";
import { listChangesToWrite, type Notice } from "../../core/engine/index.js";
import { PolicyError, toDiagnosticsDocument } from "../../output/documents/index.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Agreement, isAgreed, isSettledPlan, type PreparedPlan } from "./agreement.js";
import { judgePlan } from "./judge-plan.js";
import { explainUnmet } from "./needs.js";

/*
 * Checks between a plan and its writes, based on the plan's notices. `executePlan` runs them, rejects a plan that differs from the
 * agreed one, and waits for active sessions.
 */

/**
 * Results of a `sync` cycle, by error code, for errors that recur until a person decides, or a hold or session ends.
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

/** Gates that `--allow CODE` overrides. The other gates cannot be overridden. */
export const allowableGates = ["behind", "threshold", "all-vanished", "held", "needs"] as const;

export type AllowableGate = (typeof allowableGates)[number];

/** Gate overrides, named like their command-line options. */
export interface GateOptions {
  /** Gates to pass. */
  readonly allow?: readonly AllowableGate[] | undefined;
  /** Whether to send only values rotated at their source, which cannot be reviewed. */
  readonly onlyRotations?: boolean | undefined;
}

/** Command, agreements and overrides of an apply. */
export interface GateInput extends GateOptions, Agreement {
  readonly command: "apply" | "sync" | "rollback" | "prune";
}

interface Gate {
  readonly code: keyof typeof refusals;
  /** Whether the input opens the gate without `allow`. */
  isOpenTo?(input: GateInput): boolean;
  /**
   * Whether the gate applies only to `apply` and `sync`. A rollback must not wait, and `prune` gets its objects from the command
   * line.
   */
  readonly onlyFromFiles?: true;
  /** Whether the gate may close at any time, so it is checked again before the first write. */
  readonly isLate?: true;
  /** Whether the gate also applies to plans without changes. */
  readonly isAlways?: true;
  /** Returns why the gate is closed, or undefined if it is open. */
  why(
    made: PreparedPlan,
    runtime: Runtime,
    input: GateInput,
  ): string | undefined | Promise<string | undefined>;
}

const gates: readonly Gate[] = [
  {
    ...{ code: "held", isLate: true },
    why: closeOnNotice(
      "held",
      (input, runtime) => `To apply anyway: ${suggestAllow(input, runtime, "held")}.`,
    ),
  },
  {
    code: "behind",
    why: closeOnNotice(
      "behind",
      (input, runtime) => `To apply anyway: ${suggestAllow(input, runtime, "behind")}.`,
    ),
  },
  {
    // Most likely, the API key belongs to another account.
    code: "all-vanished",
    why: closeOnNotice(
      "all-vanished",
      (input, runtime) =>
        `If they were deleted, create them again: ${suggestAllow(input, runtime, "all-vanished")}.`,
    ),
  },
  {
    code: "threshold",
    // Reviewed changes need no second confirmation.
    isOpenTo: ({ reviewed }) => reviewed !== undefined,
    why: closeOnNotice(
      "threshold",
      (input, runtime) =>
        `To apply anyway: ${suggestAllow(input, runtime, "threshold")}. To raise the limits permanently, set \`thresholds\`.`,
    ),
  },
  {
    ...{ code: "needs", onlyFromFiles: true },
    async why({ plan, project }, runtime, input) {
      const writes = listChangesToWrite(plan, doesOverwriteDrift(runtime, project)).map(
        ({ address }) => address,
      );
      const unmet = await explainUnmet(runtime, project, writes);
      return unmet && `${unmet} To apply anyway: ${suggestAllow(input, runtime, "needs")}.`;
    },
  },
  {
    ...{ code: "not-approved", onlyFromFiles: true },
    isOpenTo: (input) => isAgreed(input) || input.approve !== undefined || input.onlyRotations === true,
    async why({ plan, project: { reviews } }, _runtime, { findRequired }) {
      const { requireApproval } = reviews;
      const found = requireApproval > 0 ? undefined : await findRequired?.();
      const required = found?.required ?? requireApproval;
      if (required === 0) return undefined;
      const source = found?.why ?? `\`reviews.require_approval\` is ${required}`;
      return `${source}. Apply the plan with \`avatarops apply --reviewed\` after its pull request is approved and merged, or confirm exactly this plan: \`avatarops apply --digest ${plan.digest}\`.`;
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
function closeOnNotice(
  code: Notice["code"],
  advise: (input: GateInput, runtime: Runtime) => string,
): Gate["why"] {
  return ({ plan }, runtime, input) => {
    const found = plan.notices.flatMap((notice) => (notice.code === code ? [notice.message] : []));
    return found.length > 0 ? [...found, advise(input, runtime)].join(" ") : undefined;
  };
}

/** Suggests how to override a gate from a laptop, where no review is needed. */
function suggestAllow(input: GateInput, { options }: Runtime, gate: AllowableGate): string {
  const { saved, digest, onlyRotations, allow = [] } = input;
  if (!isFromFiles(input) || saved) return `run the same command with \`--allow ${gate}\``;
  const plan = digest === undefined ? [] : [`--digest ${digest}`];
  const allowed = [...allow, gate].map((code) => `--allow ${code}`);
  const scope = [
    ...(onlyRotations ? ["--only-rotations"] : []),
    ...(options.overwriteDrift ? ["--overwrite-drift"] : []),
    ...(options.target ?? []).map((address) => `--target ${address}`),
  ];
  const words = ["avatarops apply", ...scope, ...plan, ...allowed];
  return `\`${words.join(" ")}\``;
}

/** Returns whether the options override a gate. Ignores codes of other gates, which untyped callers may pass. */
export function isAllowed({ allow = [] }: GateOptions, code: string): boolean {
  return allowableGates.some((gate) => gate === code && allow.includes(gate));
}

/** Returns whether the command applies the files. */
export function isFromFiles({ command }: Pick<GateInput, "command">): boolean {
  return command === "apply" || command === "sync";
}

/**
 * Throws if a gate is closed. With `isLate`, checks only late gates, just before the first write.
 *
 * @throws UsageError with the gate's code; PolicyError
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
    const isOpen = (isEmpty && !gate.isAlways) || isAllowed(input, gate.code);
    if (!isRelevant || isOpen || gate.isOpenTo?.(input)) continue;
    const why = await gate.why(made, runtime, input);
    if (why !== undefined) throw new UsageError(gate.code, why);
  }
}
