import type { CommandFacts } from "../command.js";
import {
  parseCredits,
  parseIntervalMs,
  parseListenAddress,
  parsePointInTime,
  parseTimeZone,
} from "../parse.js";
import { defineFlag, defineValueOption } from "./option.js";
import { accountOptions, durationUnit, period } from "./shared-options.js";

/* Commands for sessions and their costs. */

/** Filters that need a profile (see `findSessionFilters`). */
const usedObjects = {
  context: defineValueOption("--context <CONTEXT>", "list only sessions with this context (name or id)"),
  avatar: defineValueOption("--avatar <AVATAR>", "list only sessions with this avatar (name or id)"),
};

export const sessionsListCommand = {
  name: "sessions list",
  summary: "list sessions with duration, credits and totals, newest first",
  formats: ["text", "json"],
  options: {
    type: defineValueOption("--type <TYPE>", "which sessions", {
      choices: ["active", "historic"],
      defaultText: "active",
    }),
    ...period,
    ...usedObjects,
    durationUnit,
    ...accountOptions,
  },
  examples: [["avatarops sessions list --type historic --format json", "lists ended sessions"]],
} as const satisfies CommandFacts;

export const sessionsShowCommand = {
  name: "sessions show",
  summary: "show an active or ended session, optionally with transcript",
  formats: ["text", "json"],
  arguments: [["<ID>", "the session id"]],
  options: {
    transcript: defineFlag("--transcript", "also show the transcript, if the service keeps it"),
    durationUnit,
    ...accountOptions,
  },
  examples: [
    [
      "avatarops sessions show 5e9e4ae1-489e-4a1b-9c2d-5ee0fe120030 --transcript",
      "shows the session and its transcript",
    ],
  ],
} as const satisfies CommandFacts;

export const sessionsStopCommand = {
  name: "sessions stop",
  summary: "end active sessions, even with people in them",
  arguments: [["<ID...>", "the session ids"]],
  options: {
    autoApprove: defineFlag("-y, --auto-approve", "stop the sessions without asking"),
    ...accountOptions,
  },
  exits: [
    [3, "some sessions were stopped, some were not"],
    [7, "nothing was stopped, because confirmation needs a terminal"],
  ],
  examples: [
    ["avatarops sessions stop 5e9e4ae1-489e-4a1b-9c2d-5ee0fe120030", "ends the session after you confirm"],
  ],
} as const satisfies CommandFacts;

export const sessionsReportCommand = {
  name: "sessions report",
  summary: "report sessions, credits and durations, compared with the previous period",
  formats: ["text", "markdown", "html", "json"],
  options: {
    ...period,
    ...usedObjects,
    since: defineValueOption(period.since.flags, period.since.description, {
      defaultText: "30d",
      parse: parsePointInTime,
    }),
    durationUnit,
    by: defineValueOption("--by <WHAT>", "group sessions by this property", {
      choices: ["day", "week", "mode", "source", "context", "avatar"],
    }),
    budget: defineValueOption("--budget <CREDITS>", "exit with 7 if over budget, 1 if unknown", {
      parse: parseCredits,
    }),
    ...accountOptions,
  },
  exits: [[7, "sessions used more credits than the budget"]],
  examples: [
    ["avatarops sessions report --since 7d --by day", "compares a week with the one before"],
    ["avatarops sessions report --since 30d --budget 500", "for cron and CI: exits with 7 above 500 credits"],
    [
      "avatarops sessions report --since 30d --format html > report.html",
      "writes a page with tables and daily charts",
    ],
  ],
} as const satisfies CommandFacts;

export const sessionsWatchCommand = {
  name: "sessions watch",
  summary: "watch sessions start and end, until interrupted",
  formats: ["text", "json"],
  jsonLines: true,
  options: {
    interval: defineValueOption("--interval <DURATION>", "time between polls: 5s, 1m", {
      defaultText: "5s",
      parse: parseIntervalMs,
    }),
    timeZone: defineValueOption("--time-zone <ZONE>", "time zone for today's total (default: UTC)", {
      parse: parseTimeZone,
    }),
    durationUnit,
    ...accountOptions,
  },
  examples: [
    ["avatarops sessions watch", "prints each session that starts or ends, and today's cost"],
    ["avatarops sessions watch --format json | jq -c .event", "prints each event as one line of JSON"],
  ],
} as const satisfies CommandFacts;

export const sessionsServeCommand = {
  name: "sessions serve",
  summary: "serve session metrics for Prometheus",
  options: {
    durationUnit,
    listen: defineValueOption("--listen <ADDRESS>", "where to serve /healthz, /readyz and /metrics", {
      defaultText: "127.0.0.1:9464",
      parse: parseListenAddress,
    }),
    interval: defineValueOption("--interval <DURATION>", "time between polls: 30s, 5m", {
      defaultText: "30s",
      parse: parseIntervalMs,
    }),
    ...accountOptions,
  },
  examples: [
    ["avatarops sessions serve --listen 0.0.0.0:9464", "serves metrics to Prometheus on another machine"],
  ],
} as const satisfies CommandFacts;
