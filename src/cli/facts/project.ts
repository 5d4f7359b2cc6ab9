import type { CommandFacts } from "../command.js";
import { planDigest } from "../parse.js";
import {
  concurrency,
  idleTimeout,
  lockTimeout,
  refresh,
  sandboxAvatar,
  target,
  waitForIdle,
} from "./options.js";

const typescript = { flags: "--typescript", description: "write TypeScript instead of YAML" };

/** From files to the account and back. */
export const projectCommands: readonly CommandFacts[] = [
  {
    name: "init",
    summary: "create a new project",
    arguments: [["[DIR]", "the project folder (default: the current one)"]],
    options: [typescript],
    examples: [
      [
        "avatarops init my-avatars",
        "creates my-avatars/avatarops.yaml, a prompt, and files for git and editors",
      ],
      ["avatarops init --typescript my-avatars", "creates a package with avatarops.config.ts and a test"],
    ],
    load: () => import("../commands/init.js"),
  },
  {
    name: "validate",
    summary: "check the files; needs no network and no secrets",
    ofProject: true,
    readsUntrusted: true,
    formats: ["text", "json", "markdown"],
    examples: [["avatarops validate", "shows every problem in every file, with its location"]],
    load: () => import("../commands/validate.js"),
  },
  {
    name: "plan",
    summary: "show what apply would change; never writes to the service",
    ofProject: true,
    readsUntrusted: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    options: [
      { flags: "-o, --out <FILE>", description: "save the plan for `avatarops apply FILE`" },
      { flags: "--detailed-exitcode", description: "exit with 2 if changes are pending" },
      { flags: "--undeclared", description: "also list the objects in the account that no file declares" },
      refresh,
      target,
      concurrency,
    ],
    exits: [
      [2, "changes are pending, with `--detailed-exitcode`"],
      [4, "an object is ambiguous"],
    ],
    examples: [
      ["avatarops plan", "compares the files with the account"],
      [
        "avatarops plan --out plan.json --detailed-exitcode",
        "in a pipeline: saves the plan, exits with 2 if there are changes to apply",
      ],
    ],
    load: () => import("../commands/plan.js"),
  },
  {
    name: "apply",
    summary: "change the account to match the files",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    arguments: [["[PLAN]", "a plan saved with `plan --out`; applied exactly, or refused as stale"]],
    options: [
      { flags: "-y, --auto-approve", description: "apply without asking" },
      {
        flags: "--digest <DIGEST>",
        description: "apply without asking if this is the digest of the plan, or the beginning of it",
        parse: planDigest,
      },
      {
        flags: "--reviewed",
        description: "the same, with the digest that `review` left on the merged pull request of this commit",
      },
      { flags: "--overwrite-drift", description: "overwrite edits made elsewhere" },
      {
        flags: "--recreate",
        description: "continue even though the account has none of the recorded objects",
      },
      {
        flags: "--force-behind",
        description: "go back to older values even though the commits that replaced them are not checked out",
      },
      { flags: "--force", description: "change or remove more objects than `thresholds` allow" },
      {
        flags: "--accept-duplicate <ADDRESS>",
        description: "create the object even though it may already exist; repeatable",
        repeatable: true,
      },
      {
        flags: "--smoke",
        description:
          "afterwards, check that sandbox sessions start with the presets that refer to what was applied",
      },
      sandboxAvatar,
      refresh,
      target,
      concurrency,
      ...waitForIdle,
      idleTimeout,
      lockTimeout,
    ],
    exits: [
      [2, "nothing was applied: nobody was there to ask, or sessions are still active"],
      [3, "some changes were applied, some were not"],
      [4, "an object is ambiguous"],
      [5, "the saved or reviewed plan is stale"],
      [6, "the state is locked"],
    ],
    examples: [
      ["avatarops apply", "shows the plan, asks, and applies it"],
      ["avatarops apply plan.json", "applies the saved plan and nothing else"],
      ["avatarops apply --wait-for-idle --timeout 30m", "changes no context while people are talking"],
      ["avatarops apply --digest 1:Hq2vXbCfYt0sRw3kLm9pQa", "applies what was reviewed, or ends with 5"],
    ],
    load: () => import("../commands/apply.js"),
  },
  {
    name: "pull",
    summary: "write edits made elsewhere back into the files",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["[ADDRESS...]", "the objects to pull (default: all that drifted; conflicts only if named)"]],
    options: [
      { flags: "--dry-run", description: "show what would be written, without writing it" },
      lockTimeout,
    ],
    exits: [[3, "some edits were pulled, some were not"]],
    examples: [
      ["avatarops pull", "pulls every edit made in the dashboard"],
      ["avatarops pull context.support", "pulls the live text of one object, even if its file changed too"],
    ],
    load: () => import("../commands/pull.js"),
  },
  {
    name: "export",
    summary: "export a whole account as a new project, with its state",
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["<DIR>", "the folder of the new project"]],
    options: [typescript, concurrency],
    exits: [[3, "some objects could not be read"]],
    examples: [
      [
        "avatarops export my-avatars",
        "writes avatarops.yaml and a Markdown file per context; plan is empty then",
      ],
      [
        "avatarops export --typescript my-avatars",
        "writes a package with avatarops.config.ts and a file per prompt",
      ],
    ],
    load: () => import("../commands/export.js"),
  },
  {
    name: "import",
    summary: "manage an object that exists in the account",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [
      ["[ADDRESS]", "the address of its declaration, e.g. context.support"],
      ["[ID]", "its id in the account"],
    ],
    options: [
      { flags: "--write", description: "add a declaration to the files, if the address is new" },
      { flags: "--all", description: "with --write: import everything that no file declares" },
      { flags: "--dry-run", description: "with --write: show what would be written, without writing it" },
      lockTimeout,
    ],
    exits: [[3, "some objects were imported, some were not"]],
    examples: [
      [
        "avatarops import context.support 2c5faf09-e6fd-46fd-84e3-489b10838fbf",
        "links the declaration to this object",
      ],
      [
        "avatarops import --write context.night 1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de",
        "adds a declaration for an object made in the dashboard",
      ],
    ],
    load: () => import("../commands/import.js"),
  },
];
