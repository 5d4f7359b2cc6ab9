import type { CommandFacts } from "../command.js";

/** What people and pipelines need who change one account together. */
export const teamCommands: readonly CommandFacts[] = [];
