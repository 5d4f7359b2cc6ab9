import type { CommandFacts } from "../command.js";
import { commitId, durationMs, endOfHold, intervalMs, listenAddress, wholeNumber } from "../parse.js";
import { flag, list, offSwitch, value } from "./option.js";
import {
  accountOptions,
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
  projectOptions,
  refresh,
  serviceOptions,
  target,
  waitForIdle,
} from "./shared-options.js";

const hostChoices = ["github", "gitlab", "gitea"] as const;

/** Where a pull request goes that changes the files. */
const proposalOptions = {
  base: value("--base <BRANCH>", "the branch to change (default: the remote's default branch)"),
  branch: value("--branch <NAME>", "the branch of the pull request (default: one for the environment)"),
  remote: value("--remote <NAME>", "the git remote", { preset: "origin" }),
  repo: value("--repo <REPOSITORY>", "OWNER/NAME or page of the repository (default: the CI's)"),
  host: value("--host <HOST>", "the code host (default: the CI's)", { choices: hostChoices }),
};

/* What people and pipelines need who change one account together. */

export const historyCommand = {
  name: "history",
  summary: "show what was applied when, by whom, and from which commit, newest first",
  formats: ["text", "json", "markdown"],
  arguments: [["[ADDRESS]", "only what changed this object, also under its earlier names"]],
  options: {
    diff: flag("--diff", "with ADDRESS: show each difference, prompts word by word"),
    limit: value("--limit <N>", "only the N newest records (default: all)", { parse: wholeNumber(1) }),
    ...projectOptions,
  },
  examples: [["avatarops history context.support --diff", "shows how its prompt has changed"]],
} as const satisfies CommandFacts;

export const showCommand = {
  name: "show",
  summary: "show an object with its texts, as it was last applied or at an earlier time",
  formats: ["text", "json"],
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: {
    at: value("--at <SERIAL|COMMIT>", "a serial of the state, or a commit that was applied (default: now)"),
    ...projectOptions,
  },
  examples: [
    ["avatarops show context.support --at 12", "the texts come from the commit that was applied then"],
  ],
} as const satisfies CommandFacts;

export const blameCommand = {
  name: "blame",
  summary:
    "show what brought each sentence of a live text: an apply of a commit, or an edit in the dashboard",
  formats: ["text", "json", "markdown"],
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: { field, ...accountOptions },
  examples: [["avatarops blame context.support", "shows where each sentence of its prompt comes from"]],
} as const satisfies CommandFacts;

export const rollbackCommand = {
  name: "rollback",
  summary: "change the account back to what was applied at an earlier time",
  formats: ["text", "json", "markdown"],
  arguments: [["[ADDRESS...]", "the objects to roll back (default: all that were managed then)"]],
  options: {
    to: value("--to <SERIAL|COMMIT>", "a serial of the state, or a commit that was applied", {
      mandatory: true,
    }),
    pullRequest: flag("--pull-request", "only propose the earlier texts, as a pull request"),
    ...proposalOptions,
    here,
    dryRun: flag("--dry-run", "show what would be done, without doing it"),
    autoApprove: flag("-y, --auto-approve", "roll back without asking"),
    digest,
    ...overwritingOptions,
    force: flag("--force", "change more objects than `thresholds` allow"),
    hold: offSwitch("--no-hold", "put nothing on hold: the next apply of the files undoes the rollback"),
    ...ignoringOptions,
    ...applyingOptions,
    ...accountOptions,
  },
  exits: [
    applyingExits.nothing,
    applyingExits.partly,
    [5, "the plan is not the one that was agreed to"],
    applyingExits.locked,
    applyingExits.notApproved,
  ],
  examples: [
    ["avatarops rollback --to 12", "shows the plan towards serial 12, asks, and applies it"],
    ["avatarops rollback --to v1.4 context.support", "brings one object back"],
  ],
} as const satisfies CommandFacts;

export const holdCommand = {
  name: "hold",
  summary: "keep objects as they are: apply, rollback and sync leave them alone",
  arguments: [["[ADDRESS...]", "the objects, or patterns such as 'context.support-*' (default: all)"]],
  options: {
    reason: value("--reason <TEXT>", "why, for plans, reviews and the history", { mandatory: true }),
    until: value(
      "--until <TIME>",
      "when it ends: 2026-11-24T08:00Z, or 4h from now (default: with `release`)",
      {
        parse: endOfHold,
      },
    ),
    lockTimeout,
    ...projectOptions,
  },
  exits: [[6, "the state is locked: something is being applied"]],
  examples: [
    ['avatarops hold --reason "incident 42" --until 4h', "nothing is changed for four hours"],
    ['avatarops hold --reason "legal check" context.support', "keeps one object, and applies the others"],
  ],
} as const satisfies CommandFacts;

