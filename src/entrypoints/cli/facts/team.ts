import type { HostName } from "../../../review/hosts/index.js";
import type { CommandFacts } from "../command.js";
import {
  createWholeNumberParser,
  parseCommitId,
  parseDurationMs,
  parseEndOfHold,
  parseIntervalMs,
  parseListenAddress,
} from "../parse.js";
import { defineFlag, defineListOption, defineOffSwitch, defineValueOption } from "./option.js";
import {
  accountOptions,
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
  projectOptions,
  refresh,
  serviceOptions,
  target,
  waitForIdle,
} from "./shared-options.js";

/** Code hosts. A copy of `hostNames`, because `--help` must not load the code host modules. */
const hosts: Readonly<Record<HostName, true>> = { github: true, gitlab: true, gitea: true };
const hostChoices = Object.keys(hosts);

/** Options for a proposed pull request. */
const proposalOptions = {
  base: defineValueOption("--base <BRANCH>", "the branch to change (default: the remote's default branch)"),
  branch: defineValueOption(
    "--branch <NAME>",
    "the branch to push (opens no pull request without --pull-request)",
  ),
  remote: defineValueOption("--remote <NAME>", "the git remote", { defaultText: "origin" }),
  repo: defineValueOption("--repo <REPOSITORY>", "OWNER/NAME or URL of the repository (default: from CI)"),
  host: defineValueOption("--host <HOST>", "the code host (default: from CI)", { choices: hostChoices }),
};

/* Commands for teams and pipelines that share an account. */

export const historyCommand = {
  name: "history",
  summary: "list applies with time, author and commit, newest first",
  formats: ["text", "json", "markdown"],
  arguments: [["[ADDRESS]", "only changes to this object, including under earlier names"]],
  options: {
    diff: defineFlag("--diff", "with ADDRESS: show each difference, prompts word by word"),
    limit: defineValueOption("--limit <N>", "only the N newest records (default: all)", {
      parse: createWholeNumberParser(1),
    }),
    ...projectOptions,
  },
  examples: [["avatarops history context.support --diff", "shows how its prompt has changed"]],
} as const satisfies CommandFacts;

export const showCommand = {
  name: "show",
  summary: "show an object and its texts as of an apply",
  formats: ["text", "json"],
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: {
    at: defineValueOption("--at <SERIAL|COMMIT>", "an applied serial, commit or tag (default: now)"),
    ...projectOptions,
  },
  examples: [
    ["avatarops show context.support --at 12", "reads the texts from the commit applied as serial 12"],
  ],
} as const satisfies CommandFacts;

export const blameCommand = {
  name: "blame",
  summary: "show the commit or dashboard edit behind each live sentence",
  formats: ["text", "json", "markdown"],
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: { field, ...accountOptions },
  examples: [["avatarops blame context.support", "shows where each sentence of its prompt comes from"]],
} as const satisfies CommandFacts;

export const rollbackCommand = {
  name: "rollback",
  summary: "restore the account to an earlier apply",
  formats: ["text", "json", "markdown"],
  arguments: [["[ADDRESS...]", "the objects to roll back (default: all managed at that time)"]],
  options: {
    to: defineValueOption("--to <SERIAL|COMMIT>", "an applied serial, commit or tag", {
      mandatory: true,
    }),
    pullRequest: defineFlag("--pull-request", "only open a pull request with the earlier texts"),
    ...proposalOptions,
    here,
    dryRun: defineFlag("--dry-run", "show the plan without applying it"),
    autoApprove: defineFlag("-y, --auto-approve", "roll back without asking"),
    digest,
    allow: defineAllowOption("threshold", "all-vanished", "held"),
    overwriteDrift,
    hold: defineOffSwitch("--no-hold", "skip the hold, so the next apply undoes the rollback"),
    ...applyOptions,
    ...accountOptions,
  },
  exits: [
    applyExits.partly,
    [5, "the plan changed since it was confirmed"],
    applyExits.locked,
    applyExits.undecided,
  ],
  examples: [
    ["avatarops rollback --to 12", "restores serial 12 after you confirm the plan"],
    ["avatarops rollback --to v1.4 context.support", "rolls back one object"],
  ],
} as const satisfies CommandFacts;

export const holdCommand = {
  name: "hold",
  summary: "hold objects, so apply, rollback and sync skip them",
  arguments: [["[ADDRESS...]", "the objects, or patterns such as 'context.support-*' (default: all)"]],
  options: {
    reason: defineValueOption("--reason <TEXT>", "the reason, shown in plans, reviews and history", {
      mandatory: true,
    }),
    until: defineValueOption(
      "--until <TIME>",
      "end time: 2026-11-24T08:00Z or 4h (default: until `release`)",
      {
        parse: parseEndOfHold,
      },
    ),
    lockTimeout,
    ...projectOptions,
  },
  exits: [[6, "another run has locked the state"]],
  examples: [
    ['avatarops hold --reason "incident 42" --until 4h', "stops all changes for four hours"],
    ['avatarops hold --reason "legal check" context.support', "stops changes to one object"],
  ],
} as const satisfies CommandFacts;

