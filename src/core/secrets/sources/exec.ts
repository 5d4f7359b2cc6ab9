import { runProgram } from "../program.js";
import { failed } from "../source-error.js";
import type { SourceKind } from "../source-kind.js";
import { maxBytes } from "../text.js";

const byHand = "Run it by hand in the project folder to see why.";
const tooLongOutput = "prints more than 64 KB, which is too long for a secret.";

/** What a program prints on stdout. */
export const exec: SourceKind<{ readonly command: readonly string[] }> = {
  name: "exec",
  title: "Command",
  fields: {
    command: {
      type: "string-list",
      required: true,
      description: "The program and its arguments. No shell: `|`, `>` and `$` have no meaning.",
    },
  },
  shorthand: {
    example: "!exec [pass, show, llm]",
    meaning: "a command and its arguments",
    hint: "write !exec [command, argument] or !exec { command: [command, argument], timeout_seconds: 10 }",
    read: (written) => (typeof written === "string" ? undefined : { command: written }),
  },
  describe: ({ command }) => `command ${commandText(command)}`,
  rights: { value: "what the command needs" },
  wording: {
    timedOut: (seconds) => `did not end within ${seconds} s and was stopped. ${byHand}`,
    cancelled: "was stopped because the run was cancelled.",
    tooLong: tooLongOutput,
  },
  async read({ command }, context) {
    const value = await runProgram(command, context, maxBytes, {
      tooLong: tooLongOutput,
      notFound: "was not found. Install the program, or correct its name or your PATH.",
      notStarted: (system) => `could not be started: the system reports ${system}. ${byHand}`,
      ended: (how) => failed(`ended with ${how}. ${byHand}`),
    });
    return { value };
  },
};

/** The program and its subcommand: arguments may contain tokens, so shows plain words only, and two at most. */
function commandText([program = "", ...args]: readonly string[]): string {
  const [first] = args;
  const shown = first !== undefined && /^[a-z][a-z-]{0,19}$/.test(first) ? [program, first] : [program];
  return shown.length <= args.length ? `${shown.join(" ")} …` : shown.join(" ");
}
