import type { CommandFacts } from "../command.js";
import { durationMs, wholeNumber } from "../parse.js";
import { flag, list, value } from "./option.js";
import { accountOptions, concurrency, projectOptions, sandboxAvatar } from "./shared-options.js";

/* Tokens, editors, Terraform, the emulator. */

export const tokenCommand = {
  name: "token",
  summary: "create a session token from a preset in the manifest",
  formats: ["text", "json"],
  arguments: [["<PRESET>", "a key of `sessions:`"]],
  options: {
    sandbox: flag("--sandbox", "use sandbox mode: no credits, about one minute"),
    sandboxAvatar,
    ...accountOptions,
  },
  examples: [["TOKEN=$(avatarops token kiosk --sandbox)", "only the token is written to stdout"]],
} as const satisfies CommandFacts;

export const smokeCommand = {
  name: "smoke",
  summary: "check that sandbox sessions start with the presets; uses no credits",
  formats: ["text", "json", "markdown"],
  arguments: [["[PRESET...]", "keys of `sessions:` (default: all)"]],
  options: {
    sandboxAvatar,
    timeout: value("--timeout <DURATION>", "how long a session may take to be listed as active: 30s, 1m", {
      preset: "10s",
      parse: durationMs,
    }),
    requireListed: flag("--require-listed", "fail, instead of warning, if a session is not listed"),
    concurrency,
    ...accountOptions,
  },
  examples: [["avatarops smoke", "requests a sandbox session for each preset, and looks for it"]],
} as const satisfies CommandFacts;

export const generateTypesCommand = {
  name: "generate types",
  summary: "print TypeScript types of the presets and of the placeholders they need",
  options: projectOptions,
  examples: [
    ["avatarops generate types > avatarops.d.ts", "calls of mintToken without a placeholder do not compile"],
  ],
} as const satisfies CommandFacts;

export const generatePresetsCommand = {
  name: "generate presets",
  summary: "print the presets with the ids of the account, for applications",
  arguments: [["[PRESET...]", "keys of `sessions:` (default: all)"]],
  options: projectOptions,
  examples: [["avatarops generate presets > avatarops.presets.json", "for mintToken; it holds no secret"]],
} as const satisfies CommandFacts;

export const generateSchemaCommand = {
  name: "generate schema",
  summary: "print the JSON Schema of the manifest, for editors, or of a document",
  arguments: [
    [
      "[DOCUMENT]",
      "a document, as `--format json` or a webhook has it",
      ["plan", "outcome", "drift", "diagnostics", "projects", "sessions-report", "smoke", "notice"],
    ],
  ],
  examples: [["avatarops generate schema > avatarops.schema.json", "for editors that support YAML schemas"]],
} as const satisfies CommandFacts;

export const completionCommand = {
  name: "completion",
  summary: "print a script that completes commands and options in bash or zsh",
  examples: [["source <(avatarops completion)", "in ~/.bashrc"]],
} as const satisfies CommandFacts;

export const terraformInstallCommand = {
  name: "terraform install",
  summary: "install the Terraform provider where terraform and tofu find it",
  options: {
    dir: value("--dir <DIR>", "the plugin folder (default: ~/.terraform.d/plugins)"),
  },
  examples: [["avatarops terraform install > versions.tf", "then `terraform init` finds it"]],
} as const satisfies CommandFacts;

export const emulateCommand = {
  name: "emulate",
  summary: "run an emulator of the service on this machine",
  options: {
    project: flag("--project", "start with the objects of the project, as if all of it had been applied"),
    // The same every time: a state belongs to the address of its account.
    port: value("--port <PORT>", "0: any free one", { preset: "8642", parse: wholeNumber(0) }),
    profile: value(
      "--profile <NAME>",
      "offer also what deployments of a profile offer beyond the interface",
      {
        choices: ["liveavatar"],
      },
    ),
    empty: flag("--empty", "start with an empty account instead of the sample"),
    fault: list(
      "--fault <FAULT>",
      'a fault, e.g. "POST /v1/contexts drop-after"; repeatable; see `avatarops help library`',
    ),
    behave: list("--behave <BEHAVIOUR>", 'e.g. "links=merge"; repeatable; see `avatarops help library`'),
    ...projectOptions,
  },
  examples: [
    ["avatarops emulate --profile liveavatar", "starts a service to experiment with"],
    ["avatarops emulate --project --env production", "starts a copy of an environment, to try changes in"],
    ['avatarops emulate --fault "POST /v1/contexts drop-after"', "loses the first answer after the commit"],
  ],
} as const satisfies CommandFacts;

export const emulateEditCommand = {
  name: "emulate edit",
  summary: "edit an object in the emulator, as somebody would in the dashboard",
  arguments: [["<ADDRESS>", "a context, avatar or voice of the project, e.g. context.welcome"]],
  options: {
    name: value("--name <NAME>", "rename it"),
    prompt: value("--prompt <TEXT>", "replace its prompt"),
    openingText: value("--opening-text <TEXT>", "replace its opening text"),
    ...accountOptions,
  },
  examples: [
    ["avatarops emulate edit context.welcome --prompt 'Be brief.'", "`avatarops plan` then shows drift"],
  ],
} as const satisfies CommandFacts;
