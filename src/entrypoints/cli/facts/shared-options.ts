import type { DurationUnit } from "../../../core/manifest/index.js";
import type { AllowableGate } from "../../../operations/index.js";
import type { Format } from "../output.js";
import {
  createWholeNumberParser,
  parseDurationMs,
  parsePlanDigest,
  parsePointInTime,
  parseTimeZone,
} from "../parse.js";
import {
  defineFlag,
  defineListOption,
  defineOffSwitch,
  defineToggle,
  defineValueOption,
  type OptionFacts,
} from "./option.js";

/* Options that several commands share. */

/** Options for commands that read the manifest. */
export const manifestOptions = {
  file: defineValueOption(
    "-f, --file <FILE>",
    "the manifest (default: avatarops.yaml or avatarops.config.ts, here or above)",
  ),
  env: defineValueOption("--env <NAME>", "select an environment from the manifest"),
  allowEnv: defineListOption(
    "--allow-env <NAME>",
    "restrict what !env may read; repeatable (also: AVATAROPS_ALLOW_ENV)",
  ),
};

/**
 * Options for commands that can run for all projects of a repository. `env` replaces the option in `manifestOptions`.
 */
export const allOptions = {
  env: defineListOption("--env <NAME>", "select an environment (with --all: repeatable, default all)"),
  all: defineFlag("--all", "run for all projects and environments below the current folder"),
  path: defineListOption(
    "--path <GLOB>",
    "with --all: only projects in these folders (! excludes); repeatable",
  ),
  changedSince: defineValueOption(
    "--changed-since <REF>",
    "with --all: only projects changed since REF (default: from CI)",
    { negated: "with --all: include projects without changes" },
  ),
};

/** Options for commands that can read an untrusted change. */
export const untrustedOptions = {
  untrusted: defineFlag("--untrusted", "treat files as untrusted, and do not run their code"),
  base: defineValueOption("--base <REF>", "with --untrusted: the change's target branch (default: from CI)"),
};

/** Options for commands that send requests to the service. */
export const serviceOptions = {
  baseUrl: defineValueOption("--base-url <URL>", "base URL of the service (overrides the manifest)"),
  pinned: defineFlag("--pinned", "ignore base URL and key from files (also: AVATAROPS_PIN=1)"),
};

/** Options for commands that read the manifest or send requests. */
export const environmentOptions = {
  dotenv: defineListOption(
    "--dotenv <FILE>",
    "read environment variables from a file; existing ones win; repeatable",
  ),
};

export const projectOptions = { ...manifestOptions, ...environmentOptions };
export const accountOptions = { ...manifestOptions, ...serviceOptions, ...environmentOptions };
/** Options for commands that show a change. The change may be untrusted and affect several projects. */
export const changeOptions = { ...manifestOptions, ...allOptions, ...untrustedOptions };

/** Declares `--format`. The first format is the default. */
export function defineFormatOption(formats: readonly Format[]): OptionFacts<Format> {
  const defaultText = formats[0] ?? "text";
  return defineValueOption("--format <FORMAT>", "output format of the result on stdout", {
    choices: formats,
    defaultText,
  });
}

/** Options for every command. */
export const commonOptions = {
  color: defineOffSwitch("--no-color", "disable color (also: NO_COLOR in the environment)"),
  quiet: defineFlag("-q, --quiet", "print only results and errors"),
};

/* Options for commands that show a plan. */
export const detailedExitcode = defineFlag(
  "--detailed-exitcode",
  "exit with 2 on changes, 3 on possible secret changes",
);
/** Does not count unset variables, because a job that only plans often lacks them. */
export const possibleSecretChange = "a secret may have changed (not counting unset `!env` variables)";
export const planExits = [
  [2, "`--detailed-exitcode` is set and changes are pending"],
  [3, `\`--detailed-exitcode\` is set and no changes are known, but ${possibleSecretChange}`],
  [4, "an object is ambiguous"],
] as const;

export const field = defineValueOption(
  "--field <NAME>",
  "the text field, e.g. opening_text (default: prompt)",
);

export const here = defineFlag("--here", "change only this object, even if others share its text");

export const overwriteDrift = defineFlag("--overwrite-drift", "overwrite dashboard edits");

/** Declares `--allow` for these gates. */
export function defineAllowOption<const Gate extends AllowableGate>(...gates: readonly Gate[]) {
  return defineListOption("--allow <CODE>", "override this gate; repeatable", gates);
}

export const lockTimeout = defineValueOption(
  "--lock-timeout <DURATION>",
  "maximum wait for the state lock: 30s, 5m",
  {
    defaultText: "0s",
    parse: parseDurationMs,
  },
);

export const target = defineListOption(
  "--target <ADDRESS>",
  "limit to this address or pattern, e.g. 'context.sup*'; repeatable",
);

export const refresh = defineValueOption("--refresh <MODE>", "read objects that may have changed, or all", {
  choices: ["auto", "full"],
  defaultText: "auto",
});

export const concurrency = defineValueOption(
  "--concurrency <N>",
  "maximum concurrent requests (default: 10)",
  {
    parse: createWholeNumberParser(1),
  },
);

export const sandboxAvatar = defineValueOption(
  "--sandbox-avatar <ID>",
  "avatar for sandbox sessions (default: `service.sandbox_avatar`)",
);

/** Options for a period (see `readPeriod`). */
export const period = {
  since: defineValueOption("--since <TIME>", "only sessions created since this time: 7d, 12h, 2026-03-01", {
    parse: parsePointInTime,
  }),
  until: defineValueOption("--until <TIME>", "only sessions created before this time", {
    parse: parsePointInTime,
  }),
  timeZone: defineValueOption("--time-zone <ZONE>", "time zone, such as Europe/Berlin (default: UTC)", {
    parse: parseTimeZone,
  }),
};

/** Option for the duration unit (see `openAccount`). */
export const durationUnit = defineValueOption(
  "--duration-unit <UNIT>",
  "unit of the service's durations (default: the project's, or AVATAROPS_SESSION_DURATION_UNIT)",
  { choices: ["seconds", "milliseconds", "minutes"] satisfies DurationUnit[] },
);

export const waitForIdle = defineToggle(
  "--wait-for-idle",
  "change contexts only while no session is active (except sandbox)",
  "do not wait, even if `service.wait_for_idle` is set",
);

export const digest = defineValueOption(
  "--digest <DIGEST>",
  "continue without asking if the plan's digest starts with this",
  { parse: parsePlanDigest },
);

/** Options for commands that apply a plan. */
export const applyOptions = {
  refresh,
  concurrency,
  waitForIdle,
  timeout: defineValueOption(
    "--timeout <DURATION>",
    "maximum wait for sessions to end: 30s, 5m (default: 10m)",
    {
      parse: parseDurationMs,
    },
  ),
  lockTimeout,
};

/** Exit codes for commands that apply a plan. */
export const applyExits = {
  partly: [3, "some changes were applied, some were not"],
  ambiguous: [4, "an object is ambiguous"],
  locked: [6, "the state is locked"],
  undecided: [7, "nothing was applied, because a decision is needed"],
} as const;
