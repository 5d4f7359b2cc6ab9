import type { ValueSource } from "./source.js";

/** The source in messages, e.g. `environment variable LLM_API_KEY`. Contains no value. */
export function describe(source: ValueSource): string {
  switch (source.from) {
    case "env":
      return `environment variable ${source.name}`;
    case "file":
      return `file ${source.path}`;
    case "exec":
      return `command ${commandText(source.command)}`;
  }
}

/**
 * The program and its subcommand: arguments may contain tokens, so shows plain words only, and two at most.
 */
function commandText([program = "", ...args]: readonly string[]): string {
  const [first] = args;
  const shown = first !== undefined && /^[a-z][a-z-]{0,19}$/.test(first) ? [program, first] : [program];
  return shown.length <= args.length ? `${shown.join(" ")} …` : shown.join(" ");
}
