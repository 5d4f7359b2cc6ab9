import type { ReportedTotals, SessionsReportDocument } from "../../src/output/documents/index.js";

const none: ReportedTotals = {
  sessions: 0,
  credits_consumed: 0,
  sessions_without_credits: 0,
  sessions_without_duration: 0,
};
const some: ReportedTotals = {
  ...{ sessions: 4, credits_consumed: 12.5, sessions_without_credits: 1, sessions_without_duration: 1 },
  duration: { sum: 680, median: 120, p95: 462, longest: 500 },
};

/** Three-day report with every key. */
export const reportSample: SessionsReportDocument = {
  format: "avatarops/sessions-report",
  version: 1,
  service: "https://api.example.com",
  environment: "production",
  filter: { context_id: "2c5faf09-e6fd-46fd-84e3-489b10838fbf" },
  credits_left: { amount: "193.50" },
  generated_at: "2026-11-22T06:00:00.000Z",
  period: {
    since: "2026-11-20T06:00:00.000Z",
    until: "2026-11-22T06:00:00.000Z",
    time_zone: "Europe/Berlin",
  },
  previous: { since: "2026-11-18T06:00:00.000Z", until: "2026-11-20T06:00:00.000Z" },
  duration_unit: "seconds",
  duration_unit_configured: false,
  credit_price: { amount: 0.12, currency: "EUR" },
  totals: { ...some, cost: 1.5 },
  previous_totals: { ...some, sessions: 2, credits_consumed: 10, cost: 1.2 },
  sandbox: { ...none, sessions: 1, cost: 0, duration: { sum: 60, median: 60, p95: 60, longest: 60 } },
  previous_sandbox: {
    ...none,
    sessions: 1,
    cost: 0,
    duration: { sum: 61, median: 61, p95: 61, longest: 61 },
  },
  active: { sessions: 1, credits_consumed: 2, sessions_without_credits: 0, cost: 0.24 },
  by: "source",
  groups: [
    { key: "API", ...some, sessions: 3, cost: 1.5, sandbox_sessions: 1 },
    { ...none, sessions: 1, sandbox_sessions: 0, partial: true },
  ],
  days: [
    { day: "2026-11-20", sessions: 3, credits_consumed: 12.5, partial: true },
    { day: "2026-11-21", sessions: 0, credits_consumed: 0 },
    { day: "2026-11-22", sessions: 1, credits_consumed: 0, partial: true },
  ],
  end_reasons: [
    { value: "USER_DISCONNECTED", sessions: 2 },
    { value: "<b>NEW</b>", sessions: 1 },
    { sessions: 1 },
  ],
  modes: [{ value: "FULL", sessions: 4 }],
  sources: [{ value: "API", sessions: 3 }, { sessions: 1 }],
  unknown_entries: 1,
  incomplete: [
    { reason: "unstable-list", message: "The list kept changing while it was read." },
    { reason: "sessions-without-credits", count: 1, message: "1 session states no credits." },
  ],
  budget: { credits: 500, consumed: 14.5, cost: 1.74, status: "unknown" },
  requests: 3,
};

/** Returns a report by day that ends on 22 November 2026, with one session a day. */
export function createReportOfDays(many: number): SessionsReportDocument {
  const days = Array.from({ length: many }, (_, at) => ({
    day: new Date(Date.UTC(2026, 10, 23 + at - many)).toISOString().slice(0, 10),
    sessions: 1,
    credits_consumed: 12_345.25 + at,
  }));
  const groups = days.map((day) => ({ ...reportSample.totals, ...day, key: day.day, sandbox_sessions: 12 }));
  return { ...reportSample, by: "day", days, groups };
}
