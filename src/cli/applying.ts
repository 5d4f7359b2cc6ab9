import type { Service } from "../api/index.js";
import { outcomeDocument, outcomeExit, planExit, type ShownSmoke } from "../documents/index.js";
import { apply, type Outcome, type Plan } from "../engine/index.js";
import type { Manifest } from "../manifest/index.js";
import { renderJson, renderOutcomeMarkdown, renderOutcomeText } from "../render/index.js";
import type { Snapshot, StateSession } from "../state/index.js";
import { ask } from "./ask.js";
import { type Call, isOn, numberOption } from "./command.js";
import { type ExitCode, exitCode, outcomeExitCode } from "./exit-code.js";
import { UsageError } from "./failure.js";
import { type ObservedPlan, overwritesDrift } from "./planning.js";
import { showProgress } from "./progress.js";
import { sourcesOf } from "./project.js";
import { presentPlan, progressPlan, showPlan } from "./show-plan.js";
import { tellLock } from "./store.js";

/*
 * From a plan to its outcome: what the commands that apply one have in common.
 */

/** Few users mean to recreate a whole account: the API key is more likely that of another account. */
export function refuseOtherAccount(call: Call, { notices }: Plan): void {
  const gone = notices.find(({ code }) => code === "all-vanished");
  if (!gone || isOn(call, "recreate")) return;
  throw new UsageError("all-vanished", `${gone.message} If they were deleted, apply with --recreate.`);
}

/** Whether to continue: nothing to write, or approved on the terminal. */
export async function askApproval(
  call: Call,
  plan: Plan,
  manifest: Manifest,
  snapshot: Snapshot | undefined,
): Promise<boolean> {
  if (planExit(plan) === "nothing") {
    progressPlan(call.output, plan, manifest);
    return true;
  }
  if (!call.host.interactive) return false;
  presentPlan(call.output, plan, manifest);
  tellLock(call, snapshot);
  return ask(call, 'Apply these changes? Type "yes" to continue: ');
}

/** Without a terminal, or after a no, the plan is the result. A pipeline never hangs. */
export function refusal(
  { host, output }: Call,
  plan: Plan,
  manifest: Manifest,
  advice = "Add --auto-approve, or save a plan and apply that.",
): ExitCode {
  if (host.interactive) {
    // In text format the question has shown it already.
    if (output.format !== "text") showPlan(output, plan, manifest);
    output.warn("Nothing was applied.");
    return exitCode.cancelled;
  }
  showPlan(output, plan, manifest);
  output.warn(`Nothing was applied: there is no terminal to ask on. ${advice}`);
  return exitCode.changesPending;
}

/** Applies a plan and shows its progress. */
export async function applyPlan(
  call: Call,
  manifest: Manifest,
  session: StateSession,
  service: Service,
  { plan, observation: { listings } }: Pick<ObservedPlan, "plan" | "observation">,
): Promise<Outcome> {
  const concurrency = numberOption(call, "concurrency") ?? manifest.service.concurrency;
  const progress = showProgress(call);
  const sayStopping = () =>
    call.output.warn("Stopping: requests in flight are finished and recorded. Press Ctrl-C again to abort.");
  call.signal.addEventListener("abort", sayStopping, { once: true });
  try {
    return await call.finishing(() =>
      apply({
        plan,
        manifest,
        session,
        service,
        sources: sourcesOf(call, manifest),
        overwriteDrift: overwritesDrift(call, manifest),
        ...(concurrency === undefined ? {} : { concurrency }),
        now: call.host.now,
        signal: call.signal,
        listings,
        ...call.host.waits,
        on: progress.show,
      }),
    );
  } finally {
    call.signal.removeEventListener("abort", sayStopping);
    progress.end();
  }
}

/** Shows the outcome, and returns its exit code. */
export function showOutcome({ output }: Call, outcome: Outcome, smoke?: ShownSmoke): ExitCode {
  const document = outcomeDocument(outcome, smoke);
  if (output.format === "json") output.result(renderJson(document));
  else if (output.format === "markdown") output.result(renderOutcomeMarkdown(document));
  else output.result(renderOutcomeText(document, output.stdoutText));
  return outcomeExitCode(outcomeExit(outcome));
}