export const releaseCommand = {
  name: "release",
  summary: "end holds",
  arguments: [["[ADDRESS...]", "the objects to release (default: the hold on all objects)"]],
  options: { lockTimeout, ...projectOptions },
  exits: [[6, "the state is locked"]],
  examples: [["avatarops release context.support", "lets the next apply change it again"]],
} as const satisfies CommandFacts;

export const reviewCommand = {
  name: "review",
  summary: "post the plan and a status to the pull request",
  options: {
    pullRequest: defineValueOption("--pull-request <NUMBER>", "the pull request (default: from CI)", {
      parse: createWholeNumberParser(1),
    }),
    repo: defineValueOption("--repo <REPOSITORY>", "OWNER/NAME or URL of the repository (default: from CI)"),
    host: defineValueOption("--host <HOST>", "the code host; gitea includes Forgejo (default: from CI)", {
      choices: hostChoices,
    }),
    commit: defineValueOption("--commit <ID>", "the reviewed commit (default: from CI, or HEAD)", {
      parse: parseCommitId,
    }),
    plan: defineValueOption("--plan <FILE>", "post a plan saved with `plan --out` instead"),
    summary: defineValueOption("--summary <FILE>", "also append the comment to this job summary file"),
    dryRun: defineFlag("--dry-run", "print the comment instead of posting it (needs no token)"),
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
    ["avatarops review --env production", "posts or updates a comment on CI's pull request"],
    ["avatarops review --all", "posts one comment for all changed projects"],
  ],
} as const satisfies CommandFacts;

export const diffCommand = {
  name: "diff",
  summary: "compare account, files and environments (exits with 2 on differences)",
  formats: ["text", "json", "markdown"],
  arguments: [
    ["[FROM]", "`account`, `files`, or an environment, meaning its files (default: account)"],
    ["[TO]", "`account`, `files`, or an environment, meaning its files (default: files)"],
  ],
  options: { refresh, concurrency, ...accountOptions },
  exits: [
    [2, "the two sides differ"],
    [3, `no difference is known, but ${possibleSecretChange}`],
    [4, "an object is ambiguous"],
  ],
  examples: [
    ["avatarops diff", "compares the account with the files"],
    ["avatarops diff staging production", "compares texts word by word, without requests to a service"],
  ],
} as const satisfies CommandFacts;

export const promoteCommand = {
  name: "promote",
  summary: "copy an object's texts from one environment to another",
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: {
    from: defineValueOption("--from <NAME>", "environment to copy the texts from", { mandatory: true }),
    to: defineValueOption("--to <NAME>", "environment to copy the texts to (keeps its own variables)", {
      mandatory: true,
    }),
    ...projectOptions,
  },
  examples: [
    ["avatarops promote context.support --from staging --to production", "changes only production's files"],
  ],
} as const satisfies CommandFacts;

export const driftCommand = {
  name: "drift",
  summary: "show dashboard edits since the last apply",
  formats: ["text", "json", "markdown"],
  arguments: [
    ["[ADDRESS...]", "with --pull-request or --branch: objects to propose even if their files changed"],
  ],
  options: {
    pullRequest: defineFlag("--pull-request", "propose the edits in one pull request per environment"),
    ...proposalOptions,
    refresh,
    target,
    concurrency,
    here,
    ...accountOptions,
  },
  exits: [[2, "the files lack an edit, an object is gone, or a rotated secret was not sent"]],
  examples: [
    ["avatarops drift", "compares the account with the last apply"],
    ["avatarops drift --pull-request", "in a scheduled pipeline: proposes dashboard edits"],
  ],
} as const satisfies CommandFacts;

export const syncCommand = {
  name: "sync",
  summary: "follow a branch, and apply when it or the account changes",
  options: {
    repo: defineValueOption("--repo <URL>", "the repository URL, without credentials"),
    branch: defineValueOption("--branch <NAME>", "the branch to follow", { defaultText: "main" }),
    host: defineValueOption("--host <HOST>", "the code host, if the URL does not show it", {
      choices: hostChoices,
    }),
    path: defineListOption(
      "--path <DIR>",
      "a project folder in the repository (default: its root); repeatable",
    ),
    interval: defineValueOption(
      "--interval <DURATION>",
      "time between checks of repository and account: 30s, 5m",
      {
        defaultText: "1m",
        parse: parseIntervalMs,
      },
    ),
    listen: defineValueOption("--listen <ADDRESS>", "where to serve /healthz, /readyz and /metrics", {
      defaultText: "127.0.0.1:8080",
      parse: parseListenAddress,
    }),
    workDir: defineValueOption("--work-dir <DIR>", "folder for checkouts (default: the temporary folder)"),
    takeOverAfter: defineValueOption(
      "--take-over-after <DURATION>",
      "take over `sync` locks after this much inactivity (0s: never)",
      { defaultText: "15m", parse: parseDurationMs },
    ),
    allowCode: defineFlag("--allow-code", "run code from the repository: TypeScript, !exec, packages"),
    unpinned: defineFlag("--unpinned", "let the files choose where credentials are sent"),
    refresh,
    concurrency,
    waitForIdle,
    ...accountOptions,
  },
  examples: [["avatarops sync --repo https://git.example.com/team/avatars.git", "checks every minute"]],
} as const satisfies CommandFacts;
