import type { CommandFacts } from "../command.js";
import { flag, value } from "./option.js";
import { lockTimeout, projectOptions } from "./shared-options.js";

/* What is recorded. */

export const stateListCommand = {
  name: "state list",
  summary: "list managed objects with their ids",
  formats: ["text", "json"],
  options: projectOptions,
  examples: [["avatarops state list", "one line per object"]],
} as const satisfies CommandFacts;

export const stateShowCommand = {
  name: "state show",
  summary: "show what is recorded about an object: of a secret its source, version and superseded ids",
  formats: ["text", "json"],
  arguments: [["<ADDRESS>", "e.g. secret.llm"]],
  options: projectOptions,
  examples: [["avatarops state show secret.llm", "shows its id and the superseded ids still in the service"]],
} as const satisfies CommandFacts;

export const stateMvCommand = {
  name: "state mv",
  summary: "rename an object in the state, after renaming it in the files",
  arguments: [
    ["<FROM>", "the current address"],
    ["<TO>", "the new address"],
  ],
  options: { lockTimeout, ...projectOptions },
  examples: [["avatarops state mv context.support context.helpdesk", "the object keeps its id and history"]],
} as const satisfies CommandFacts;

export const stateForgetCommand = {
  name: "state forget",
  summary: "stop managing an object; it stays in the account",
  arguments: [["<ADDRESS...>", "the objects to forget"]],
  options: { lockTimeout, ...projectOptions },
  examples: [["avatarops state forget context.old", "the next plan no longer includes it"]],
} as const satisfies CommandFacts;

export const stateUnlockCommand = {
  name: "state unlock",
  summary: "remove a lock that was left behind",
  options: {
    force: flag("--force", "remove it even if its holder may still be running"),
    autoApprove: flag("-y, --auto-approve", "remove a lock that cannot be read without asking"),
    ...projectOptions,
  },
  exits: [
    [6, "the holder is alive on this machine, or the lock's ref is a branch"],
    [7, "the lock cannot be read, and there is no terminal to ask on"],
  ],
  examples: [["avatarops state unlock", "removes the lock and shows who held it, and since when"]],
} as const satisfies CommandFacts;

export const stateReplaceProjectCommand = {
  name: "state replace-project",
  summary: "record this project as the owner of the state, after moving or renaming it",
  options: {
    autoApprove: flag("-y, --auto-approve", "record it without asking"),
    lockTimeout,
    ...projectOptions,
  },
  exits: [[7, "nothing was changed: there is no terminal to ask on"]],
  examples: [
    [
      "avatarops state replace-project",
      "shows the recorded project and this one, asks, and records this one",
    ],
  ],
} as const satisfies CommandFacts;

export const stateMigrateCommand = {
  name: "state migrate",
  summary: "move the state and its history to another store",
  formats: ["text", "json"],
  options: {
    to: value("--to <URL>", "the new place: the URL of a store, or a file in the project", {
      mandatory: true,
    }),
    lockTimeout,
    ...projectOptions,
  },
  examples: [
    [
      "avatarops state migrate --to git+refs://origin/avatarops/production",
      "copies the state and its history, and shows the line for the manifest",
    ],
  ],
} as const satisfies CommandFacts;
