import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Outcome } from "../../core/engine/index.js";
import type { PlanToApprove } from "../../operations/index.js";
import { doesOverwriteDrift, isSettledPlan, quoteShellWord, reportLock } from "../../operations/index.js";
import { type ShownSmoke, toOutcomeDocument, toOutcomeExit } from "../../output/documents/index.js";
import { renderMarkdown } from "../../output/render/index.js";
import type { Call } from "./command.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import { presentPlan, showPlan, showPlanProgress } from "./show-plan.js";

/* Confirmation and outcome, shared by commands that apply a plan. */

/** Plan confirmation. Without a terminal, the plan is declined, so a pipeline never hangs. */
export interface Confirmation {
  approve(seen: PlanToApprove): Promise<boolean>;
  /** Shows the declined plan as the result, and returns the exit code. */
  refuse(): ExitCode;
  /** Returns this run's command line. Adds the plan's digest if the run needs a confirmation but has no terminal. */
  repeat(digest: string): readonly string[];
}

/**
 * Asks on the terminal. Without a terminal, shows the plan with the command that applies exactly this plan.
 *
 * @param isAgreed Whether the user has already agreed, so that this run does not ask.
 */
export function askOnTerminal(call: Call, isAgreed: boolean): Confirmation {
  const { host, output } = call;
  let refused: PlanToApprove | undefined;
  return {
    async approve(seen) {
      const { shown, prepared, snapshot } = seen;
      if (isSettledPlan(shown, doesOverwriteDrift(call, prepared.project))) {
        showPlanProgress(output, shown, prepared.project);
        return true;
      }
      refused = seen;
      if (!host.interactive) return false;
      presentPlan(output, shown, prepared.project);
      reportLock(call, snapshot);
      return confirm(call, 'Apply these changes? Type "yes" to continue: ');
    },
    refuse() {
      if (!refused) throw new Error("Bug: no confirmation was requested");
      const { digest } = refused.shown;
      const next = host.interactive ? undefined : { command: withDigest(call.argv, digest), digest };
      // In text format, an interactive run has already shown the plan.
      if (!host.interactive || output.format !== "text")
        showPlan(output, refused.shown, refused.prepared.project, { next });
      if (!next) {
        output.warn("Nothing was applied.");
        return exitCode.cancelled;
      }
      output.warn(
        `Nothing was applied, because confirmation needs a terminal. To apply exactly this plan: \`${next.command.map(quoteShellWord).join(" ")}\``,
      );
      return exitCode.undecided;
    },
    repeat: (digest) =>
      isAgreed || host.interactive ? ["avatarops", ...call.argv] : withDigest(call.argv, digest),
  };
}

/** Appends `--digest` to a command line. */
function withDigest([name = "", ...words]: readonly string[], digest: string): string[] {
  return ["avatarops", name, "--digest", digest, ...words];
}

/** Asks on the terminal. Only "yes" counts, as in Terraform. Ctrl-C and end of input mean no. */
export async function confirm({ host, signal }: Call, question: string): Promise<boolean> {
  const output = host.stderr as NodeJS.WriteStream;
  const terminal = createInterface({ input: host.stdin(), output, signal });
  try {
    terminal.setPrompt(question);
    terminal.prompt();
    for await (const line of terminal) return line.trim() === "yes";
    // The user did not press Enter, so the cursor is still on the question's line.
    host.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}

/** Appends the call's results to a file as Markdown, in addition to the output. */
export function withSummary<Called extends Call>(call: Called, file: string | undefined): Called {
  if (file === undefined) return call;
  const { host, output } = call;
  const show: typeof output.show = (document) => {
    output.show(document);
    try {
      appendFileSync(
        host.resolve(file),
        `${renderMarkdown(document, { repeated: output.stdoutText.repeated })}\n`,
      );
    } catch (error) {
      output.warn(`Cannot write the summary to ${file} (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
  return { ...call, output: { ...output, show } };
}

export function showOutcome({ output }: Call, outcome: Outcome, smoke?: ShownSmoke): ExitCode {
  output.show(toOutcomeDocument(outcome, smoke));
  return exitCode[toOutcomeExit(outcome)];
}
