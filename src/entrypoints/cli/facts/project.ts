import type { CommandFacts } from "../command.js";
import { wholeNumber } from "../parse.js";
import { flag, list, value } from "./option.js";
import {
  accountOptions,
  allOptions,
  applyingExits,
  applyingOptions,
  changeOptions,
  concurrency,
  detailedExitcode,
  digest,
  environmentOptions,
  field,
  here,
  ignoringOptions,
  lockTimeout,
  overwritingOptions,
  planExits,
  refresh,
  sandboxAvatar,
  serviceOptions,
  target,
} from "./shared-options.js";

/* From files to the account and back. */

export const initCommand = {
  name: "init",
  summary: "create a new project",
  arguments: [["[DIR]", "the project folder (default: the current one)"]],
  examples: [["avatarops init my-avatars", "creates a manifest, a prompt, and files for git and editors"]],
} as const satisfies CommandFacts;

export const validateCommand = {
  name: "validate",
  summary: "check the files; needs no network and no secrets",
  formats: ["text", "json", "markdown"],
  options: { ...changeOptions, ...environmentOptions },
  examples: [["avatarops validate", "shows every problem in every file, with its location"]],
} as const satisfies CommandFacts;

export const renderCommand = {
  name: "render",
  summary: "print a text as it would be sent, made of its partials and variables",
  formats: ["text", "json"],
  arguments: [["[ADDRESS]", "e.g. context.support"]],
  options: {
    all: flag("--all", "write every text of the files into the folder of --out"),
    out: value("--out <FOLDER>", "a new or empty folder for them, e.g. context.support.prompt.txt in it"),
    field,
    map: flag("--map", "begin each line with the file and line where it is written"),
    live: flag("--live", "print the text that the account has instead; only this asks the service"),
    ...accountOptions,
  },
  examples: [
    ["avatarops render context.support --map", "shows which file each line comes from"],
    ["avatarops render --all --out texts", "for promptfoo and other programs that test prompts"],
  ],
} as const satisfies CommandFacts;

export const planCommand = {
  name: "plan",
  summary: "show what apply would change; never writes to the service",
  formats: ["text", "json", "markdown"],
  options: {
    out: value("-o, --out <FILE>", "save the plan for `avatarops apply FILE`"),
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
    [
      "avatarops plan --out plan.json --detailed-exitcode",
      "in a pipeline: exits with 2 if there are changes",
    ],
  ],
} as const satisfies CommandFacts;

export const applyCommand = {
  name: "apply",
  summary: "change the account to match the files",
  formats: ["text", "json", "markdown"],
  arguments: [["[PLAN]", "a plan saved with `plan --out`; applied exactly, or refused as stale"]],
  options: {
    autoApprove: flag("-y, --auto-approve", "apply without asking"),
    digest,
    reviewed: flag("--reviewed", "the same, with the digest that `review` left on the pull request"),
    requireApproval: value(
      "--require-approval <N>",
      "with --reviewed: only if N people other than the author have approved that pull request",
      { parse: wholeNumber(1) },
    ),
    onlyRotations: flag("--only-rotations", "only send secret values that were rotated at their source"),
    ...overwritingOptions,
    forceBehind: flag("--force-behind", "replace values of commits that are not checked out"),
    force: flag("--force", "change or remove more objects than `thresholds` allow"),
    ...ignoringOptions,
    ignoreNeeds: flag("--ignore-needs", "go on before the environments that this one needs have it"),
    acceptDuplicate: list("--accept-duplicate <ADDRESS>", "create it although it may exist; repeatable"),
    smoke: flag("--smoke", "then check that sandbox sessions start with what was applied"),
    sandboxAvatar,
    summary: value("--summary <FILE>", "also add the result to this file, as Markdown"),
    target,
    ...applyingOptions,
    ...accountOptions,
    ...allOptions,
  },
  exits: [
    applyingExits.nothing,
    applyingExits.partly,
    applyingExits.ambiguous,
    [5, "the saved or reviewed plan is stale"],
    applyingExits.locked,
    applyingExits.notApproved,
  ],
  examples: [
    ["avatarops apply", "shows the plan, asks, and applies it"],
    ["avatarops apply plan.json", "applies the saved plan and nothing else"],
    ["avatarops apply --reviewed --all", "after a merge: applies the reviewed plan of each project"],
    ["avatarops apply --digest 1:Hq2vXbCfYt0sRw3kLm9pQa", "applies what was reviewed, or ends with 5"],
  ],
} as const satisfies CommandFacts;

export const statusCommand = {
  name: "status",
  summary: "show on one screen what is managed, to apply, drifted, on hold, locked and behind",
  formats: ["text", "json"],
  options: { refresh, concurrency, ...accountOptions },
  exits: [
    [1, "what drifted could not be read"],
    [2, "something is to be applied, drifted, rotated or behind"],
  ],
  examples: [["avatarops status", "without an address and a key, it shows all but what drifted"]],
} as const satisfies CommandFacts;

export const pruneCommand = {
  name: "prune",
  summary: "list what no file declares, and delete what is named",
  arguments: [["[ID...]", "the objects to delete (default: list what could be deleted)"]],
  options: {
    autoApprove: flag("-y, --auto-approve", "delete the named objects without asking"),
    digest,
    ...ignoringOptions,
    ...applyingOptions,
    ...accountOptions,
  },
  exits: [
    applyingExits.nothing,
    [3, `${applyingExits.partly[1]}; or the list may be incomplete`],
    [4, "it is unknown whether an object was deleted: the next plan looks"],
    [5, "an object was edited after it was agreed to"],
    applyingExits.locked,
    applyingExits.notApproved,
  ],
  examples: [
    ["avatarops prune", "lists what no file declares"],
    ["avatarops prune 2c5faf09-e6fd-46fd-84e3-489b10838fbf", "deletes that object"],
  ],
} as const satisfies CommandFacts;

export const pullCommand = {
  name: "pull",
  summary: "write edits made elsewhere back into the files, and note in the state that they were seen",
  formats: ["text", "json"],
  arguments: [["[ADDRESS...]", "the objects to pull (default: all that drifted; conflicts only if named)"]],
  options: {
    here,
    autoApprove: flag(
      "-y, --auto-approve",
      "write also what changes other texts or drops uncommitted edits, without asking",
    ),
    dryRun: flag("--dry-run", "show what would be written, without writing it"),
    lockTimeout,
    ...accountOptions,
  },
  exits: [
    [3, "some edits were pulled, some were not"],
    [5, "what would be pulled changed after the question"],
  ],
  examples: [["avatarops pull", "pulls every edit made in the dashboard"]],
} as const satisfies CommandFacts;

export const exportCommand = {
  name: "export",
  summary: "export a whole account as a new project, with its state",
  formats: ["text", "json"],
  arguments: [["<DIR>", "the folder of the new project"]],
  options: {
    concurrency,
    profile: value("--profile <NAME>", "the profile of the deployment", { choices: ["liveavatar"] }),
    ...serviceOptions,
    ...environmentOptions,
  },
  exits: [[3, "some objects could not be read"]],
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
    write: flag("--write", "add a declaration to the files, if the address is new"),
    all: flag("--all", "with --write: import everything that no file declares"),
    dryRun: flag("--dry-run", "with --write: show what would be written, without writing it"),
    lockTimeout,
    ...accountOptions,
  },
  exits: [[3, "some objects were imported, some were not"]],
  examples: [
    ["avatarops import context.support 2c5faf09-e6fd-46fd-84e3-489b10838fbf", "links the declaration to it"],
    ["avatarops import --write context.night 1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de", "declares it"],
  ],
} as const satisfies CommandFacts;
