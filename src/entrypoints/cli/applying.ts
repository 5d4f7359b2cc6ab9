import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Outcome } from "../../core/engine/index.js";
import type { PlanToApprove } from "../../operations/index.js";
import { isSettledPlan, overwritesDrift, reportLock, shellWord } from "../../operations/index.js";
import { outcomeDocument, outcomeExit, type ShownSmoke } from "../../output/documents/index.js";
import { renderMarkdown } from "../../output/render/index.js";
import type { Call } from "./command.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import { presentPlan, progressPlan, showPlan } from "./show-plan.js";

/*
 * What the commands that carry out a plan have in common: the question before it, and its outcome.
 */

/** The question whether to carry out a plan. A pipeline never hangs: without a terminal the answer is no. */
export interface Confirmation {
  approve(seen: PlanToApprove): Promise<boolean>;
  /** After a no: shows the plan, which is then the result, and returns the exit code. */
  refuse(): ExitCode;
}

/** Without a terminal, the plan comes with the command that carries out exactly this plan, once somebody has approved it. */
export function askOnTerminal(call: Call): Confirmation {
  const { host, output } = call;
  let refused: PlanToApprove | undefined;
  return {
    async approve(seen) {
      const { shown, prepared, snapshot } = seen;
      if (isSettledPlan(shown, overwritesDrift(call, prepared.project))) {
        progressPlan(output, shown, prepared.project);
        return true;
      }
      refused = seen;
      if (!host.interactive) return false;
      presentPlan(output, shown, prepared.project);
      reportLock(call, snapshot);
      return confirm(call, 'Apply these changes? Type "yes" to continue: ');
    },
    refuse() {
      if (!refused) throw new Error("Bug: nobody was asked");
      const { digest } = refused.shown;
      const next = host.interactive ? undefined : { command: withOption(call.argv, digest), digest };
      // On a terminal in text format, the question has shown it already.
      if (!host.interactive || output.format !== "text")
        showPlan(output, refused.shown, refused.prepared.project, { next });
      if (!next) {
        output.warn("Nothing was applied.");
        return exitCode.cancelled;
      }
      output.warn(
        `Nothing was applied: there is no terminal to ask on. To carry out exactly this plan, once it is approved: \`${next.command.map(shellWord).join(" ")}\``,
      );
      return exitCode.notApproved;
    },
  };
}

/** The same command line, for one plan. */
function withOption([name = "", ...words]: readonly string[], digest: string): string[] {
  return ["avatarops", name, "--digest", digest, ...words];
}

/**
 * Asks a question on the terminal. True only for "yes": as in Terraform, one key pressed by mistake changes no account. It is no
 * after Ctrl-C or the end of input, too.
 */
export async function confirm({ host, signal }: Call, question: string): Promise<boolean> {
  const output = host.stderr as NodeJS.WriteStream;
  const terminal = createInterface({ input: host.stdin(), output, signal });
  try {
    terminal.setPrompt(question);
    terminal.prompt();
    for await (const line of terminal) return line.trim() === "yes";
    // Enter was not pressed, so the cursor is still on the question's line.
    host.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}

/** The same call, whose results are also added to a file, as Markdown. */
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
      output.warn(`The summary could not be written to ${file} (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
  return { ...call, output: { ...output, show } };
}

/** Shows the outcome, and returns its exit code. */
export function showOutcome({ output }: Call, outcome: Outcome, smoke?: ShownSmoke): ExitCode {
  output.show(outcomeDocument(outcome, smoke));
  return exitCode[outcomeExit(outcome)];
}
