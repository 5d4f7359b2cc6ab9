import type { DurationUnit } from "../../../core/manifest/index.js";
import type { Format } from "../output.js";
import { durationMs, planDigest, pointInTime, timeZone, wholeNumber } from "../parse.js";
import { flag, list, type OptionFacts, offSwitch, toggle, value } from "./option.js";

/* Options of several commands. */

/** Options of commands that read the manifest. */
export const manifestOptions = {
  file: value("-f, --file <FILE>", "the manifest (default: avatarops.yaml or avatarops.config.ts)"),
  env: value("--env <NAME>", "the environment of the manifest to use"),
  allowEnv: list("--allow-env <NAME>", "restrict what !env may read; repeatable (also: AVATAROPS_ALLOW_ENV)"),
};

/** Options of commands that also take all projects of a repository, instead of `env` above. */
export const allOptions = {
  env: list("--env <NAME>", "the environment of the manifest to use; with --all repeatable (default: all)"),
  all: flag("--all", "all projects below the current folder, each with all its environments"),
  path: list("--path <GLOB>", "with --all: only projects in these folders, with ! all others; repeatable"),
  changedSince: value(
    "--changed-since <REF>",
    "with --all: only projects whose files differ from this commit's (default: the base of CI's pull request)",
    { negated: "with --all: whether the files of a project have changed or not" },
  ),
};

/** Options of commands that can read the files of a stranger. */
export const untrustedOptions = {
  untrusted: flag("--untrusted", "treat the files as a stranger's change: show it, and run nothing of it"),
  base: value("--base <REF>", "with --untrusted: what the change is proposed to (default: as CI says)"),
};

/** Options of commands that send requests to the service. */
export const serviceOptions = {
  baseUrl: value("--base-url <URL>", "address of the service; overrides the manifest"),
  pinned: flag("--pinned", "ignore address and key from files (also: AVATAROPS_PIN=1)"),
};

/** Options of commands that read the manifest or send requests. */
export const environmentOptions = {
  dotenv: list("--dotenv <FILE>", "read environment variables from a file; existing ones win; repeatable"),
};

export const projectOptions = { ...manifestOptions, ...environmentOptions };
export const accountOptions = { ...manifestOptions, ...serviceOptions, ...environmentOptions };
/** Of commands for a change of files, which may be a stranger's, and may concern several projects. */
export const changeOptions = { ...manifestOptions, ...allOptions, ...untrustedOptions };

/** The option of commands with several formats; the first is the default. */
export function formatOption(formats: readonly Format[]): OptionFacts<Format> {
  const preset = formats[0] ?? "text";
  return value("--format <FORMAT>", "output format of the result on stdout", { choices: formats, preset });
}

/** Options of every command. */
export const commonOptions = {
  color: offSwitch("--no-color", "disable colour (also: NO_COLOR in the environment)"),
  quiet: flag("-q, --quiet", "print only results and errors"),
};

/** Of commands that show a plan. */
export const detailedExitcode = flag("--detailed-exitcode", "exit with 2 if changes are pending");
export const planExits = [
  [2, "changes are pending, with `--detailed-exitcode`"],
  [4, "an object is ambiguous"],
] as const;

export const field = value("--field <NAME>", "another text than the prompt, e.g. opening_text");

export const here = flag("--here", "change no other text: write under the environment, or into the prompt");

/** What a plan may do to objects that are not as the state has them. */
export const overwritingOptions = {
  overwriteDrift: flag("--overwrite-drift", "overwrite edits made elsewhere"),
  recreate: flag("--recreate", "continue even though the account has none of the recorded objects"),
};

/** What would keep a plan from being applied. */
export const ignoringOptions = {
  ignoreHold: flag("--ignore-hold", "change objects that are on hold"),
};

export const lockTimeout = value("--lock-timeout <DURATION>", "how long to wait for a lock: 30s, 5m", {
  preset: "0s",
  parse: durationMs,
});

export const target = list(
  "--target <ADDRESS>",
  "an address, or a pattern such as 'context.sup*'; repeatable",
);

export const refresh = value("--refresh <MODE>", "read what may have changed, or everything", {
  choices: ["auto", "full"],
  preset: "auto",
});

export const concurrency = value("--concurrency <N>", "concurrent requests (default: 10)", {
  parse: wholeNumber(1),
});

export const sandboxAvatar = value("--sandbox-avatar <ID>", "an avatar (default: `service.sandbox_avatar`)");

/** The period of sessions: see `readPeriod`. */
export const period = {
  since: value("--since <TIME>", "only sessions created since: 7d, 12h, 2026-03-01", { parse: pointInTime }),
  until: value("--until <TIME>", "only sessions created before this time", { parse: pointInTime }),
  timeZone: value("--time-zone <ZONE>", "time zone, such as Europe/Berlin (default: UTC)", {
    parse: timeZone,
  }),
};

/** See `openAccount`. */
export const durationUnit = value(
  "--duration-unit <UNIT>",
  "the unit of the service's durations (default: from the project, or from AVATAROPS_SESSION_DURATION_UNIT)",
  { choices: ["seconds", "milliseconds", "minutes"] satisfies DurationUnit[] },
);

export const waitForIdle = toggle(
  "--wait-for-idle",
  "wait until no session is active before contexts are changed; sandbox sessions do not count",
  "do not wait, whatever `service.wait_for_idle` says",
);

export const digest = value(
  "--digest <DIGEST>",
  "go on without asking if this is the digest of the plan, or the beginning of it",
  { parse: planDigest },
);

/** Options of commands that carry out a plan. */
export const applyingOptions = {
  refresh,
  concurrency,
  waitForIdle,
  timeout: value(
    "--timeout <DURATION>",
    "how long to wait for idle: 30s, 10m; then nothing is written (default: 10m)",
    { parse: durationMs },
  ),
  lockTimeout,
};

/** Their further exit codes. */
export const applyingExits = {
  nothing: [2, "nothing was applied: sessions are active, or all is on hold"],
  partly: [3, "some changes were applied, some were not"],
  ambiguous: [4, "an object is ambiguous"],
  locked: [6, "the state is locked"],
  notApproved: [7, "nothing was applied: there is no terminal to ask on"],
} as const;
