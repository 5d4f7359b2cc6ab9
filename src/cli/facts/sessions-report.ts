import type { CommandFacts } from "../command.js";
import { amountOfCredits } from "../parse.js";
import { durationUnit, period } from "./options.js";

export const sessionsReport: CommandFacts = {
  name: "sessions report",
  summary: "count sessions, credits and durations of a period, compared with the period before",
  ofProject: true,
  reachesService: true,
  formats: ["text", "markdown", "html", "json", "csv"],
  options: [
    ...period.map((option) => (option.flags.startsWith("--since") ? { ...option, preset: "30d" } : option)),
    durationUnit,
    {
      flags: "--by <WHAT>",
      description: "group by day, week, mode or source, or compare before and after each apply",
      choices: ["day", "week", "mode", "source", "deployment"],
    },
    {
      flags: "--budget <CREDITS>",
      description: "exit with 2 if more credits were used, with 1 if that is not certain",
      parse: amountOfCredits,
    },
  ],
  exits: [[2, "more credits were consumed than the budget allows"]],
  examples: [
    [
      "avatarops sessions report --since 7d --by day",
      "the last seven days, compared with the seven days before",
    ],
    [
      "avatarops sessions report --since 2026-11-01 --time-zone Europe/Berlin",
      "November so far, in the time of Berlin",
    ],
    ["avatarops sessions report --since 30d --budget 500", "for cron and CI: exits with 2 above 500 credits"],
    [
      "avatarops sessions report --since 30d --format html > report.html",
      "one page with charts that loads nothing",
    ],
  ],
  load: () => import("../commands/sessions-report.js"),
};