export const releaseCommand = {
  name: "release",
  summary: "end holds",
  arguments: [["[ADDRESS...]", "the objects to release (default: only the hold of all objects ends)"]],
  options: { lockTimeout, ...projectOptions },
  exits: [[6, "the state is locked"]],
  examples: [["avatarops release context.support", "the next apply changes it again"]],
} as const satisfies CommandFacts;

export const reviewCommand = {
  name: "review",
  summary: "post the plan as a comment on a pull request, with a commit status; never writes to the service",
  options: {
    pullRequest: value("--pull-request <NUMBER>", "the pull request (default: the CI's)", {
      parse: wholeNumber(1),
    }),
    repo: value("--repo <REPOSITORY>", "owner/name, or the address of its page (default: the CI's)"),
    host: value("--host <HOST>", "what runs there; gitea also means Forgejo", { choices: hostChoices }),
    commit: value(
      "--commit <ID>",
      "the reviewed commit (default: the pull request's head in CI, else what is checked out)",
      { parse: commitId },
    ),
    plan: value("--plan <FILE>", "post a plan saved with `plan --out` instead of a new one"),
    summary: value("--summary <FILE>", "also add the text to this file, as to CI's own summary"),
    dryRun: flag("--dry-run", "print the comment instead of posting it; needs no token"),
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
    ["avatarops review --env production", "in a CI job of a pull request: posts or updates its comment"],
    ["avatarops review --all", "all projects that the pull request changes, in one comment"],
  ],
} as const satisfies CommandFacts;

export const diffCommand = {
  name: "diff",
  summary: "show what differs between the account, the files and environments; exits with 2 if anything does",
  formats: ["text", "json", "markdown"],
  arguments: [
    ["[FROM]", "account, files, or an environment, whose files are meant (default: account)"],
    ["[TO]", "the same (default: files)"],
  ],
  options: { refresh, concurrency, ...accountOptions },
  exits: [
    [2, "the two sides differ"],
    [4, "an object is ambiguous"],
  ],
  examples: [
    ["avatarops diff", "what the files have, and the account has not"],
    ["avatarops diff staging production", "shows the texts that differ, word by word; asks no service"],
  ],
} as const satisfies CommandFacts;

export const promoteCommand = {
  name: "promote",
  summary: "write the texts that an object has in one environment into the files of another",
  arguments: [["<ADDRESS>", "e.g. context.support"]],
  options: {
    from: value("--from <NAME>", "the environment that has the texts", { mandatory: true }),
    to: value("--to <NAME>", "the environment that gets them, with values of its own for variables", {
      mandatory: true,
    }),
    ...projectOptions,
  },
  examples: [["avatarops promote context.support --from staging --to production", "changes files only"]],
} as const satisfies CommandFacts;

export const driftCommand = {
  name: "drift",
  summary: "show what was edited in the account since the last apply; exits with 2 if anything was",
  formats: ["text", "json", "markdown"],
  arguments: [["[ADDRESS...]", "with --pull-request: these even if the files changed, too"]],
  options: {
    pullRequest: flag("--pull-request", "propose the edits as a pull request, one for each environment"),
    ...proposalOptions,
    refresh,
    target,
    concurrency,
    here,
    ...accountOptions,
  },
  exits: [[2, "something was edited in the account"]],
  examples: [
    ["avatarops drift", "compares the account with what was last applied"],
    ["avatarops drift --pull-request", "in a scheduled pipeline: proposes what was edited elsewhere"],
  ],
} as const satisfies CommandFacts;

export const syncCommand = {
  name: "sync",
  summary: "follow a branch of a repository, and apply when it or the account has changed",
  options: {
    repo: value("--repo <URL>", "the repository, as git takes it; without credentials"),
    branch: value("--branch <NAME>", "the branch to follow", { preset: "main" }),
    host: value("--host <HOST>", "the code host, if the address does not show it", { choices: hostChoices }),
    path: list("--path <DIR>", "a project folder in the repository (default: its root); repeatable"),
    interval: value(
      "--interval <DURATION>",
      "time between two checks of the repository and the account: 30s, 5m",
      { preset: "1m", parse: intervalMs },
    ),
    listen: value("--listen <ADDRESS>", "where to serve /healthz, /readyz and /metrics", {
      preset: "127.0.0.1:8080",
      parse: listenAddress,
    }),
    workDir: value("--work-dir <DIR>", "where to make checkouts (default: the temporary folder)"),
    takeOverAfter: value(
      "--take-over-after <DURATION>",
      "take over the lock of a `sync` elsewhere that has not written for so long; 0s: never",
      { preset: "15m", parse: durationMs },
    ),
    allowCode: flag("--allow-code", "run code of the repository: TypeScript, !exec, packages"),
    unpinned: flag("--unpinned", "let the files decide where credentials are sent"),
    refresh,
    concurrency,
    waitForIdle,
    ...accountOptions,
  },
  examples: [["avatarops sync --repo https://git.example.com/team/avatars.git", "looks every minute"]],
} as const satisfies CommandFacts;
