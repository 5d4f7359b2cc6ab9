import { UsageError } from "../../../base/diagnostics/index.js";
import type { CommandFacts, RunCommand } from "../command.js";
import { bashScript, fishScript, zshScript } from "../completion/scripts.js";
import { completionWords } from "../completion/words.js";
import type { completionCommand } from "../facts/others.js";

const scripts = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** The command that completes these commands. */
export function completion(commands: readonly CommandFacts[]): RunCommand<typeof completionCommand> {
  return async (call) => {
    const [shell] = call.arguments;
    const script = scripts.get(shell);
    if (!script)
      throw new UsageError(
        "usage",
        `There is no completion for ${JSON.stringify(shell)}: the shells are bash, zsh and fish.`,
      );
    call.output.result(script(completionWords(commands)));
  };
}
