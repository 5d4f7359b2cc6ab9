import type { CommandFacts, RunCommand } from "../command.js";
import { bashScript, fishScript, zshScript } from "../completion/scripts.js";
import { completionWords } from "../completion/words.js";
import type { completionCommand } from "../facts/others.js";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The command that completes these commands. */
export function completion(commands: readonly CommandFacts[]): RunCommand<typeof completionCommand> {
  return async (call) => call.output.result(scripts[call.arguments[0]](completionWords(commands)));
}
