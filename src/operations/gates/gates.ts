import { hasErrors, UsageError } from "../../base/diagnostics/index.js";
import type { Notice, Plan } from "../../core/engine/index.js";
import { PolicyError, toDiagnosticsDocument } from "../../output/documents/index.js";
import { doesOverwriteDrift } from "../plan/plan.js";
import type { OperationOptions, Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";
import { type Agreement, isAgreed, isSettledPlan, type PreparedPlan } from "./agreement.js";
import { judgePlan } from "./judge-plan.js";
import { explainUnmetNeeds } from "./needs.js";

/*
 * Gates are checks between a plan and its writes, based on the plan's notices. `executePlan` runs the gates, rejects a
 * plan that differs from the agreed one, and waits for active sessions.
 */

/**
 * Status that `sync` reports for errors that a retry cannot fix, by error code. Either a person must decide, or a hold
 * or session must end.
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
  /** Gates to override. */
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
  /** Whether the gate is open for this input, even without `allow`. */
  isOpenTo?(input: GateInput): boolean;
  /**
   * Whether the gate applies only to `apply` and `sync`. A rollback must not wait, and `prune` gets its objects from
   * the command line.
   */
  readonly onlyFromFiles?: true;
  /** Whether the result can change while the run waits, so the gate is checked again before the first write. */
  readonly isLate?: true;
  /** Whether the gate also applies to plans without changes. */
  readonly isAlways?: true;
  /** Returns why the gate is closed, or undefined if it is open. */
  explainClosed(
    made: PreparedPlan,
    runtime: Runtime,
    input: GateInput,
  ): string | undefined | Promise<string | undefined>;
}

const gates: readonly Gate[] = [
  {
    ...{ code: "held", isLate: true },
    explainClosed: closeOnNotice("held", (...run) => `To apply anyway: ${suggestAllow(...run, "held")}.`),
  },
  {
    code: "behind",
    explainClosed: closeOnNotice("behind", (...run) => `To apply anyway: ${suggestAllow(...run, "behind")}.`),
  },
  {
    // If every object vanished, the API key most likely belongs to another account.
    code: "all-vanished",
    explainClosed: closeOnNotice(
      "all-vanished",
      (...run) => `If they were deleted, create them again: ${suggestAllow(...run, "all-vanished")}.`,
    ),
  },
  {
    code: "threshold",
    // Reviewed changes need no second confirmation.
    isOpenTo: ({ reviewed }) => reviewed !== undefined,
    explainClosed: closeOnNotice(
      "threshold",
      (...run) =>
        `To apply anyway: ${suggestAllow(...run, "threshold")}. To raise the limits permanently, set \`thresholds\`.`,
    ),
  },
  {
    ...{ code: "needs", onlyFromFiles: true },
    async explainClosed({ plan, project }, runtime, input) {
      const unmet = await explainUnmetNeeds(runtime, project, plan);
      return unmet && `${unmet} To apply anyway: ${suggestAllow(input, runtime, plan, "needs")}.`;
    },
  },
  {
    ...{ code: "not-approved", onlyFromFiles: true },
    isOpenTo: (input) => isAgreed(input) || input.approve !== undefined || input.onlyRotations === true,
    async explainClosed({ plan: { digest }, project: { reviews } }, { options }, input) {
      const { requireApproval } = reviews;
      const found = requireApproval > 0 ? undefined : await input.findRequired?.();
      const required = found?.required ?? requireApproval;
      if (required === 0) return undefined;
      const source = found?.why ?? `\`reviews.require_approval\` is ${required}`;
      return `${source}. Apply the plan with \`avatarops apply --reviewed\` after its pull request is approved and merged, or confirm exactly this plan: ${formatApply(input, options, { digest, allow: input.allow })}.`;
    },
  },
  {
    ...{ code: "policy", isAlways: true },
    async explainClosed({ project, plan }, runtime) {
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
  advise: (input: GateInput, runtime: Runtime, plan: Plan) => string,
): Gate["explainClosed"] {
  return ({ plan }, runtime, input) => {
    const found = plan.notices.flatMap((notice) => (notice.code === code ? [notice.message] : []));
    return found.length > 0 ? [...found, advise(input, runtime, plan)].join(" ") : undefined;
  };
}

/**
 * Suggests a command that passes a gate: this run's own command with `--allow`. Reviewed applies and `sync` run
 * unattended, so the suggestion for these is an `apply` to run on a laptop.
 */
function suggestAllow(input: GateInput, { options }: Runtime, { digest }: Plan, gate: AllowableGate): string {
  const { repeat, reviewed, allow = [] } = input;
  if (repeat && !reviewed) {
    const words = repeat(digest);
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    return formatCommand(words.toSpliced(end, 0, "--allow", gate));
  }
  if (!isFromFiles(input) || input.saved) return `run the same command with \`--allow ${gate}\``;
  const command = formatApply(input, options, { digest: input.digest, allow: [...allow, gate] });
  return reviewed ? `${command} (in a terminal)` : command;
}

/** Formats an `apply` command with this run's scope. */
function formatApply(
  { onlyRotations }: GateInput,
  { overwriteDrift, target = [] }: OperationOptions,
  { digest, allow = [] }: { readonly digest: string | undefined; readonly allow: GateOptions["allow"] },
): string {
  return formatCommand([
    ...["avatarops", "apply"],
    ...(onlyRotations ? ["--only-rotations"] : []),
    ...(overwriteDrift ? ["--overwrite-drift"] : []),
    ...target.flatMap((address) => ["--target", address]),
    ...(digest === undefined ? [] : ["--digest", digest]),
    ...allow.flatMap((code) => ["--allow", code]),
  ]);
}

function formatCommand(words: readonly string[]): string {
  return `\`${words.map(quoteShellWord).join(" ")}\``;
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
    const why = await gate.explainClosed(made, runtime, input);
    if (why !== undefined) throw new UsageError(gate.code, why);
  }
}
