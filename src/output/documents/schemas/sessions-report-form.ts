import * as z from "zod";
import { count, headForm, openSet } from "./form.js";

const time = z.string().describe("ISO 8601, UTC.");
const period = {
  since: time.describe("ISO 8601, UTC; belongs to it."),
  until: time.describe("ISO 8601, UTC; does not belong to it."),
};
const sums = {
  sessions: count,
  credits_consumed: z.number().describe("The exact sum, of the sessions that state credits."),
  sessions_without_credits: count.describe("How many state none."),
};
const totalsKeys = {
  ...sums,
  duration: z
    .object({ sum: z.number(), median: z.number(), p95: z.number(), longest: z.number() })
    .optional()
    .describe("Of the sessions that state one, in `duration_unit`. Absent: none does."),
  sessions_without_duration: count.describe("How many state none."),
};
const totals = z.object(totalsKeys).meta({ id: "Totals", description: "Sums of some sessions." });
const partial = z.literal(true).optional().describe("The period begins or ends within it.");
const counts = z.array(
  z
    .object({
      value: z.string().optional().describe("As the service states it. Absent: it states none."),
      sessions: count,
    })
    .meta({ id: "Count", description: "How many sessions have a value; most first." }),
);

const deployment = z
  .object({
    serial: count.describe("Of the state: `avatarops history` and `avatarops show --at` know it."),
    at: z.string().describe("The end of the apply, ISO 8601, by the clock of the machine that applied."),
    command: z.string().describe("Such as `avatarops apply`."),
    addresses: z.array(z.string()).describe("The contexts that it changed."),
    plan_digest: z.string().optional().describe("Digest of the applied plan."),
    commit: z
      .object({
        id: z.string().describe("The full id."),
        modified: z.boolean().describe("The files differed from it."),
        file: z.string().describe("The main file, relative to the repository."),
      })
      .optional()
      .describe("The commit of the files, if they are in git."),
    restored: z
      .object({
        serial: count,
        commit: z.string().optional().describe("The commit of the files of then."),
      })
      .optional()
      .describe("Of a rollback: what it went back to."),
    recovered: z
      .literal(true)
      .optional()
      .describe("An interrupted run had done it: it was recorded later, by the next one."),
  })
  .meta({ id: "Deployment", description: "An apply that changed contexts." });

export const sessionsReportForm = z
  .object({
    ...headForm("sessions-report"),
    service: z.string().describe("Base URL of the service."),
    environment: z.string().optional().describe("The chosen environment, `--env`."),
    generated_at: time.describe("When the sessions were read, by the service's clock."),
    period: z
      .object({ ...period, time_zone: z.string().describe("Of days, weeks and hours; IANA.") })
      .describe("A session belongs to the period in which it was created."),
    previous: z.object(period).describe("The period of the same length before."),
    duration_unit: openSet(["seconds", "milliseconds", "minutes"]).describe("The unit of all durations."),
    duration_unit_configured: z
      .boolean()
      .describe("`service.session_duration_unit` says so; otherwise seconds are assumed."),
    totals: totals.describe("Without sandbox sessions, as all numbers but those called so."),
    previous_totals: totals,
    sandbox: totals,
    previous_sandbox: totals,
    active: z
      .object(sums)
      .describe("Sessions of the period that have not ended: in no other number but the budget's."),
    by: openSet(["day", "week", "mode", "source", "deployment"])
      .optional()
      .describe("What the groups are, `--by`. Absent: there are none."),
    by_note: z.string().optional().describe("What the groups do not tell, in a sentence."),
    groups: z
      .array(
        z.object({
          key: z
            .string()
            .optional()
            .describe(
              "`2026-11-22`, `2026-W47`, the time of a deployment with the serial of the state, or the service's value. Absent: it states none.",
            ),
          ...totalsKeys,
          sandbox_sessions: count.describe("Sandbox sessions besides."),
          partial,
          during: z
            .object(period)
            .optional()
            .describe("By deployment: the part of the period that it covers."),
          deployment: deployment
            .optional()
            .describe("By deployment: what was applied at its begin. Absent: nothing that is known."),
        }),
      )
      .describe("Days, weeks and deployments in order, also empty ones; others by sessions, most first."),
    days: z
      .array(
        z.object({
          day: z.string().describe("Such as `2026-11-22`."),
          sessions: count,
          credits_consumed: z.number(),
          partial,
        }),
      )
      .describe("Every day of the period, in order, also empty ones."),
    hours: z
      .array(z.array(count))
      .describe("Sessions created in each hour of the week: seven days from Monday, of 24 numbers each."),
    end_reasons: counts,
    modes: counts,
    sources: counts,
    unknown_entries: count.describe("Entries of the list that are no sessions."),
    incomplete: z
      .array(
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
            "history-incomplete",
            "clocks-differ",
          ]).describe("Stable: scripts may match it."),
          count: count.optional().describe("How many sessions or entries it concerns, if known."),
          message: z.string().describe("One sentence."),
        }),
      )
      .describe("Why the numbers may be wrong. Empty: they are complete."),
    budget: z
      .object({
        credits: z.number().describe("`--budget`"),
        consumed: z.number().describe("By ended and active sessions of the period."),
        status: openSet({
          kept: "Not exceeded.",
          exceeded: "Exceeded: the command exits with 2.",
          unknown: "Not exceeded by what is known, and something is not: the command exits with 1.",
        }),
      })
      .optional()
      .describe("With `--budget`."),
    requests: count.describe("Requests sent to the service."),
  })
  .meta({
    title: "avatarops sessions report",
    description:
      "Sessions of a period, their credits and durations: the output of `avatarops sessions report --format json`.",
  });
