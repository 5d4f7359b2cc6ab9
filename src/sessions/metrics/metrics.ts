import { type PackageSearch, withPackage } from "../../base/optional-packages/index.js";
import {
  type CreditPrice,
  type DurationUnit,
  durationSeconds,
  type SessionPoll,
  type SessionRow,
} from "../reports/index.js";
import { openLabeler } from "./label-values.js";

/** What Prometheus reads of the sessions. */
export type SessionMetrics = Awaited<ReturnType<typeof openSessionMetrics>>;

/** From a look at an avatar to a long consultation; sandbox sessions end after a minute (§8). */
const bucketSeconds = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];

/**
 * Opens a registry of our own: nothing that a library counts for itself gets into it. `staleMs`: after which the active
 * sessions of the last successful poll are not shown any more.
 */
export async function openSessionMetrics({
  now,
  staleMs,
  price,
  durationUnit,
  packages,
}: {
  readonly now: () => number;
  readonly staleMs: number;
  /** What a credit costs; without it, no money is counted. */
  readonly price?: CreditPrice | undefined;
  readonly durationUnit?: DurationUnit | undefined;
  readonly packages: PackageSearch;
}) {
  const client = await withPackage(
    "prom-client",
    "avatarops sessions serve",
    () => import("prom-client"),
    packages,
  );
  const registry = new client.Registry();
  const labels = openLabeler();
  /** The labels of all sessions so far. */
  const known = new Map<string, ReturnType<typeof labels.of>>();
  let lastSuccessMs: number | undefined;

  const metric = (name: string, help: string, labelNames: readonly string[] = []) => ({
    ...{ name: `avatarops_${name}`, help, labelNames, registers: [registry] },
  });
  const labelNames = ["mode", "source", "sandbox"];

  const activeSessions = new client.Gauge({
    ...metric(
      "sessions_active",
      "Sessions that are active, as of the last poll; absent while nothing recent is known.",
      labelNames,
    ),
    collect() {
      if (lastSuccessMs === undefined || now() - lastSuccessMs > staleMs) this.reset();
    },
  });
  const endedSessions = new client.Counter(
    metric("sessions_ended_total", "Sessions that have ended, each counted once.", [...labelNames, "reason"]),
  );
  const credits = new client.Counter(
    metric("session_credits_total", "Credits that ended sessions have consumed.", labelNames),
  );
  const cost =
    price &&
    new client.Counter(
      metric(
        "session_cost_total",
        "What the credits of ended sessions cost, at the price of `service.credit_price`.",
        [...labelNames, "currency"],
      ),
    );
  const seconds = new client.Histogram({
    ...metric("session_duration_seconds", "How long ended sessions took.", ["mode", "sandbox"]),
    buckets: bucketSeconds,
  });
  const incomplete = new client.Counter(
    metric(
      "sessions_incomplete_total",
      "Ended sessions that could not be added to the credits or the durations, because they state none.",
      ["missing"],
    ),
  );
  const lostSessions = new client.Counter(
    metric(
      "sessions_lost_total",
      "Sessions that were active and never came into the list of ended ones; given up after a day.",
    ),
  );
  const unknownEntries = new client.Gauge(
    metric(
      "sessions_unknown_entries",
      "Entries of unknown shape in the lists, as far as the last poll read them.",
    ),
  );
  const up = new client.Gauge(metric("sessions_up", "Whether the last poll of the service succeeded."));
  const lastSuccess = new client.Gauge(
    metric(
      "sessions_last_success_timestamp_seconds",
      "When a poll of the service last succeeded; 0 before the first time.",
    ),
  );
  const errors = new client.Counter(
    metric("sessions_poll_errors_total", "Polls that failed, by the code of the error.", ["code"]),
  );
  const requests = new client.Counter(
    metric(
      "sessions_service_requests_total",
      "Requests sent to the service, by method and status of the answer; none: there was no answer.",
      ["method", "status"],
    ),
  );
  for (const missing of ["credits", "duration"]) incomplete.inc({ missing }, 0);

  function addCredits(own: ReturnType<typeof labels.of>, consumed: number): void {
    credits.inc(own, consumed);
    if (price) cost?.inc({ ...own, currency: price.currency }, consumed * price.amount);
  }

  function count(row: SessionRow): void {
    const own = labels.of(row);
    endedSessions.inc({ ...own, reason: labels.reason(row) });
    const { credits_consumed: consumed, duration } = row;
    // A counter never goes down: what is given back is not a number that it can count.
    if (isCountable(consumed)) addCredits(own, consumed);
    else incomplete.inc({ missing: "credits" });
    if (isCountable(duration))
      seconds.observe({ mode: own.mode, sandbox: own.sandbox }, durationSeconds(duration, durationUnit));
    else incomplete.inc({ missing: "duration" });
  }

  return {
    /** Notes a poll that has succeeded now. */
    succeeded({ active, ended, lost, unknown }: SessionPoll): void {
      lastSuccessMs = now();
      for (const row of ended) count(row);
      activeSessions.reset();
      for (const row of [...active, ...ended]) known.set(JSON.stringify(labels.of(row)), labels.of(row));
      // Series begin at 0, so that a rate does not miss the first session that ends.
      for (const own of known.values()) {
        activeSessions.set(own, 0);
        addCredits(own, 0);
      }
      for (const row of active) activeSessions.inc(labels.of(row));
      lostSessions.inc(lost);
      up.set(1);
      lastSuccess.set(lastSuccessMs / 1000);
      unknownEntries.set(Object.values(unknown).reduce((sum, count) => sum + count, 0));
    },
    /** Notes a poll that has not, with the code of its error. */
    failed(code: string): void {
      errors.inc({ code });
      up.set(0);
    },
    request({ method, status }: { readonly method: string; readonly status?: number }): void {
      requests.inc({ method, status: status ?? "none" });
    },
    /** In the text format of Prometheus. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function isCountable(number: number | undefined): number is number {
  return number !== undefined && Number.isFinite(number) && number >= 0;
}
