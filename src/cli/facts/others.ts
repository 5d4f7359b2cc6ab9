import type { CommandFacts } from "../command.js";
import { emulateHelp } from "../emulate-help.js";
import { durationMs, intervalMs, timeZone, wholeNumber } from "../parse.js";
import { concurrency, durationUnit, period, sandboxAvatar, sessionFilters } from "./options.js";
import { sessionsReport } from "./sessions-report.js";
import { sessionsServe } from "./sessions-serve.js";

/** Sessions, editors, Terraform, the emulator. */
export const otherCommands: readonly CommandFacts[] = [
  {
    name: "sessions list",
    summary: "list sessions with duration and credits, newest first, and totals",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "csv", "markdown"],
    options: [
      {
        flags: "--type <TYPE>",
        description: "which sessions to list",
        choices: ["active", "historic"],
        preset: "active",
      },
      ...period,
      ...sessionFilters,
      durationUnit,
    ],
    examples: [
      [
        "avatarops sessions list --type historic --format json",
        "lists ended sessions; sandbox sessions have totals of their own",
      ],
      ["avatarops sessions list --type historic --since 7d --mode FULL", "the last seven days, newest first"],
    ],
    load: () => import("../commands/sessions-list.js"),
  },
  sessionsReport,
  {
    name: "sessions watch",
    summary: "watch sessions start and end, until it is stopped",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json"],
    jsonLines: true,
    options: [
      {
        flags: "--interval <DURATION>",
        description: "time between two polls of the service: 5s, 1m",
        preset: "5s",
        parse: intervalMs,
      },
      {
        flags: "--time-zone <ZONE>",
        description: "time zone in which today begins, such as Europe/Berlin (default: UTC)",
        parse: timeZone,
      },
      durationUnit,
    ],
    examples: [
      ["avatarops sessions watch", "active sessions, credits today and the last ended ones; q leaves"],
      ["avatarops sessions watch --format json | jq -c .event", "one JSON document a line, for each event"],
    ],
    load: () => import("../commands/sessions-watch.js"),
  },
  sessionsServe,
  {
    name: "token",
    summary: "create a session token from a preset in the manifest",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "env"],
    arguments: [["<PRESET>", "a key of `sessions:`"]],
    options: [
      { flags: "--sandbox", description: "use sandbox mode: no credits, about one minute" },
      sandboxAvatar,
    ],
    examples: [
      ["TOKEN=$(avatarops token kiosk --sandbox)", "only the token is written to stdout"],
      [
        'avatarops token kiosk --format env >> "$GITHUB_ENV"',
        "for the steps that follow: AVATAROPS_SESSION_TOKEN, AVATAROPS_SESSION_ID",
      ],
    ],
    load: () => import("../commands/token.js"),
  },
  {
    name: "smoke",
    summary: "check that sandbox sessions start with the presets; uses no credits",
    ofProject: true,
    reachesService: true,
    formats: ["text", "json", "markdown"],
    arguments: [["[PRESET...]", "keys of `sessions:` (default: all)"]],
    options: [
      sandboxAvatar,
      {
        flags: "--timeout <DURATION>",
        description: "how long a session may take to be listed as active: 30s, 1m",
        preset: "10s",
        parse: durationMs,
      },
      { flags: "--require-listed", description: "fail, instead of warning, if a session is not listed" },
      concurrency,
    ],
    examples: [
      ["avatarops smoke", "requests a sandbox session for each preset, and looks for it"],
      ["avatarops apply --auto-approve --smoke", "checks the presets that refer to what changed"],
    ],
    load: () => import("../commands/smoke.js"),
  },
  {
    name: "types",
    summary: "print TypeScript types of the presets and of the placeholders they need",
    ofProject: true,
    options: [{ flags: "--check <FILE>", description: "print nothing; fail if this file is out of date" }],
    examples: [
      ["avatarops types > avatarops.d.ts", "callers of mintToken who forget a placeholder do not compile"],
      ["avatarops types --check avatarops.d.ts", "in a pipeline; needs no network and no secrets"],
    ],
    load: () => import("../commands/types.js"),
  },
  {
    name: "presets",
    summary: "print the presets with the ids of the account, for applications",
    ofProject: true,
    arguments: [["[PRESET...]", "keys of `sessions:` (default: all)"]],
    examples: [
      [
        "avatarops presets > avatarops.presets.json",
        "after an apply: mintToken reads it in the application; it holds no secret",
      ],
    ],
    load: () => import("../commands/presets.js"),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of the manifest, for editors, or of a document",
    arguments: [
      [
        "[DOCUMENT]",
        "plan, outcome, drift, diagnostics, sessions-report or smoke, as `--format json` prints them",
      ],
    ],
    options: [
      { flags: "--front-matter", description: "print the schema of the front matter of a Markdown file" },
    ],
    examples: [
      [
        "avatarops schema > avatarops.schema.json",
        "completion and validation in editors that support YAML schemas",
      ],
      ["avatarops schema plan", "what the JSON of a plan consists of, for programs that judge plans"],
    ],
    load: () => import("../commands/schema.js"),
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
    load: () => import("../commands/terraform-install.js"),
  },
  {
    name: "emulate",
    summary: "run an emulator of the service on this machine",
    options: [
      {
        flags: "--port <PORT>",
        description: "0 picks a free port (default: 8642, or that of the last run with --data)",
        parse: wholeNumber(0),
      },
      { flags: "--data <FILE>", description: "keep the data, and the port, in a file between runs" },
      { flags: "--empty", description: "start with an empty account instead of the sample" },
      {
        flags: "--sessions <N>",
        description: "start with this many ended sessions of the last 60 days instead of the sample's",
        parse: wholeNumber(0),
      },
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
      ["avatarops emulate --data data.json", "starts a service to experiment with, and to edit in a browser"],
      ['avatarops emulate --fault "POST /v1/contexts drop-after"', "loses the first answer after the commit"],
    ],
    load: () => import("../commands/emulate.js"),
  },
  {
    name: "emulate edit",
    summary: "edit an object in the emulator, as somebody would in the dashboard",
    ofProject: true,
    reachesService: true,
    arguments: [["<ADDRESS>", "a context, avatar or voice of the project, e.g. context.welcome"]],
    options: [
      { flags: "--name <NAME>", description: "rename it" },
      { flags: "--prompt <TEXT>", description: "replace its prompt" },
      { flags: "--prompt-file <FILE>", description: "replace its prompt with the text of a file" },
      { flags: "--opening-text <TEXT>", description: "replace its opening text" },
    ],
    examples: [
      ["avatarops emulate edit context.welcome --prompt 'Be brief.'", "then `avatarops plan` shows drift"],
      [
        "avatarops emulate edit context.welcome --prompt-file live.md",
        "the text of a file, as !file reads it",
      ],
    ],
    load: () => import("../commands/emulate-edit.js"),
  },
];
