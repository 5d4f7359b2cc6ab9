import * as z from "zod";
import { sessionKinds } from "../../../core/kinds/index.js";
import { array, count, createDocumentForm, object, openSet, record, text } from "./form.js";

const time = text("ISO 8601, UTC.");
const period = {
  since: time.describe("ISO 8601, UTC; inclusive."),
  until: time.describe("ISO 8601, UTC; exclusive."),
};
const sums = {
  sessions: count,
  credits_consumed: z.number().describe("Exact sum over the sessions with credits."),
  sessions_without_credits: count.describe("Sessions without `credits_consumed`."),
  cost: z
    .number()
    .describe("Cost of the credits, in the currency of `credit_price`. Omitted if all sessions lack credits.")
    .optional(),
};
const totalsKeys = {
  ...sums,
  duration: object(
    "Duration statistics, in `duration_unit`, for sessions with a duration. Omitted if there are none.",
    {
      sum: z.number(),
      median: z.number(),
      p95: z.number(),
      longest: z.number(),
    },
  ).optional(),
  sessions_without_duration: count.describe("Sessions without a duration."),
};
const totals = record("Totals", "Sums over sessions.", totalsKeys);
const partial = z
  .literal(true)
  .optional()
  .describe("Set if the period begins or ends within this day or week.");
const counts = z.array(
  record("Count", "Number of sessions with this value. Sorted by number, largest first.", {
    value: text("As sent by the service. Omitted if the service sent none.").optional(),
    sessions: count,
  }),
);

export const sessionsReportForm = createDocumentForm(
  "sessions-report",
  "avatarops sessions report",
  "Sessions in a period, with their credits and durations: the output of `avatarops sessions report --format json`.",
  {
    service: text("Base URL of the service."),
    environment: text("The chosen environment, `--env`.").optional(),
    filter: z
      .record(z.string(), z.string())
      .optional()
      .describe("Ids given with `--context` and `--avatar`."),
    generated_at: time.describe("When the sessions were read, by the service's clock."),
    period: object("A session belongs to the period in which it was created.", {
      ...period,
      time_zone: text("IANA time zone used for day and week boundaries."),
    }),
    previous: object("The preceding period of the same length.", period),
    duration_unit: openSet(["seconds", "milliseconds", "minutes"]).describe("The unit of all durations."),
    duration_unit_configured: z
      .boolean()
      .describe("Whether `service.session_duration_unit` sets the unit. Otherwise seconds are assumed."),
    credit_price: object("`service.credit_price`.", {
      amount: z.number(),
      currency: text("ISO 4217."),
    }).optional(),
    totals: totals.describe("Excludes sandbox sessions, as do all numbers that do not mention the sandbox."),
    previous_totals: totals,
    sandbox: totals,
    previous_sandbox: totals,
    active: object("Sessions in the period that have not ended. Counted only here and in the budget.", sums),
    by: openSet(["day", "week", "mode", "source", ...sessionKinds.map(({ name }) => name)])
      .optional()
      .describe("Grouping from `--by`. Omitted without that option."),
    groups: array(
      z.object({
        key: text(
          "`2026-11-22`, `2026-W47`, an address from the files, `others`, or the service's value. Omitted if there is no value.",
        ).optional(),
        ...totalsKeys,
        sandbox_sessions: count.describe("Sandbox sessions, counted separately."),
        partial,
      }),
      "Days, weeks and declared objects in order, including empty ones. Other groups are sorted by sessions, largest first.",
    ),
    days: array(
      z.object({
        day: text("Such as `2026-11-22`."),
        sessions: count,
        credits_consumed: z.number(),
        partial,
      }),
      "Every day of the period in order, including empty ones.",
    ),
    end_reasons: counts,
    modes: counts,
    sources: counts,
    unknown_entries: count.describe("List entries that are not sessions."),
    incomplete: array(
      z.object({
        reason: openSet([
          "unstable-list",
          "groups-incomplete",
          "unknown-entries",
          "unknown-values",
          "sessions-without-time",
          "sessions-in-future",
          "sessions-without-credits",
          "sessions-without-duration",
          "previous-incomplete",
        ]).describe("Stable code for scripts to match on."),
        count: count.optional().describe("Number of affected sessions or entries, if known."),
        message: text("One sentence."),
      }),
      "Reasons why the numbers may be wrong. Empty if the numbers are complete.",
    ),
    credits_left: object("Credits left in the account, if the profile provides them.", {
      amount: text("A decimal number, as sent by the service."),
    }).optional(),
    budget: object("With `--budget`.", {
      credits: z.number().describe("`--budget`"),
      consumed: z
        .number()
        .describe(
          "Credits used by the period's ended sessions, including sandbox sessions, and by its active ones.",
        ),
      cost: z.number().describe("Cost of those credits, if `service.credit_price` is set.").optional(),
      status: openSet({
        kept: "Not exceeded.",
        exceeded: "Exceeded: the command exits with 7.",
        unknown: "The known credits are within the budget, but data is missing: the command exits with 1.",
      }),
    }).optional(),
    requests: count.describe("Requests sent to the service."),
  },
);
