import type { CommandFacts } from "./command.js";
import { otherCommands } from "./facts/others.js";
import { projectCommands } from "./facts/project.js";
import { stateCommands } from "./facts/state.js";
import { teamCommands } from "./facts/team.js";

/** Every command, in the order of `--help`. */
export const commands: readonly CommandFacts[] = [
  ...projectCommands,
  ...teamCommands,
  ...stateCommands,
  ...otherCommands,
];
