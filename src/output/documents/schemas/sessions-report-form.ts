import * as z from "zod";
import { sessionKinds } from "../../../core/kinds/index.js";
import { count, documentForm, list, object, openSet, record, text } from "./form.js";

const time = text("ISO 8601, UTC.");
const period = {
  since: time.describe("ISO 8601, UTC; belongs to it."),
  until: time.describe("ISO 8601, UTC; does not belong to it."),
};
const sums = {
  sessions: count,
  credits_consumed: z.number().describe("The exact sum, of the sessions that state credits."),
  sessions_without_credits: count.describe("How many state none."),
  cost: z.number().describe("What the credits cost, in the currency of `credit_price`.").optional(),
};
const totalsKeys = {
  ...sums,
  duration: object("Of the sessions that state one, in `duration_unit`. Absent: none does.", {
    sum: z.number(),
    median: z.number(),
    p95: z.number(),
    longest: z.number(),
  }).optional(),
  sessions_without_duration: count.describe("How many state none."),
};
const totals = record("Totals", "Sums of some sessions.", totalsKeys);
const partial = z.literal(true).optional().describe("The period begins or ends within it.");
const counts = z.array(
  record("Count", "How many sessions have a value; most first.", {
    value: text("As the service states it. Absent: it states none.").optional(),
    sessions: count,
  }),
);

export const sessionsReportForm = documentForm(
  "sessions-report",
  "avatarops sessions report",
  "Sessions of a period, their credits and durations: the output of `avatarops sessions report --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    filter: z.record(z.string(), z.string()).optional().describe("The ids of `--context` and `--avatar`."),
    generated_at: time.describe("When the sessions were read, by the service's clock."),
    period: object("A session belongs to the period in which it was created.", {
      ...period,
      time_zone: text("Of days and weeks; IANA."),
    }),
    previous: object("The period of the same length before.", period),
    duration_unit: openSet(["seconds", "milliseconds", "minutes"]).describe("The unit of all durations."),
    duration_unit_configured: z
      .boolean()
      .describe("`service.session_duration_unit` says so; otherwise seconds are assumed."),
    credit_price: object("`service.credit_price`.", {
      amount: z.number(),
      currency: text("ISO 4217."),
    }).optional(),
    totals: totals.describe("Without sandbox sessions, as all numbers but those called so."),
    previous_totals: totals,
    sandbox: totals,
    previous_sandbox: totals,
    active: object("Sessions of the period that have not ended: in no other number but the budget's.", sums),
    by: openSet(["day", "week", "mode", "source", ...sessionKinds.map(({ name }) => name)])
      .optional()
      .describe("What the groups are, `--by`. Absent: there are none."),
    groups: list(
      z.object({
        key: text(
          "`2026-11-22`, `2026-W47`, an address of the files or `others`, or the service's value. Absent: it states none.",
        ).optional(),
        ...totalsKeys,
        sandbox_sessions: count.describe("Sandbox sessions, counted separately."),
        partial,
      }),
      "Days, weeks and declared objects in order, also empty ones; others by sessions, most first.",
    ),
    days: list(
      z.object({
        day: text("Such as `2026-11-22`."),
        sessions: count,
        credits_consumed: z.number(),
        partial,
      }),
      "Every day of the period, in order, also empty ones.",
    ),
    end_reasons: counts,
    modes: counts,
    sources: counts,
    unknown_entries: count.describe("Entries of the list that are no sessions."),
    incomplete: list(
      z.object({
        reason: openSet([
          "unstable-list",
          "unknown-entries",
          "unknown-values",
          "sessions-without-time",
          "sessions-in-future",
          "sessions-without-credits",
          "sessions-without-duration",
          "previous-incomplete",
        ]).describe("Stable: scripts may match it."),
        count: count.optional().describe("How many sessions or entries it concerns, if known."),
        message: text("One sentence."),
      }),
      "Why the numbers may be wrong. Empty: they are complete.",
    ),
    credits_left: object("Of the account, with a profile that offers them.", {
      amount: text("A decimal number, as the service states it."),
    }).optional(),
    budget: object("With `--budget`.", {
      credits: z.number().describe("`--budget`"),
      consumed: z.number().describe("By ended and active sessions of the period."),
      cost: z.number().describe("What those cost, with `service.credit_price`.").optional(),
      status: openSet({
        kept: "Not exceeded.",
        exceeded: "Exceeded: the command exits with 2.",
        unknown: "Not exceeded by what is known, and something is not: the command exits with 1.",
      }),
    }).optional(),
    requests: count.describe("Requests sent to the service."),
  },
);
