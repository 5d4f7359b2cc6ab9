import type { CommandFacts } from "../command.js";
import { amountOfCredits, intervalMs, listenAddress, pointInTime, timeZone } from "../parse.js";
import { flag, value } from "./option.js";
import { accountOptions, durationUnit, period } from "./shared-options.js";

/* Sessions and what they cost. */

/** With a profile: see `findSessionFilters`. */
const usedObjects = {
  context: value("--context <CONTEXT>", "only sessions with this context: its name in the files, or its id"),
  avatar: value("--avatar <AVATAR>", "only sessions with this avatar: its name in the files, or its id"),
};

export const sessionsListCommand = {
  name: "sessions list",
  summary: "list sessions with duration and credits, newest first, and totals",
  formats: ["text", "json"],
  options: {
    type: value("--type <TYPE>", "which sessions", { choices: ["active", "historic"], preset: "active" }),
    ...period,
    ...usedObjects,
    durationUnit,
    ...accountOptions,
  },
  examples: [["avatarops sessions list --type historic --format json", "lists those that have ended"]],
} as const satisfies CommandFacts;

export const sessionsShowCommand = {
  name: "sessions show",
  summary: "show one session, active or ended, and what was said in it",
  formats: ["text", "json"],
  arguments: [["<ID>", "the id of the session"]],
  options: {
    transcript: flag("--transcript", "also show what was said, if the service keeps it"),
    durationUnit,
    ...accountOptions,
  },
  examples: [
    ["avatarops sessions show 5e9e4ae1-489e-4a1b-9c2d-5ee0fe120030 --transcript", "what was said, too"],
  ],
} as const satisfies CommandFacts;

export const sessionsStopCommand = {
  name: "sessions stop",
  summary: "end sessions that are active, whoever is in them",
  arguments: [["<ID...>", "the ids of the sessions"]],
  options: { autoApprove: flag("-y, --auto-approve", "stop them without asking"), ...accountOptions },
  exits: [[7, "nothing was stopped: there is no terminal to ask on"]],
  examples: [["avatarops sessions stop 5e9e4ae1-489e-4a1b-9c2d-5ee0fe120030", "asks, and ends that session"]],
} as const satisfies CommandFacts;

export const sessionsReportCommand = {
  name: "sessions report",
  summary: "count sessions, credits and durations of a period, compared with the period before",
  formats: ["text", "markdown", "html", "json"],
  options: {
    ...period,
    ...usedObjects,
    since: value(period.since.flags, period.since.description, { preset: "30d", parse: pointInTime }),
    durationUnit,
    by: value("--by <WHAT>", "divide them into groups", {
      choices: ["day", "week", "mode", "source", "context", "avatar"],
    }),
    budget: value("--budget <CREDITS>", "exit with 2 if more were used, or 1 if unsure", {
      parse: amountOfCredits,
    }),
    ...accountOptions,
  },
  exits: [[2, "more credits were consumed than the budget allows"]],
  examples: [
    ["avatarops sessions report --since 7d --by day", "a week, compared with the one before"],
    ["avatarops sessions report --since 30d --budget 500", "for cron and CI: exits with 2 above 500 credits"],
    ["avatarops sessions report --since 30d --format html > report.html", "a page with tables and bars"],
  ],
} as const satisfies CommandFacts;

export const sessionsWatchCommand = {
  name: "sessions watch",
  summary: "watch sessions start and end, until it is stopped",
  formats: ["text", "json"],
  jsonLines: true,
  options: {
    interval: value("--interval <DURATION>", "between two polls: 5s, 1m", {
      preset: "5s",
      parse: intervalMs,
    }),
    timeZone: value("--time-zone <ZONE>", "the time zone of today (default: UTC)", { parse: timeZone }),
    durationUnit,
    ...accountOptions,
  },
  examples: [
    ["avatarops sessions watch", "a line for each session that starts or ends, and what today has cost"],
    ["avatarops sessions watch --format json | jq -c .event", "one JSON document a line, for each event"],
  ],
} as const satisfies CommandFacts;

export const sessionsServeCommand = {
  name: "sessions serve",
  summary: "serve metrics of sessions for Prometheus",
  options: {
    durationUnit,
    listen: value("--listen <ADDRESS>", "where to serve /healthz, /readyz and /metrics", {
      preset: "127.0.0.1:9464",
      parse: listenAddress,
    }),
    interval: value("--interval <DURATION>", "between two polls: 30s, 5m", {
      preset: "30s",
      parse: intervalMs,
    }),
    ...accountOptions,
  },
  examples: [["avatarops sessions serve --listen 0.0.0.0:9464", "for a Prometheus elsewhere"]],
} as const satisfies CommandFacts;
