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
import { flag, list, type OptionFacts, offSwitch, toggle, value } from "./option.js";

/* Options that several commands share. */

/** Options for commands that read the manifest. */
export const manifestOptions = {
  file: value(
    "-f, --file <FILE>",
    "the manifest (default: avatarops.yaml or avatarops.config.ts, here or above)",
  ),
  env: value("--env <NAME>", "the environment of the manifest to use"),
  allowEnv: list("--allow-env <NAME>", "restrict what !env may read; repeatable (also: AVATAROPS_ALLOW_ENV)"),
};

/**
 * Options for commands that can run for all projects of a repository. `env` replaces the option in `manifestOptions`.
 */
export const allOptions = {
  env: list("--env <NAME>", "the environment of the manifest to use; with --all repeatable (default: all)"),
  all: flag("--all", "run for all projects and environments below the current folder"),
  path: list("--path <GLOB>", "with --all: only projects in these folders (! excludes); repeatable"),
  changedSince: value(
    "--changed-since <REF>",
    "with --all: only projects with changes since this commit (default: base of CI's pull request)",
    { negated: "with --all: also projects without changes" },
  ),
};

/** Options for commands that can read an untrusted change. */
export const untrustedOptions = {
  untrusted: flag("--untrusted", "treat the files as untrusted, and do not run their code"),
  base: value("--base <REF>", "with --untrusted: the change's target branch (default: from CI)"),
};

/** Options for commands that send requests to the service. */
export const serviceOptions = {
  baseUrl: value("--base-url <URL>", "base URL of the service (overrides the manifest)"),
  pinned: flag("--pinned", "ignore base URL and key from files (also: AVATAROPS_PIN=1)"),
};

/** Options for commands that read the manifest or send requests. */
export const environmentOptions = {
  dotenv: list("--dotenv <FILE>", "read environment variables from a file; existing ones win; repeatable"),
};

export const projectOptions = { ...manifestOptions, ...environmentOptions };
export const accountOptions = { ...manifestOptions, ...serviceOptions, ...environmentOptions };
/** Options for commands that show a change. The change may be untrusted and affect several projects. */
export const changeOptions = { ...manifestOptions, ...allOptions, ...untrustedOptions };

/** Declares `--format`. The first format is the default. */
export function formatOption(formats: readonly Format[]): OptionFacts<Format> {
  const defaultText = formats[0] ?? "text";
  return value("--format <FORMAT>", "output format of the result on stdout", {
    choices: formats,
    defaultText,
  });
}

/** Options for every command. */
export const commonOptions = {
  color: offSwitch("--no-color", "disable colour (also: NO_COLOR in the environment)"),
  quiet: flag("-q, --quiet", "print only results and errors"),
};

/* Options and exit codes for commands that show a plan. */

export const detailedExitcode = flag(
  "--detailed-exitcode",
  "exit with 2 if changes are pending, 3 if a secret may have changed",
);
/** An unset variable is normal in a job that only plans. */
export const secretMayHaveChanged = "a secret may have changed (unset variables of `!env` do not count)";
export const planExits = [
  [2, "changes are pending, with `--detailed-exitcode`"],
  [3, `no changes are known, but ${secretMayHaveChanged}, with \`--detailed-exitcode\``],
  [4, "an object is ambiguous"],
] as const;

export const field = value("--field <NAME>", "the text field, e.g. opening_text (default: prompt)");

export const here = flag("--here", "change only this object, even if others share its text");

export const overwriteDrift = flag("--overwrite-drift", "overwrite dashboard edits");

/** Declares `--allow` for these gates. */
export function allowOption<const Gate extends AllowableGate>(...gates: readonly Gate[]) {
  return list("--allow <CODE>", "proceed despite the refusal with this code; repeatable", gates);
}

export const lockTimeout = value("--lock-timeout <DURATION>", "maximum wait for the state lock: 30s, 5m", {
  defaultText: "0s",
  parse: parseDurationMs,
});

export const target = list(
  "--target <ADDRESS>",
  "only objects with this address or pattern, such as 'context.sup*'; repeatable",
);

export const refresh = value("--refresh <MODE>", "read objects that may have changed, or all", {
  choices: ["auto", "full"],
  defaultText: "auto",
});

export const concurrency = value("--concurrency <N>", "maximum concurrent requests (default: 10)", {
  parse: createWholeNumberParser(1),
});

export const sandboxAvatar = value(
  "--sandbox-avatar <ID>",
  "avatar for sandbox sessions (default: `service.sandbox_avatar`)",
);

/** Options for a period (see `readPeriod`). */
export const period = {
  since: value("--since <TIME>", "only sessions created since this time: 7d, 12h, 2026-03-01", {
    parse: parsePointInTime,
  }),
  until: value("--until <TIME>", "only sessions created before this time", { parse: parsePointInTime }),
  timeZone: value("--time-zone <ZONE>", "time zone, such as Europe/Berlin (default: UTC)", {
    parse: parseTimeZone,
  }),
};

/** Option for the unit of durations (see `openAccount`). */
export const durationUnit = value(
  "--duration-unit <UNIT>",
  "unit of the service's durations (default: the project's, or AVATAROPS_SESSION_DURATION_UNIT)",
  { choices: ["seconds", "milliseconds", "minutes"] satisfies DurationUnit[] },
);

export const waitForIdle = toggle(
  "--wait-for-idle",
  "change contexts only when no session is active, except sandbox sessions",
  "do not wait, even if `service.wait_for_idle` is set",
);

export const digest = value(
  "--digest <DIGEST>",
  "continue without asking if the plan's digest starts with this",
  { parse: parsePlanDigest },
);

/** Options for commands that apply a plan. */
export const applyingOptions = {
  refresh,
  concurrency,
  waitForIdle,
  timeout: value("--timeout <DURATION>", "maximum wait for sessions to end, such as 30s (default: 10m)", {
    parse: parseDurationMs,
  }),
  lockTimeout,
};

/** Exit codes of commands that apply a plan. */
export const applyingExits = {
  partly: [3, "some changes were applied, some were not"],
  ambiguous: [4, "an object is ambiguous"],
  locked: [6, "the state is locked"],
  undecided: [7, "nothing was applied, because a decision is needed"],
} as const;
