import type { DurationUnit } from "../../manifest/index.js";
import type { OptionFacts } from "../command.js";
import { durationMs, pointInTime, timeZone, wholeNumber } from "../parse.js";

export const lockTimeout: OptionFacts = {
  flags: "--lock-timeout <DURATION>",
  description: "how long to wait for a locked state: 30s, 5m",
  preset: "0s",
  parse: durationMs,
};

export const target: OptionFacts = {
  flags: "--target <ADDRESS>",
  description: "only this object, or all that match a pattern such as 'context.support-*'; repeatable",
  repeatable: true,
};

export const refresh: OptionFacts = {
  flags: "--refresh <MODE>",
  description: "read what may have changed, or everything",
  choices: ["auto", "full"],
  preset: "auto",
};

export const concurrency: OptionFacts = {
  flags: "--concurrency <N>",
  description: "concurrent requests (default: 8)",
  parse: wholeNumber(1),
};

export const sandboxAvatar: OptionFacts = {
  flags: "--sandbox-avatar <ID>",
  description: "the avatar of sandbox mode (default: `service.sandbox_avatar`)",
};
/** The period of sessions: see `periodOf`. */
export const period: readonly OptionFacts[] = [
  {
    flags: "--since <TIME>",
    description: "only sessions created at this time or later: 7d, 12h, 2026-03-01",
    parse: pointInTime,
  },
  { flags: "--until <TIME>", description: "only sessions created before this time", parse: pointInTime },
  {
    flags: "--time-zone <ZONE>",
    description: "time zone of dates, such as Europe/Berlin (default: UTC)",
    parse: timeZone,
  },
];

/** See `loadAccount`. */
export const durationUnit: OptionFacts = {
  flags: "--duration-unit <UNIT>",
  description:
    "the unit of the service's durations (default: from the project, or from AVATAROPS_SESSION_DURATION_UNIT)",
  choices: ["seconds", "milliseconds", "minutes"] satisfies DurationUnit[],
};

/** Which sessions: see `queryOf`. */
export const sessionFilters: readonly OptionFacts[] = [
  { flags: "--mode <MODE>", description: "only sessions of this mode; repeatable", repeatable: true },
  { flags: "--source <SOURCE>", description: "only sessions from this source; repeatable", repeatable: true },
  { flags: "--sandbox", description: "only sandbox sessions" },
  { flags: "--no-sandbox", description: "only sessions that are not sandbox sessions" },
];

/** Waiting until nobody talks to an avatar. */
export const waitForIdle: readonly OptionFacts[] = [
  {
    flags: "--wait-for-idle",
    description: "wait until no session is active before contexts are changed; sandbox sessions do not count",
  },
  { flags: "--no-wait-for-idle", description: "do not wait, whatever `service.wait_for_idle` says" },
];

export const idleTimeout: OptionFacts = {
  flags: "--timeout <DURATION>",
  description: "how long to wait for idle: 30s, 10m; then nothing is written (default: 10m)",
  parse: durationMs,
};
