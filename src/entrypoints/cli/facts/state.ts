import type { CommandFacts } from "../command.js";
import { defineFlag, defineValueOption } from "./option.js";
import { accountOptions, lockTimeout, projectOptions } from "./shared-options.js";

export const stateListCommand = {
  name: "state list",
  summary: "list managed objects with their ids",
  formats: ["text", "json"],
  options: projectOptions,
  examples: [["avatarops state list", "prints one line per object"]],
} as const satisfies CommandFacts;

export const stateShowCommand = {
  name: "state show",
  summary: "show an object's state: ids, and values or secret source",
  formats: ["text", "json"],
  arguments: [["<ADDRESS>", "e.g. secret.llm"]],
  options: projectOptions,
  examples: [["avatarops state show secret.llm", "shows its id, and superseded ids that still exist"]],
} as const satisfies CommandFacts;

export const stateMvCommand = {
  name: "state mv",
  summary: "rename an object in the state to match the files",
  arguments: [
    ["<FROM>", "the current address"],
    ["<TO>", "the new address"],
  ],
  options: { lockTimeout, ...projectOptions },
  examples: [
    [
      "avatarops state mv context.support context.helpdesk",
      "renames the object, and keeps its id and history",
    ],
  ],
} as const satisfies CommandFacts;

export const stateForgetCommand = {
  name: "state forget",
  summary: "stop managing objects, without deleting them from the account",
  arguments: [["<ADDRESS...>", "the objects to forget"]],
  options: { lockTimeout, ...projectOptions },
  examples: [["avatarops state forget context.old", "leaves the object out of the next plan"]],
} as const satisfies CommandFacts;

export const stateUnlockCommand = {
  name: "state unlock",
  summary: "remove a stale lock",
  options: {
    force: defineFlag("--force", "remove the lock even if its owner may be running"),
    autoApprove: defineFlag("-y, --auto-approve", "remove an unreadable lock without asking"),
    ...projectOptions,
  },
  exits: [
    [6, "the lock's owner is still running on this machine, or the lock's ref is a branch"],
    [7, "the lock cannot be read, and confirmation needs a terminal"],
  ],
  examples: [["avatarops state unlock", "removes the lock, and shows who took it and when"]],
} as const satisfies CommandFacts;

export const stateReplaceProjectCommand = {
  name: "state replace-project",
  summary: "record a moved or renamed project as the state's owner",
  options: {
    autoApprove: defineFlag("-y, --auto-approve", "record the project without asking"),
    lockTimeout,
    ...projectOptions,
  },
  exits: [[7, "nothing was changed, because confirmation needs a terminal"]],
  examples: [
    ["avatarops state replace-project", "shows both projects, asks for confirmation, then records this one"],
  ],
} as const satisfies CommandFacts;

export const stateReplaceServiceCommand = {
  name: "state replace-service",
  summary: "record the account's new base URL, after moving the service",
  options: {
    autoApprove: defineFlag("-y, --auto-approve", "record the base URL without asking"),
    lockTimeout,
    ...accountOptions,
  },
  exits: [[7, "nothing was changed, because confirmation needs a terminal"]],
  examples: [
    [
      "avatarops state replace-service",
      "finds the objects at `base_url`, and records the URL once confirmed",
    ],
  ],
} as const satisfies CommandFacts;

export const stateMigrateCommand = {
  name: "state migrate",
  summary: "move the state and its history to another store",
  formats: ["text", "json"],
  options: {
    to: defineValueOption("--to <URL>", "the new store (a URL or a project file)", {
      mandatory: true,
    }),
    lockTimeout,
    ...projectOptions,
  },
  examples: [
    [
      "avatarops state migrate --to git+refs://origin/avatarops/production",
      "copies the state and history, and prints the manifest line",
    ],
  ],
} as const satisfies CommandFacts;
