import type { CommandFacts, OptionFacts } from "./command.js";
import { emulateHelp } from "./emulate-help.js";
import { durationMs, wholeNumber } from "./parse.js";

const lockTimeout: OptionFacts = {
  flags: "--lock-timeout <DURATION>",
  description: "how long to wait for a locked state: 30s, 5m",
  preset: "0s",
  parse: durationMs,
};

const target: OptionFacts = {
  flags: "--target <ADDRESS>",
  description: "only this object, or all that match a pattern such as 'context.support-*'; repeatable",
  repeatable: true,
};

const refresh: OptionFacts = {
  flags: "--refresh <MODE>",
  description: "read what may have changed, or everything",
  choices: ["auto", "full"],
  preset: "auto",
};

const concurrency: OptionFacts = {
  flags: "--concurrency <N>",
  description: "concurrent requests (default: 8)",
  parse: wholeNumber(1),
};

/** Every command, in the order of `--help`. */
export const commands: readonly CommandFacts[] = [
  {
    name: "init",
    summary: "create a new project",
    arguments: [["[DIR]", "the project folder (default: the current one)"]],
    examples: [
      [
        "avatarops init my-avatars",
        "creates my-avatars/avatarops.yaml, a prompt, and files for git and editors",
      ],
    ],
    load: () => import("./commands/init.js"),
  },
  {
    name: "validate",
    summary: "check the files; needs no network and no secrets",
    ofProject: true,
    formats: ["text", "json", "markdown"],
    examples: [["avatarops validate", "shows every problem in every file, with its location"]],
    load: () => import("./commands/validate.js"),
  },
  {
    name: "plan",
    summary: "show what apply would change; never writes to the service",
    ofProject: true,
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
    examples: [
      ["avatarops plan", "compares the files with the account"],
      [
        "avatarops plan --out plan.json --detailed-exitcode",
        "in a pipeline: saves the plan, exits with 2 if there are changes to apply",
      ],
    ],
    load: () => import("./commands/plan.js"),
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
      { flags: "--overwrite-drift", description: "overwrite edits made elsewhere" },
      {
        flags: "--recreate",
        description: "continue although the account has none of the recorded objects",
      },
      {
        flags: "--accept-duplicate <ADDRESS>",
        description: "create the object although it may exist already; repeatable",
        repeatable: true,
      },
      refresh,
      target,
      concurrency,
      lockTimeout,
    ],
    examples: [
      ["avatarops apply", "shows the plan, asks, and applies it"],
      ["avatarops apply plan.json", "applies the saved plan and nothing else"],
    ],
    load: () => import("./commands/apply.js"),
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
    examples: [
      ["avatarops pull", "pulls every edit made in the dashboard"],
      ["avatarops pull context.support", "pulls the live text of one object, even if its file changed too"],
    ],
    load: () => import("./commands/pull.js"),
  },
  {
    name: "export",
    summary: "export a whole account as a new project, with its state",
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["<DIR>", "the folder of the new project"]],
    options: [{ flags: "--typescript", description: "write TypeScript instead of YAML" }, concurrency],
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
    load: () => import("./commands/import.js"),
  },
  {
    name: "state list",
    summary: "list managed objects with their ids",
    ofProject: true,
    formats: ["text", "json"],
    examples: [["avatarops state list", "one line per object"]],
    load: () => import("./commands/state-list.js"),
  },
  {
    name: "state show",
    summary: "show what is recorded of an object, including superseded ids",
    ofProject: true,
    formats: ["text", "json"],
    arguments: [["<ADDRESS>", "e.g. secret.llm"]],
    examples: [
      ["avatarops state show secret.llm", "shows its id and the superseded ids still in the service"],
    ],
    load: () => import("./commands/state-show.js"),
  },
  {
    name: "state mv",
    summary: "rename an object in the state, after renaming it in the files",
    ofProject: true,
    arguments: [
      ["<FROM>", "the current address"],
      ["<TO>", "the new address"],
    ],
    options: [lockTimeout],
    examples: [
      ["avatarops state mv context.support context.helpdesk", "the object keeps its id and history"],
    ],
    load: () => import("./commands/state-mv.js"),
  },
  {
    name: "state forget",
    summary: "stop managing an object; it stays in the account",
    ofProject: true,
    arguments: [["<ADDRESS...>", "the objects to forget"]],
    options: [lockTimeout],
    examples: [["avatarops state forget context.old", "the next plan no longer includes it"]],
    load: () => import("./commands/state-forget.js"),
  },
  {
    name: "state unlock",
    summary: "remove a lock that was left behind",
    ofProject: true,
    options: [{ flags: "--force", description: "even if its holder may still be running" }],
    examples: [["avatarops state unlock", "removes the lock and shows who held it, and since when"]],
    load: () => import("./commands/state-unlock.js"),
  },
  {
    name: "sessions list",
    summary: "list sessions with duration and credits, and totals",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    options: [
      {
        flags: "--type <TYPE>",
        description: "which sessions to list",
        choices: ["active", "historic"],
        preset: "active",
      },
    ],
    examples: [
      [
        "avatarops sessions list --type historic --format json",
        "lists ended sessions; sandbox sessions have totals of their own",
      ],
    ],
    load: () => import("./commands/sessions-list.js"),
  },
  {
    name: "token",
    summary: "create a session token from a preset in the manifest",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    arguments: [["<PRESET>", "a key of `sessions:`"]],
    options: [{ flags: "--sandbox", description: "use sandbox mode: no credits, about one minute" }],
    examples: [["TOKEN=$(avatarops token kiosk --sandbox)", "only the token is written to stdout"]],
    load: () => import("./commands/token.js"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of the manifest, for editors",
    options: [
      { flags: "--front-matter", description: "print the schema of the front matter of a Markdown file" },
    ],
    examples: [
      [
        "avatarops schema > avatarops.schema.json",
        "completion and validation in editors that support YAML schemas",
      ],
    ],
    load: () => import("./commands/schema.js"),
  },
  {
    name: "terraform install",
    summary: "install the Terraform provider where terraform and tofu find it",
    options: [
      {
        flags: "--dir <DIR>",
        description: "the plugin folder (default: ~/.terraform.d/plugins)",
      },
    ],
    examples: [
      [
        "avatarops terraform install > versions.tf",
        "then `terraform init` finds it without further configuration",
      ],
    ],
    load: () => import("./commands/terraform-install.js"),
  },
  {
    name: "emulate",
    summary: "run an emulator of the service on this machine",
    options: [
      { flags: "--port <PORT>", description: "0 picks a free port", preset: "0", parse: wholeNumber(0) },
      { flags: "--data <FILE>", description: "keep the data in a file between runs" },
      { flags: "--empty", description: "start with an empty account instead of the sample" },
      { flags: "--api-key <KEY>", description: "the API key to accept", preset: "test-key" },
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
      ["avatarops emulate --port 8080 --data data.json", "starts a service to experiment with"],
      ['avatarops emulate --fault "POST /v1/contexts drop-after"', "loses the first answer after the commit"],
    ],
    load: () => import("./commands/emulate.js"),
  },
];
