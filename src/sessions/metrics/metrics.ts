import { type PackageSearch, withPackage } from "../../base/optional-packages/index.js";
import {
  type CreditPrice,
  type DurationUnit,
  type SessionPoll,
  type SessionRow,
  toDurationSeconds,
} from "../reports/index.js";
import { openLabeler } from "./label-values.js";

export type SessionMetrics = Awaited<ReturnType<typeof openSessionMetrics>>;

/** Duration buckets, from a short visit to a long consultation. Sandbox sessions end after a minute (§8). */
const bucketSeconds = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];

/**
 * Opens a separate registry, which contains no metrics from libraries. Omits the number of active sessions if the last
 * successful poll was longer than `staleMs` ago.
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
  /** Price of a credit. Without a price, costs are not counted. */
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
  /** Labels of all sessions seen so far. */
  const known = new Map<string, ReturnType<typeof labels.getLabels>>();
  let lastSuccessMs: number | undefined;

  const createMetricOptions = (name: string, help: string, labelNames: readonly string[] = []) => ({
    ...{ name: `avatarops_${name}`, help, labelNames, registers: [registry] },
  });
  const labelNames = ["mode", "source", "sandbox"];

  const activeSessions = new client.Gauge({
    ...createMetricOptions(
      "sessions_active",
      "Sessions active at the last poll (absent if the poll is too old).",
      labelNames,
    ),
    collect() {
      if (lastSuccessMs === undefined || now() - lastSuccessMs > staleMs) this.reset();
    },
  });
  const endedSessions = new client.Counter(
    createMetricOptions("sessions_ended_total", "Ended sessions, each counted once.", [
      ...labelNames,
      "reason",
    ]),
  );
  const credits = new client.Counter(
    createMetricOptions("session_credits_total", "Credits consumed by ended sessions.", labelNames),
  );
  const cost =
    price &&
    new client.Counter(
      createMetricOptions(
        "session_cost_total",
        "Cost of ended sessions, at the price per credit in `service.credit_price`.",
        [...labelNames, "currency"],
      ),
    );
  const seconds = new client.Histogram({
    ...createMetricOptions("session_duration_seconds", "Duration of ended sessions.", ["mode", "sandbox"]),
    buckets: bucketSeconds,
  });
  const incomplete = new client.Counter(
    createMetricOptions(
      "sessions_incomplete_total",
      "Ended sessions excluded from credits or durations, because the service sent no value.",
      ["missing"],
    ),
  );
  const lostSessions = new client.Counter(
    createMetricOptions(
      "sessions_lost_total",
      "Sessions that left the active list and were not listed as ended within a day.",
    ),
  );
  const unknownEntries = new client.Gauge(
    createMetricOptions(
      "sessions_unknown_entries",
      "Unrecognized entries in the lists read by the last poll.",
    ),
  );
  const up = new client.Gauge(
    createMetricOptions("sessions_up", "Whether the last poll of the service succeeded."),
  );
  const lastSuccess = new client.Gauge(
    createMetricOptions(
      "sessions_last_success_timestamp_seconds",
      "Time of the last successful poll (0 before the first).",
    ),
  );
  const errors = new client.Counter(
    createMetricOptions("sessions_poll_errors_total", "Failed polls, by error code.", ["code"]),
  );
  const requests = new client.Counter(
    createMetricOptions(
      "sessions_service_requests_total",
      "Requests sent to the service, by method and response status (`none` if there was no response).",
      ["method", "status"],
    ),
  );
  for (const missing of ["credits", "duration"]) incomplete.inc({ missing }, 0);

  function addCredits(sessionLabels: ReturnType<typeof labels.getLabels>, consumed: number): void {
    credits.inc(sessionLabels, consumed);
    if (price) cost?.inc({ ...sessionLabels, currency: price.currency }, consumed * price.amount);
  }

  function count(row: SessionRow): void {
    const sessionLabels = labels.getLabels(row);
    endedSessions.inc({ ...sessionLabels, reason: labels.getReason(row) });
    const { credits_consumed: consumed, duration } = row;
    // Ignores negative amounts such as refunds, because a counter must not decrease.
    if (isCountable(consumed)) addCredits(sessionLabels, consumed);
    else incomplete.inc({ missing: "credits" });
    if (isCountable(duration))
      seconds.observe(
        { mode: sessionLabels.mode, sandbox: sessionLabels.sandbox },
        toDurationSeconds(duration, durationUnit),
      );
    else incomplete.inc({ missing: "duration" });
  }

  return {
    succeeded({ active, ended, lost, unknown }: SessionPoll): void {
      lastSuccessMs = now();
      for (const row of ended) count(row);
      activeSessions.reset();
      for (const row of [...active, ...ended])
        known.set(JSON.stringify(labels.getLabels(row)), labels.getLabels(row));
      // Starts series at 0, so that a rate includes the first session that ends.
      for (const sessionLabels of known.values()) {
        activeSessions.set(sessionLabels, 0);
        addCredits(sessionLabels, 0);
      }
      for (const row of active) activeSessions.inc(labels.getLabels(row));
      lostSessions.inc(lost);
      up.set(1);
      lastSuccess.set(lastSuccessMs / 1000);
      unknownEntries.set(Object.values(unknown).reduce((sum, count) => sum + count, 0));
    },
    failed(code: string): void {
      errors.inc({ code });
      up.set(0);
    },
    request({ method, status }: { readonly method: string; readonly status?: number }): void {
      requests.inc({ method, status: status ?? "none" });
    },
    /** Returns the metrics in Prometheus's text format. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function isCountable(number: number | undefined): number is number {
  return number !== undefined && Number.isFinite(number) && number >= 0;
}
