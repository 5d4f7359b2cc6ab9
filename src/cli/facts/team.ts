import type { CommandFacts } from "../command.js";
import { commitId, intervalMs, listenAddress, wholeNumber } from "../parse.js";
import { concurrency, idleTimeout, lockTimeout, refresh, target, waitForIdle } from "./options.js";

const hostChoices = ["github", "gitlab", "gitea"] as const;

/** What people and pipelines need who change one account together. */
export const teamCommands: readonly CommandFacts[] = [
  {
    name: "history",
    summary: "show what was applied when, by whom, and from which commit, newest first",
    ofProject: true,
    formats: ["text", "json", "markdown"],
    arguments: [
      ["[ADDRESS]", "only what changed this object, also under its earlier names"],
      ["[RANGE]", "compare the object at two moments: FROM..TO, with serials or commits; FROM.. until now"],
    ],
    options: [
      { flags: "--diff", description: "with ADDRESS: show each difference, prompts word by word" },
      {
        flags: "--limit <N>",
        description: "only the N newest records (default: all)",
        parse: wholeNumber(1),
      },
    ],
    examples: [
      ["avatarops history --limit 10", "shows the last ten applies"],
      ["avatarops history context.support --diff", "shows how its prompt came to be what it is"],
      ["avatarops history context.support 12..15", "compares what was applied at two serials"],
    ],
    load: () => import("../commands/history.js"),
  },
  {
    name: "show",
    summary: "show an object with its texts, as it was last applied or at an earlier time",
    ofProject: true,
    formats: ["text", "json"],
    arguments: [["<ADDRESS>", "e.g. context.support"]],
    options: [
      {
        flags: "--at <SERIAL|COMMIT>",
        description: "a serial of the state, or a commit that was applied (default: now)",
      },
    ],
    examples: [
      ["avatarops show context.support --at 12", "the texts come from the commit that was applied then"],
      ["avatarops show context.support --at v1.4", "a tag, a branch or the id of a commit"],
    ],
    load: () => import("../commands/show.js"),
  },
  {
    name: "rollback",
    summary: "change the account back to what was applied at an earlier time",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    arguments: [["[ADDRESS...]", "the objects to roll back (default: all that were managed then)"]],
    options: [
      { flags: "--to <SERIAL|COMMIT>", description: "a serial of the state, or a commit that was applied" },
      { flags: "--write", description: "also write the earlier texts into the files" },
      { flags: "--dry-run", description: "show what would be done, without doing it" },
      { flags: "-y, --auto-approve", description: "roll back without asking" },
      { flags: "--overwrite-drift", description: "overwrite edits made elsewhere" },
      {
        flags: "--recreate",
        description: "continue even though the account has none of the recorded objects",
      },
      { flags: "--force", description: "change more objects than `thresholds` allow" },
      refresh,
      concurrency,
      ...waitForIdle,
      idleTimeout,
      lockTimeout,
    ],
    exits: [
      [2, "nothing was applied: nobody was there to ask, or sessions are still active"],
      [3, "some changes were applied, some were not"],
      [6, "the state is locked"],
    ],
    examples: [
      ["avatarops rollback --to 12", "shows the plan towards serial 12, asks, and applies it"],
      [
        "avatarops rollback --to v1.4 --write context.support",
        "brings one object back, in the account and in the files",
      ],
    ],
    load: () => import("../commands/rollback.js"),
  },
  {
    name: "review",
    summary:
      "post the plan as a comment on a pull request, with a commit status; never writes to the service",
    ofProject: true,
    readsUntrusted: true,
    reachesService: true,
    options: [
      {
        flags: "--pull-request <NUMBER>",
        description: "the pull request or merge request (default: that of the CI job)",
        parse: wholeNumber(1),
      },
      {
        flags: "--repo <REPOSITORY>",
        description: "owner/name, or the address of its page (default: that of the CI job)",
      },
      {
        flags: "--host <HOST>",
        description: "what runs at that address, if the name does not show it; gitea also means Forgejo",
        choices: hostChoices,
      },
      {
        flags: "--commit <ID>",
        description: "the reviewed commit (default: the pull request's head in CI, else what is checked out)",
        parse: commitId,
      },
      { flags: "--plan <FILE>", description: "post a plan saved with `plan --out` instead of a new one" },
      {
        flags: "--summary <FILE>",
        description: "also add the text to this file (CI's own job summary always gets it)",
      },
      { flags: "--dry-run", description: "print the comment instead of posting it; needs no token" },
      { flags: "--detailed-exitcode", description: "exit with 2 if changes are pending" },
      refresh,
      target,
      concurrency,
    ],
    help: [
      {
        title: "Environment:",
        rows: [
          ["GITHUB_TOKEN", "token for GitHub (or GH_TOKEN)"],
          ["GITLAB_TOKEN", "token for GitLab; CI_JOB_TOKEN may not comment"],
          ["GITEA_TOKEN", "token for Gitea (or FORGEJO_TOKEN, GITHUB_TOKEN)"],
          ["AVATAROPS_REVIEW_KEY", "signs reviews, for an apply --reviewed with the same key"],
        ],
      },
    ],
    exits: [
      [2, "changes are pending, with `--detailed-exitcode`"],
      [4, "an object is ambiguous"],
    ],
    examples: [
      ["avatarops review --env production", "in a CI job of a pull request: posts or updates its comment"],
      ["avatarops review --dry-run", "prints the comment"],
    ],
    load: () => import("../commands/review.js"),
  },
  {
    name: "drift",
    summary: "show what was edited in the account since the last apply; exits with 2 if anything was",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    arguments: [
      ["[ADDRESS...]", "with --pull-request: take the live texts of these although the files changed too"],
    ],
    options: [
      {
        flags: "--pull-request",
        description: "bring the edits back as a pull request that changes the files; one per environment",
      },
      { flags: "--issue", description: "keep an open issue while there is drift; one per environment" },
      {
        flags: "--base <BRANCH>",
        description: "the branch to change (default: the remote's default branch)",
      },
      {
        flags: "--branch <NAME>",
        description: "the branch of the pull request (default: avatarops/drift/ENVIRONMENT)",
      },
      { flags: "--remote <NAME>", description: "the git remote", preset: "origin" },
      {
        flags: "--repo <REPOSITORY>",
        description: "OWNER/NAME or page of the repository (default: the CI's)",
      },
      { flags: "--host <HOST>", description: "the code host (default: the CI's)", choices: hostChoices },
      {
        flags: "--undeclared",
        description: "also list the objects in the account that are in neither the files nor the state",
      },
      refresh,
      target,
      concurrency,
    ],
    exits: [[2, "something was edited in the account"]],
    examples: [
      ["avatarops drift", "compares the account with what was last applied"],
      ["avatarops drift --pull-request", "in a scheduled pipeline: proposes what was edited elsewhere"],
    ],
    load: () => import("../commands/drift.js"),
  },
  {
    name: "sync",
    summary: "follow a branch of a repository, and apply when it or the account has changed",
    ofProject: true,
    reachesService: true,
    options: [
      { flags: "--repo <URL>", description: "the repository, as git takes it; without credentials" },
      { flags: "--branch <NAME>", description: "the branch to follow", preset: "main" },
      { flags: "--path <DIR>", description: "the project folder in the repository (default: its root)" },
      {
        flags: "--interval <DURATION>",
        description: "time between two checks of the repository and the account: 30s, 5m",
        preset: "1m",
        parse: intervalMs,
      },
      {
        flags: "--listen <ADDRESS>",
        description: "where to serve /healthz, /readyz, /metrics and /webhook",
        preset: "127.0.0.1:8080",
        parse: listenAddress,
      },
      {
        flags: "--work-dir <DIR>",
        description: "where to make a folder for checkouts (default: the system's temporary folder)",
      },
      { flags: "--allow-code", description: "run TypeScript files and !exec commands of the repository" },
      refresh,
      concurrency,
      ...waitForIdle,
    ],
    help: [
      {
        title: "Environment:",
        rows: [
          ["AVATAROPS_GIT_TOKEN", "token for a repository at https://…"],
          ["AVATAROPS_GIT_USERNAME", "its user, where the host of code asks for one"],
          ["AVATAROPS_WEBHOOK_SECRET", "secret of the webhook; without it there is none"],
        ],
      },
    ],
    examples: [
      [
        "avatarops sync --repo https://git.example.com/team/avatars.git",
        "looks every minute, and at each push if a webhook is set up",
      ],
    ],
    load: () => import("../commands/sync.js"),
  },
];
