import type { CommandFacts } from "../command.js";
import { concurrency, refresh, target } from "./options.js";

/** What people and pipelines need who change one account together. */
export const teamCommands: readonly CommandFacts[] = [
  {
    name: "drift",
    summary: "show what was edited in the account since the last apply; exits with 2 if anything was",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    options: [
      { flags: "--undeclared", description: "also list the objects in the account that nobody declares" },
      refresh,
      target,
      concurrency,
    ],
    examples: [["avatarops drift", "compares the account with what was last applied"]],
    load: () => import("../commands/drift.js"),
  },
];
