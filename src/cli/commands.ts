import type { CommandFacts, OptionFacts } from "./command.js";
import { emulateHelp } from "./emulate-help.js";
import { durationMs, wholeNumber } from "./parse.js";

const lockTimeout: OptionFacts = {
  flags: "--lock-timeout <DURATION>",
  description: "how long to wait when the state is locked: 30s, 5m",
  preset: "0s",
  parse: durationMs,
};

const target: OptionFacts = {
  flags: "--target <ADDRESS>",
  description: "only this object, or those of a pattern such as 'context.support-*'; repeatable",
  repeatable: true,
};

const refresh: OptionFacts = {
  flags: "--refresh <MODE>",
  description: "read what may have moved, or everything",
  choices: ["auto", "full"],
  preset: "auto",
};

const concurrency: OptionFacts = {
  flags: "--concurrency <N>",
  description: "requests in flight at once (default: 8)",
  parse: wholeNumber(1),
};

/** Every command, in the order of `--help`. */
export const commands: readonly CommandFacts[] = [
  {
    name: "init",
    summary: "make a new project that validates and plans",
    arguments: [["[DIR]", "the folder of the project (default: this one)"]],
    examples: [
      [
        "avatarops init my-avatars",
        "makes my-avatars/avatarops.yaml, a prompt, and what git and editors need",
      ],
    ],
    load: () => import("./commands/init.js"),
  },
  {
    name: "validate",
    summary: "check the files; needs no network and no secrets",
    ofProject: true,
    formats: ["text", "json", "markdown"],
    examples: [["avatarops validate", "shows every problem of every file, with its place"]],
    load: () => import("./commands/validate.js"),
  },
  {
    name: "plan",
    summary: "show what apply would do; cannot write to the service",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    options: [
      { flags: "-o, --out <FILE>", description: "save the plan, for `avatarops apply FILE`" },
      { flags: "--detailed-exitcode", description: "exit with 2 when changes are pending" },
      { flags: "--undeclared", description: "also list what the account holds and no file declares" },
      refresh,
      target,
      concurrency,
    ],
    examples: [
      ["avatarops plan", "compares the files with the account"],
      [
        "avatarops plan --out plan.json --detailed-exitcode",
        "in a pipeline: saves the plan, exits 2 if there is something to apply",
      ],
    ],
    load: () => import("./commands/plan.js"),
  },
  {
    name: "apply",
    summary: "make the account as the files say",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    arguments: [["[PLAN]", "a plan saved with `plan --out`; applied exactly, or refused as stale"]],
    options: [
      { flags: "-y, --auto-approve", description: "do not ask" },
      { flags: "--overwrite-drift", description: "write over edits made elsewhere" },
      {
        flags: "--recreate",
        description: "go on although none of the recorded objects is in the account",
      },
      {
        flags: "--accept-duplicate <ADDRESS>",
        description: "create it although there may be a second one already; repeatable",
        repeatable: true,
      },
      refresh,
      target,
      concurrency,
      lockTimeout,
    ],
    examples: [
      ["avatarops apply", "shows the plan, asks, and applies it"],
      ["avatarops apply plan.json", "applies what was saved and reviewed, and nothing else"],
    ],
    load: () => import("./commands/apply.js"),
  },
  {
    name: "pull",
    summary: "write edits made elsewhere back into the files",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [
      ["[ADDRESS...]", "the objects to pull (default: all that drifted; conflicts only when named)"],
    ],
    options: [
      { flags: "--dry-run", description: "show what would be written, and write nothing" },
      lockTimeout,
    ],
    examples: [
      ["avatarops pull", "takes over every edit made in the dashboard"],
      [
        "avatarops pull context.support",
        "takes the live text of one object, also where the file changed too",
      ],
    ],
    load: () => import("./commands/pull.js"),
  },
  {
    name: "export",
    summary: "write a whole account as a new project, with its state",
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["<DIR>", "the folder of the new project"]],
    options: [{ flags: "--typescript", description: "in TypeScript in place of YAML" }, concurrency],
    examples: [
      [
        "avatarops export my-avatars",
        "writes avatarops.yaml and a Markdown file per context; plan is empty then",
      ],
      ["avatarops export --typescript my-avatars", "writes avatarops.config.ts and a file per prompt"],
    ],
    load: () => import("./commands/export.js"),
  },
  {
    name: "import",
    summary: "take one existing object under management",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [
      ["[ADDRESS]", "where it is declared, e.g. context.support"],
      ["[ID]", "its id in the account"],
    ],
    options: [
      { flags: "--write", description: "write its definition into the files, where the address is new" },
      { flags: "--all", description: "with --write: everything that no file declares" },
      { flags: "--dry-run", description: "with --write: show what would be written, and write nothing" },
      lockTimeout,
    ],
    examples: [
      [
        "avatarops import context.support 2c5faf09-e6fd-46fd-84e3-489b10838fbf",
        "the declaration now stands for that object",
      ],
      [
        "avatarops import --write context.night 1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de",
        "declares an object of the dashboard as the project declares its others",
      ],
    ],
    load: () => import("./commands/import.js"),
  },
  {
    name: "state list",
    summary: "list what is managed, with ids",
    ofProject: true,
    formats: ["text", "json"],
    examples: [["avatarops state list", "one line an object"]],
    load: () => import("./commands/state-list.js"),
  },
  {
    name: "state show",
    summary: "show what is remembered of one object, with the ids it superseded",
    ofProject: true,
    formats: ["text", "json"],
    arguments: [["<ADDRESS>", "e.g. secret.llm"]],
    examples: [["avatarops state show secret.llm", "its id, and the stale ids still stored in the service"]],
    load: () => import("./commands/state-show.js"),
  },
  {
    name: "state mv",
    summary: "give an object another address, after renaming it in the files",
    ofProject: true,
    arguments: [
      ["<FROM>", "the address it has"],
      ["<TO>", "the address it gets"],
    ],
    options: [lockTimeout],
    examples: [
      ["avatarops state mv context.support context.helpdesk", "the object keeps its id and history"],
    ],
    load: () => import("./commands/state-mv.js"),
  },
  {
    name: "state forget",
    summary: "end the management of an object; it stays in the account",
    ofProject: true,
    arguments: [["<ADDRESS...>", "the objects to forget"]],
    options: [lockTimeout],
    examples: [["avatarops state forget context.old", "the next plan does not know it"]],
    load: () => import("./commands/state-forget.js"),
  },
  {
    name: "state unlock",
    summary: "remove a lock that was left behind",
    ofProject: true,
    options: [{ flags: "--force", description: "also when its holder may be at work" }],
    examples: [["avatarops state unlock", "says who held the lock, since when, and removes it"]],
    load: () => import("./commands/state-unlock.js"),
  },
  {
    name: "sessions list",
    summary: "list sessions with durations and credits, and their totals",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    options: [
      {
        flags: "--type <TYPE>",
        description: "which sessions",
        choices: ["active", "historic"],
        preset: "active",
      },
    ],
    examples: [
      [
        "avatarops sessions list --type historic --format json",
        "every session that has ended; sandbox sessions are also summed apart",
      ],
    ],
    load: () => import("./commands/sessions-list.js"),
  },
  {
    name: "token",
    summary: "mint a session token from a preset of the manifest",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["<PRESET>", "a key of `sessions:`"]],
    options: [{ flags: "--sandbox", description: "in sandbox mode: no credits, about a minute" }],
    examples: [["TOKEN=$(avatarops token kiosk --sandbox)", "only the token goes to stdout"]],
    load: () => import("./commands/token.js"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of the manifest, for editors",
    options: [
      { flags: "--front-matter", description: "that of the fields above the prompt in a Markdown file" },
    ],
    examples: [
      ["avatarops schema > avatarops.schema.json", "completion and checks in editors that know YAML schemas"],
    ],
    load: () => import("./commands/schema.js"),
  },
  {
    name: "terraform install",
    summary: "put the Terraform provider where terraform and tofu find it",
    options: [
      {
        flags: "--dir <DIR>",
        description: "the folder of providers (default: ~/.terraform.d/plugins)",
      },
    ],
    examples: [
      ["avatarops terraform install > versions.tf", "and `terraform init` finds it, with nothing configured"],
    ],
    load: () => import("./commands/terraform-install.js"),
  },
  {
    name: "emulate",
    summary: "run the service on this machine, to try things and to test",
    options: [
      { flags: "--port <PORT>", description: "0 for any free one", preset: "0", parse: wholeNumber(0) },
      { flags: "--data <FILE>", description: "keep the world in a file across runs" },
      { flags: "--empty", description: "start with an empty account, not with the sample" },
      { flags: "--api-key <KEY>", description: "the key it accepts", preset: "test-key" },
      {
        flags: "--fault <FAULT>",
        description: 'a fault, e.g. "POST /v1/contexts drop-after"; repeatable; see below',
        repeatable: true,
      },
      {
        flags: "--behave <BEHAVIOUR>",
        description: 'e.g. "links=merge"; repeatable; see below',
        repeatable: true,
      },
    ],
    help: emulateHelp,
    examples: [
      ["avatarops emulate --port 8080 --data world.json", "a service to play with"],
      ['avatarops emulate --fault "POST /v1/contexts drop-after"', "loses the first answer after the commit"],
    ],
    load: () => import("./commands/emulate.js"),
  },
];
