import type { CommandFacts } from "../command.js";
import { createWholeNumberParser } from "../parse.js";
import { defineFlag, defineListOption, defineValueOption } from "./option.js";
import {
  accountOptions,
  allOptions,
  applyExits,
  applyOptions,
  changeOptions,
  concurrency,
  defineAllowOption,
  detailedExitcode,
  digest,
  environmentOptions,
  field,
  here,
  lockTimeout,
  overwriteDrift,
  planExits,
  possibleSecretChange,
  refresh,
  sandboxAvatar,
  serviceOptions,
  target,
} from "./shared-options.js";

/* Commands for a project's files and account. */

export const initCommand = {
  name: "init",
  summary: "create a new project",
  arguments: [["[DIR]", "the project folder (default: the current one)"]],
  options: { typescript: defineFlag("--typescript", "write TypeScript instead of YAML") },
  examples: [
    ["avatarops init my-avatars", "creates a manifest, prompt, and files for git and editors"],
    ["avatarops init --typescript my-avatars", "creates a package with avatarops.config.ts and a prompt"],
  ],
} as const satisfies CommandFacts;

export const validateCommand = {
  name: "validate",
  summary: "check the files, without network or secrets",
  formats: ["text", "json", "markdown"],
  options: { ...changeOptions, ...environmentOptions },
  examples: [["avatarops validate", "lists all problems in all files, with their locations"]],
} as const satisfies CommandFacts;

export const renderCommand = {
  name: "render",
  summary: "print a text with partials and variables filled in",
  formats: ["text", "json"],
  arguments: [["[ADDRESS]", "e.g. context.support"]],
  options: {
    all: defineFlag("--all", "write all texts to the --out folder"),
    out: defineValueOption(
      "--out <FOLDER>",
      "a new or empty folder for files such as context.support.prompt.txt",
    ),
    field,
    map: defineFlag("--map", "start each line with its source file and line"),
    live: defineFlag("--live", "print the account's text instead (sends requests to the service)"),
    ...accountOptions,
  },
  examples: [
    ["avatarops render context.support --map", "shows which file each line comes from"],
    ["avatarops render --all --out texts", "writes files for promptfoo and other prompt-testing tools"],
  ],
} as const satisfies CommandFacts;

export const planCommand = {
  name: "plan",
  summary: "show changes that apply would make, without making them",
  formats: ["text", "json", "markdown"],
  options: {
    out: defineValueOption("-o, --out <FILE>", "save the plan for `avatarops apply FILE`"),
    detailedExitcode,
    refresh,
    target,
    concurrency,
    ...changeOptions,
    ...serviceOptions,
    ...environmentOptions,
  },
  exits: planExits,
  examples: [
    ["avatarops plan", "compares the files with the account"],
    ["avatarops plan --out plan.json --detailed-exitcode", "saves the plan, and exits with 2 on changes"],
  ],
} as const satisfies CommandFacts;

export const applyCommand = {
  name: "apply",
  summary: "change the account to match the files",
  formats: ["text", "json", "markdown"],
  arguments: [["[PLAN]", "plan saved with `plan --out` (rejected if stale)"]],
  options: {
    autoApprove: defineFlag("-y, --auto-approve", "apply without asking"),
    digest,
    reviewed: defineFlag("--reviewed", "apply only the plan that `review` posted"),
    requireApproval: defineValueOption(
      "--require-approval <N>",
      "with --reviewed: require N approvals, not counting the author's",
      { parse: createWholeNumberParser(1) },
    ),
    onlyRotations: defineFlag("--only-rotations", "send only secret values that changed at their source"),
    allow: defineAllowOption("behind", "threshold", "all-vanished", "held", "needs"),
    overwriteDrift,
    acceptDuplicate: defineListOption(
      "--accept-duplicate <ADDRESS>",
      "create an object that may already exist; repeatable",
    ),
    smoke: defineFlag("--smoke", "check that sandbox sessions start with the applied presets"),
    sandboxAvatar,
    summary: defineValueOption("--summary <FILE>", "also add the result to this file, as Markdown"),
    target,
    ...applyOptions,
    ...accountOptions,
    ...allOptions,
  },
  exits: [
    applyExits.partly,
    applyExits.ambiguous,
    [5, "the saved or reviewed plan is stale"],
    applyExits.locked,
    applyExits.undecided,
  ],
  examples: [
    ["avatarops apply", "shows the plan, asks for confirmation, then applies it"],
    ["avatarops apply plan.json", "applies the saved plan and nothing else"],
    ["avatarops apply --reviewed --all", "after a merge: applies the reviewed plan of each project"],
    [
      "avatarops apply --digest 1:Hq2vXbCfYt0sRw3kLm9pQa",
      "applies the plan with this digest, or exits with 5",
    ],
  ],
} as const satisfies CommandFacts;

