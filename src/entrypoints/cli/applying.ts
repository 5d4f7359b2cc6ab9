import { createInterface } from "node:readline/promises";
import type { Outcome } from "../../core/engine/index.js";
import type { PlanToApprove, PreparedPlan } from "../../operations/index.js";
import { reportLock } from "../../operations/index.js";
import { outcomeDocument, outcomeExit, planExit, type ShownSmoke } from "../../output/documents/index.js";
import type { Call } from "./command.js";
import { type ExitCode, exitCode, outcomeExitCode } from "./exit-code.js";
import { presentPlan, progressPlan, showPlan } from "./show-plan.js";

/*
 * What the commands that carry out a plan have in common: the question before it, and its outcome.
 */

/** The question whether to carry out a plan. A pipeline never hangs: without a terminal the answer is no. */
export interface Confirmation {
  approve(seen: PlanToApprove<PreparedPlan>): Promise<boolean>;
  /** After a no: shows the plan, which is then the result, and returns the exit code. */
  refuse(): ExitCode;
}

/** @param advice what to do where there is no terminal. */
export function askOnTerminal(call: Call, advice: string): Confirmation {
  const { host, output } = call;
  let refused: PlanToApprove<PreparedPlan> | undefined;
  return {
    async approve(seen) {
      const { shown, prepared, snapshot } = seen;
      if (planExit(shown) === "nothing") {
        progressPlan(output, shown, prepared.project);
        return true;
      }
      refused = seen;
      if (!host.interactive) return false;
      presentPlan(output, shown, prepared.project);
      reportLock(call, snapshot);
      return ask(call, 'Apply these changes? Type "yes" to continue: ');
    },
    refuse() {
      if (!refused) throw new Error("Bug: nobody was asked");
      // On a terminal in text format, the question has shown it already.
      if (!host.interactive || output.format !== "text")
        showPlan(output, refused.shown, refused.prepared.project);
      const why = host.interactive ? "." : `: there is no terminal to ask on. ${advice}`;
      output.warn(`Nothing was applied${why}`);
      return host.interactive ? exitCode.cancelled : exitCode.changesPending;
    },
  };
}

/**
 * Asks a question on the terminal. Returns true only for "yes": as in Terraform, one key pressed by mistake changes no
 * account. Who types "y" means it, and is asked again; Ctrl-C and end of input count as no.
 */
async function ask({ host, signal }: Call, question: string): Promise<boolean> {
  const output = host.stderr as NodeJS.WriteStream;
  const terminal = createInterface({ input: host.stdin, output, signal, prompt: question });
  try {
    terminal.prompt();
    for await (const answer of terminal) {
      if (answer.trim() === "yes") return true;
      if (!/^(y|ye|yes)$/i.test(answer.trim())) return false;
      terminal.setPrompt('Only "yes", in full and in small letters, continues: ');
      terminal.prompt();
    }
    // Enter was not pressed, so the cursor is still on the question's line.
    host.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}

/** Shows the outcome, and returns its exit code. */
export function showOutcome({ output }: Call, outcome: Outcome, smoke?: ShownSmoke): ExitCode {
  output.show(outcomeDocument(outcome, smoke));
  return outcomeExitCode(outcomeExit(outcome));
}
