import { hasErrors, UsageError } from "../../base/diagnostics/index.js";
import { changesToWrite, type Notice } from "../../core/engine/index.js";
import { diagnosticsDocument, PolicyError } from "../../output/documents/index.js";
import { overwritesDrift } from "../plan/plan.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Agreement, isAgreed, isSettledPlan, type PreparedPlan } from "./agreement.js";
import { judgePlan } from "./judge-plan.js";
import { explainUnmet } from "./needs.js";

/*
 * What stands between a plan and the account. The plan itself has what was found, as notices. The gates are passed in one
 * place, `executePlan`, which also refuses another plan than was agreed to, and waits while people are talking.
 */

/**
 * Errors after which trying again is of no use until somebody has decided, or something has ended: by their code, what `sync`
 * calls such a cycle. After any other error the same may be tried again at once.
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

/** What opens a gate: each has the name of its option on the command line. */
export interface GateOptions {
  /** The account has none of the recorded objects, and they are to be created again. */
  readonly recreate?: boolean | undefined;
  /** More may change or go than `thresholds` allow. */
  readonly force?: boolean | undefined;
  /** Values are replaced that commits set which are not checked out. */
  readonly forceBehind?: boolean | undefined;
  /** Environments that this one needs do not have yet what the files say of an object that the plan writes. */
  readonly ignoreNeeds?: boolean | undefined;
  /** Objects are on hold. */
  readonly ignoreHold?: boolean | undefined;
  /** Only values are sent that were rotated at their source: nothing of that could be reviewed. */
  readonly onlyRotations?: boolean | undefined;
}

/** What is known of how a plan is carried out. */
export interface GateInput extends GateOptions, Agreement {
  readonly command: "apply" | "sync" | "rollback" | "prune";
}

interface Gate {
  readonly code: keyof typeof refusals;
  /** What opens it; absent: nothing does. */
  readonly option?: keyof GateOptions;
  /** Who opens it by agreeing. */
  isOpenTo?(agreement: Agreement): boolean;
  /** Asked only of a plan of the files: a rollback may not wait, and a person named what is pruned. */
  readonly isOfFiles?: true;
  /** It may close until the first write, and is passed once more then. */
  readonly isLate?: true;
  /** It is asked also of a plan that changes nothing. */
  readonly isAlways?: true;
  /** Why it is closed; undefined: it is not. */
  why(
    made: PreparedPlan,
    runtime: Runtime,
    input: GateInput,
  ): string | undefined | Promise<string | undefined>;
}

const gates: readonly Gate[] = [
  {
    ...{ code: "held", option: "ignoreHold", isLate: true },
    why: noticed("held", (input) => `To apply anyway: ${anyway(input, "--ignore-hold")}.`),
  },
  {
    ...{ code: "behind", option: "forceBehind" },
    why: noticed("behind", (input) => `To apply anyway: ${anyway(input, "--force-behind")}.`),
  },
  {
    // Few users mean to recreate a whole account: the API key is more likely that of another account.
    ...{ code: "all-vanished", option: "recreate" },
    why: noticed("all-vanished", (input) => `If they were deleted: ${anyway(input, "--recreate")}.`),
  },
  {
    ...{ code: "threshold", option: "force" },
    // What was reviewed needs no second confirmation.
    isOpenTo: ({ reviewed }) => reviewed !== undefined,
    why: noticed(
      "threshold",
      (input) => `To apply it: ${anyway(input, "--force")}. To allow as much always, set \`thresholds\`.`,
    ),
  },
  {
    ...{ code: "needs", option: "ignoreNeeds", isOfFiles: true },
    async why({ plan, project }, runtime, input) {
      const writes = changesToWrite(plan, overwritesDrift(runtime, project)).map(({ address }) => address);
      const unmet = await explainUnmet(runtime, project, writes);
      return unmet && `${unmet} To apply without it: ${anyway(input, "--ignore-needs")}.`;
    },
  },
  {
    ...{ code: "not-approved", option: "onlyRotations", isOfFiles: true },
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
      // Those of the files have been reported already.
      const fresh = findings.slice(project.findings?.length ?? 0);
      if (fresh.length > 0) runtime.output.diagnostics(diagnosticsDocument(fresh), { isFresh: true });
      if (hasErrors(findings)) throw new PolicyError(findings);
      return undefined;
    },
  },
];

/** Closed by notices of the plan. */
function noticed(code: Notice["code"], advise: (input: GateInput) => string): Gate["why"] {
  return ({ plan }, _runtime, input) => {
    const found = plan.notices.flatMap((notice) => (notice.code === code ? [notice.message] : []));
    return found.length > 0 ? [...found, advise(input)].join(" ") : undefined;
  };
}

/** The command that passes a gate. At a desk, nothing has to be reviewed. */
function anyway(input: GateInput, option: string): string {
  const { saved, digest, onlyRotations } = input;
  if (!isOfFiles(input) || saved) return `run the same command with \`${option}\``;
  const plan = digest === undefined ? [] : [`--digest ${digest}`];
  const words = ["avatarops apply", ...(onlyRotations ? ["--only-rotations"] : []), ...plan, option];
  return `\`${words.join(" ")}\``;
}

/** Whether a plan is what the files say. */
export function isOfFiles({ command }: Pick<GateInput, "command">): boolean {
  return command === "apply" || command === "sync";
}

/**
 * Throws if a plan must not be carried out; `isLate`: if it may no longer be, just before the first write.
 *
 * @throws UsageError with the code of a gate; PolicyError, which no option prevents
 */
export async function passGates(
  runtime: Runtime,
  made: PreparedPlan,
  input: GateInput,
  { isLate = false } = {},
): Promise<void> {
  const isEmpty = isSettledPlan(made.plan, overwritesDrift(runtime, made.project));
  for (const gate of gates) {
    const isAsked = (gate.isLate || !isLate) && (isOfFiles(input) || !gate.isOfFiles);
    const isOpen = (isEmpty && !gate.isAlways) || (gate.option && input[gate.option]);
    if (!isAsked || isOpen || gate.isOpenTo?.(input)) continue;
    const why = await gate.why(made, runtime, input);
    if (why !== undefined) throw new UsageError(gate.code, why);
  }
}
