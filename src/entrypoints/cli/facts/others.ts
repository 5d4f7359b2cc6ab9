import type { CommandFacts } from "../command.js";
import { createWholeNumberParser, parseDurationMs } from "../parse.js";
import { defineFlag, defineListOption, defineValueOption } from "./option.js";
import { accountOptions, concurrency, projectOptions, sandboxAvatar } from "./shared-options.js";

/* Commands for tokens, editors, Terraform and the emulator. */

export const tokenCommand = {
  name: "token",
  summary: "create a session token from a preset in the manifest",
  formats: ["text", "json"],
  arguments: [["<PRESET>", "the preset, a key under `sessions:`"]],
  options: {
    sandbox: defineFlag("--sandbox", "use sandbox mode: no credits, about one minute"),
    sandboxAvatar,
    ...accountOptions,
  },
  examples: [["TOKEN=$(avatarops token kiosk --sandbox)", "writes only the token to stdout"]],
} as const satisfies CommandFacts;

export const smokeCommand = {
  name: "smoke",
  summary: "check that sandbox sessions start with the presets (no credits)",
  formats: ["text", "json", "markdown"],
  arguments: [["[PRESET...]", "keys under `sessions:` (default: all)"]],
  options: {
    sandboxAvatar,
    timeout: defineValueOption("--timeout <DURATION>", "maximum wait for a session to be listed: 30s, 1m", {
      defaultText: "10s",
      parse: parseDurationMs,
    }),
    requireListed: defineFlag("--require-listed", "fail, instead of warning, if a session is not listed"),
    concurrency,
    ...accountOptions,
  },
  examples: [["avatarops smoke", "starts a sandbox session with each preset"]],
} as const satisfies CommandFacts;

export const generateTypesCommand = {
  name: "generate types",
  summary: "print TypeScript types for presets and their placeholders",
  options: projectOptions,
  examples: [
    [
      "avatarops generate types > avatarops.d.ts",
      "makes the compiler reject mintToken calls that lack a placeholder",
    ],
  ],
} as const satisfies CommandFacts;

export const generatePresetsCommand = {
  name: "generate presets",
  summary: "print presets with account ids, for applications",
  arguments: [["[PRESET...]", "keys under `sessions:` (default: all)"]],
  options: projectOptions,
  examples: [
    ["avatarops generate presets > avatarops.presets.json", "writes a file for mintToken, without secrets"],
  ],
} as const satisfies CommandFacts;

export const generateSchemaCommand = {
  name: "generate schema",
  summary: "print the JSON Schema of the manifest or a document",
  arguments: [
    [
      "[DOCUMENT]",
      "a document of `--format json` or a webhook (default: the manifest)",
      ["plan", "outcome", "drift", "diagnostics", "projects", "sessions-report", "smoke", "notice"],
    ],
  ],
  examples: [
    ["avatarops generate schema > avatarops.schema.json", "writes a schema for editors with YAML support"],
  ],
} as const satisfies CommandFacts;

export const completionCommand = {
  name: "completion",
  summary: "print a completion script for a shell",
  arguments: [
    ["<SHELL>", "the shell", ["bash", "zsh", "fish", "powershell"]],
    ["[LINE]", "the command line to complete (used by the scripts)"],
  ],
  examples: [
    ["source <(avatarops completion bash)", "enables completion in bash (add this line to ~/.bashrc)"],
    ["source <(avatarops completion zsh)", "enables completion in zsh; add it to ~/.zshrc, below compinit"],
    ["avatarops completion fish > ~/.config/fish/completions/avatarops.fish", "enables completion in fish"],
    [
      "avatarops completion powershell | Out-String | Invoke-Expression",
      "enables completion in PowerShell; add it to $PROFILE",
    ],
  ],
} as const satisfies CommandFacts;

export const terraformInstallCommand = {
  name: "terraform install",
  summary: "install the Terraform provider for terraform and tofu",
  options: {
    dir: defineValueOption("--dir <DIR>", "the plugin folder (default: ~/.terraform.d/plugins)"),
  },
  examples: [["avatarops terraform install > versions.tf", "installs the provider (next: `terraform init`)"]],
} as const satisfies CommandFacts;

export const emulateCommand = {
  name: "emulate",
  summary: "run an emulator of the service on this machine",
  options: {
    project: defineFlag("--project", "start with the project's objects, as if applied"),
    // The default port is fixed, because a state records the account's base URL, which contains the port.
    port: defineValueOption("--port <PORT>", "port to listen on (0: any free port)", {
      defaultText: "8642",
      parse: createWholeNumberParser(0),
    }),
    profile: defineValueOption("--profile <NAME>", "emulate the extra features of a profile", {
      choices: ["liveavatar"],
    }),
    empty: defineFlag("--empty", "start with an empty account instead of the sample"),
    fault: defineListOption(
      "--fault <FAULT>",
      'inject a fault, e.g. "POST /v1/contexts drop-after"; repeatable; see `avatarops help library`',
    ),
    behave: defineListOption(
      "--behave <BEHAVIOR>",
      'vary a behavior, e.g. "links=merge"; repeatable; see `avatarops help library`',
    ),
    ...projectOptions,
  },
  examples: [
    ["avatarops emulate --profile liveavatar", "starts a service to experiment with"],
    [
      "avatarops emulate --project --env production",
      "starts a copy of an environment for trying out changes",
    ],
    [
      'avatarops emulate --fault "POST /v1/contexts drop-after"',
      "executes the first create, and drops its response",
    ],
  ],
} as const satisfies CommandFacts;

export const emulateEditCommand = {
  name: "emulate edit",
  summary: "simulate a dashboard edit to an object in the emulator",
  arguments: [["<ADDRESS>", "a context, avatar or voice in the project, e.g. context.welcome"]],
  options: {
    name: defineValueOption("--name <NAME>", "rename it"),
    prompt: defineValueOption("--prompt <TEXT>", "replace its prompt"),
    openingText: defineValueOption("--opening-text <TEXT>", "replace its opening text"),
    ...accountOptions,
  },
  examples: [
    ["avatarops emulate edit context.welcome --prompt 'Be brief.'", "makes `avatarops plan` show drift"],
  ],
} as const satisfies CommandFacts;