export const statusCommand = {
  name: "status",
  summary: "summarize pending changes, drift, holds, locks and outdated checkouts",
  formats: ["text", "json"],
  options: { refresh, concurrency, ...accountOptions, ...allOptions },
  exits: [
    [1, "the account is unreadable, or a protected object was removed"],
    [2, "changes are pending, objects drifted, or secrets were rotated"],
    [3, `none of these, but ${possibleSecretChange}`],
    [4, "an object is ambiguous"],
  ],
  examples: [
    ["avatarops status", "shows the status (drift needs a base URL and key)"],
    ["avatarops status --all", "shows all projects and environments, and who must act"],
  ],
} as const satisfies CommandFacts;

export const pruneCommand = {
  name: "prune",
  summary: "list undeclared objects, or delete the named ones",
  arguments: [["[ID...]", "the objects to delete (default: list the candidates)"]],
  options: {
    autoApprove: defineFlag("-y, --auto-approve", "delete the named objects without asking"),
    digest,
    allow: defineAllowOption("held"),
    ...applyOptions,
    ...accountOptions,
  },
  exits: [
    [3, `${applyExits.partly[1]}, or the list may be incomplete`],
    [4, "a deletion is unconfirmed, so the next plan checks it"],
    [5, "an object was edited after you confirmed its deletion"],
    applyExits.locked,
    applyExits.undecided,
  ],
  examples: [
    ["avatarops prune", "lists undeclared objects"],
    ["avatarops prune 2c5faf09-e6fd-46fd-84e3-489b10838fbf", "deletes that object"],
  ],
} as const satisfies CommandFacts;

export const pullCommand = {
  name: "pull",
  summary: "write dashboard edits into the files and the state",
  formats: ["text", "json"],
  arguments: [["[ADDRESS...]", "the objects to pull (default: all that were edited)"]],
  options: {
    ours: defineFlag("--ours", "keep your version of lines that both sides changed"),
    theirs: defineFlag("--theirs", "take the dashboard's version of lines that both sides changed"),
    markers: defineFlag("--markers", "write both sides with git's conflict markers"),
    here,
    autoApprove: defineFlag(
      "-y, --auto-approve",
      "change shared texts and discard uncommitted edits without asking",
    ),
    dryRun: defineFlag("--dry-run", "show the edits without writing them"),
    lockTimeout,
    ...accountOptions,
  },
  exits: [
    [3, "some edits were not pulled, or conflict markers were written"],
    [5, "the edits changed after you confirmed them"],
    [7, "nothing was pulled, because of conflicts or a missing terminal"],
  ],
  examples: [
    ["avatarops pull", "pulls all dashboard edits, and merges them into changed files"],
    ["avatarops pull context.support --theirs", "resolves conflicts with the dashboard's version"],
  ],
} as const satisfies CommandFacts;

export const exportCommand = {
  name: "export",
  summary: "export a whole account as a new project with state",
  formats: ["text", "json"],
  arguments: [["<DIR>", "the folder of the new project"]],
  options: {
    concurrency,
    profile: defineValueOption("--profile <NAME>", "profile with the deployment's extra features", {
      choices: ["liveavatar"],
    }),
    ...serviceOptions,
    ...environmentOptions,
  },
  exits: [[3, "some objects were not exported"]],
  examples: [["avatarops export my-avatars", "writes avatarops.yaml, and Markdown for each context"]],
} as const satisfies CommandFacts;

export const importCommand = {
  name: "import",
  summary: "manage an object that exists in the account",
  formats: ["text", "json"],
  arguments: [
    ["[ADDRESS]", "the address of its declaration, e.g. context.support"],
    ["[ID]", "its id in the account"],
  ],
  options: {
    write: defineFlag("--write", "add a declaration for a new address to the files"),
    all: defineFlag("--all", "with --write: import all undeclared objects"),
    dryRun: defineFlag("--dry-run", "with --write: show the declarations without writing them"),
    lockTimeout,
    ...accountOptions,
  },
  exits: [[3, "some objects were imported, some were not"]],
  examples: [
    [
      "avatarops import context.support 2c5faf09-e6fd-46fd-84e3-489b10838fbf",
      "links the declaration to the object",
    ],
    [
      "avatarops import --write context.night 1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de",
      "declares the object, and links it",
    ],
  ],
} as const satisfies CommandFacts;
