import { type Attributes, definitionsFor, type Known, type Type } from "@avatarops/terraform-plugin";
import type { SessionTotals } from "../../sessions/reports/index.js";
import type { Account } from "./account/open-account.js";
import { reachable } from "./data-sources.js";

const totals = {
  sessions: { type: "number", computed: true, description: "How many." },
  duration: {
    type: "number",
    computed: true,
    description: "Sum of the durations; the unit is not documented.", // §2.7
  },
  without_duration: { type: "number", computed: true, description: "How many state no duration." },
  credits: { type: "number", computed: true, description: "Sum of the credits consumed, exact." },
  without_credits: { type: "number", computed: true, description: "How many state no credits." },
} as const satisfies Attributes;

const columns: Readonly<Record<string, readonly [type: Type, description: string]>> = {
  id: ["string", "Id of the session."],
  created_at: ["string", "When it began, ISO 8601 in UTC."],
  updated_at: ["string", "When it last changed, ISO 8601 in UTC."],
  end_at: ["string", "When it ended, if the service says so."],
  end_reason: ["string", "Why it ended, if the service says so."],
  duration: ["number", "Its duration; the unit is not documented."], // §2.7
  source: ["string", "Where it came from: DEMO, APP, API, EMBED or a value that is added later."],
  mode: ["string", "FULL, LITE or a value that is added later."],
  is_sandbox: ["bool", "Whether it is a sandbox session."],
  credits_consumed: ["number", "Credits consumed; may be a fraction."],
};

const session: Attributes = Object.fromEntries(
  Object.entries(columns).map(([name, [type, description]]) => [name, { type, description, computed: true }]),
);

/** Sessions under way or ended, and what they cost. */
export const sessionsSource = definitionsFor<Account>().dataSource({
  description:
    "The sessions of the account, active or historic, with totals. What the service does not state is null.",
  attributes: {
    type: {
      type: "string",
      required: true,
      description: "Which sessions: `active` or `historic`.",
      validate: (value) =>
        value === "active" || value === "historic"
          ? []
          : [
              {
                summary: "type must be active or historic",
                detail: "Active sessions are under way, historic ones are over.",
              },
            ],
    },
    sessions: {
      nesting: "list",
      computed: true,
      description: "The sessions, newest first.",
      attributes: session,
    },
    totals: { nesting: "single", computed: true, description: "Totals of all of them.", attributes: totals },
    sandbox_totals: {
      nesting: "single",
      computed: true,
      description: "Totals of the sandbox sessions among them.",
      attributes: totals,
    },
  },
  async read(call) {
    const open = reachable(call);
    if (!open) return null;
    const type = call.config.type === "historic" ? "historic" : "active";
    // Loaded here: most processes that terraform starts never ask for sessions.
    const { reportSessions } = await import("../../sessions/reports/index.js");
    const report = await reportSessions(open.reader, { type });
    const sessions = report.sessions.map((row) => {
      const stated = row as Readonly<Record<string, unknown>>;
      return Object.fromEntries(Object.keys(columns).map((name) => [name, stated[name] ?? null]));
    });
    return {
      type,
      sessions: sessions as readonly Known<Attributes>[],
      totals: toTotals(report.totals.all),
      sandbox_totals: toTotals(report.totals.sandbox),
    };
  },
});

function toTotals(totals: SessionTotals) {
  const { sessions, duration, credits_consumed: credits } = totals;
  const { sessions_without_duration: without_duration, sessions_without_credits: without_credits } = totals;
  return { sessions, duration, credits, without_duration, without_credits };
}
