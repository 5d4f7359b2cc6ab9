import { withPackage } from "../../base/optional-packages/index.js";
import { type CreditPrice, exactProduct, type SessionPoll, type SessionRow } from "../reports/index.js";
import { bucketSeconds, type DurationHistogram, noCounts, type SessionCounts } from "./counts.js";
import { SessionLabeler } from "./label-values.js";

/** What Prometheus reads of the sessions. */
export type SessionMetrics = Awaited<ReturnType<typeof openSessionMetrics>>;

type Series = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * Opens a registry of our own: nothing that a library counts for itself gets into it. `staleMs`: after which the active
 * sessions of the last successful poll are not shown any more.
 */
export async function openSessionMetrics({
  now,
  staleMs,
  price,
}: {
  readonly now: () => number;
  readonly staleMs: number;
  /** What a credit costs; without it, no money is counted. */
  readonly price?: CreditPrice | undefined;
}) {
  const client = await withPackage("prom-client", "avatarops sessions serve", () => import("prom-client"));
  const registry = new client.Registry();
  let counts = noCounts;
  let active: readonly SessionRow[] = [];
  let lastSuccessMs: number | undefined;

  const metric = (name: string, help: string, labelNames: readonly string[] = []) => ({
    ...{ name: `avatarops_${name}`, help, labelNames, registers: [registry] },
  });
  /** The same with series that are made at each scrape. */
  const made = (series: () => readonly Series[], ...described: Parameters<typeof metric>) => ({
    ...metric(...described),
    collect(this: { reset(): void; inc(labels: Series[0], value: number): void }) {
      this.reset();
      for (const [labels, value] of series()) this.inc(labels, value);
    },
  });
  const labelNames = ["mode", "source", "sandbox"] as const;

  new client.Gauge(
    made(
      () => {
        if (lastSuccessMs === undefined || now() - lastSuccessMs > staleMs) return [];
        const labels = new SessionLabeler(counts.labels);
        const known = counts.credits.map(({ sum: _, ...own }): Series => [own, 0]);
        return [...known, ...active.map((row): Series => [{ ...labels.of(row) }, 1])];
      },
      "sessions_active",
      "Sessions that are active, as of the last poll; absent while nothing recent is known.",
      labelNames,
    ),
  );
  new client.Counter(
    made(
      () => counts.ended.map(({ sessions, ...labels }) => [labels, sessions]),
      "sessions_ended_total",
      "Sessions that have ended, each counted once.",
      [...labelNames, "reason"],
    ),
  );
  new client.Counter(
    made(
      () => counts.credits.map(({ sum, ...labels }) => [labels, sum]),
      "session_credits_total",
      "Credits that ended sessions have consumed.",
      labelNames,
    ),
  );
  if (price)
    new client.Counter(
      made(
        () =>
          counts.credits.map(({ sum, ...labels }) => [
            { ...labels, currency: price.currency },
            exactProduct(sum, price.amount),
          ]),
        "session_cost_total",
        "What the credits of ended sessions cost, at the price of `service.credit_price`.",
        [...labelNames, "currency"],
      ),
    );
  const described = metric("session_duration_seconds", "How long ended sessions took.", ["mode", "sandbox"]);
  const histogram = new client.Histogram({ ...described, buckets: bucketSeconds, registers: [] });
  /** Goes on where another process ended, which the histogram of the library cannot. */
  class KeptHistogram extends client.Gauge {
    override async get() {
      const values = counts.durations.flatMap((count) => histogramValues(described.name, count));
      return { ...(await histogram.get()), values };
    }
  }
  new KeptHistogram({ ...described, labelNames: [] });
  new client.Counter(
    made(
      () => Object.entries(counts.without).map(([missing, sessions]) => [{ missing }, sessions]),
      "sessions_incomplete_total",
      "Ended sessions that could not be added to the credits or the durations, because they state none.",
      ["missing"],
    ),
  );
  new client.Counter(
    made(
      () => [[{}, counts.lost]],
      "sessions_lost_total",
      "Sessions that were active and never came into the list of ended ones; given up after a day.",
    ),
  );

  // Counts of the polls of the service begin anew with each process.
  const unknown = new client.Gauge(
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
  const tookSeconds = new client.Gauge(
    metric("sessions_poll_duration_seconds", "How long the last successful poll took."),
  );
  const polls = new client.Counter(
    metric("sessions_polls_total", "Polls of the service, by how they ended.", ["result"]),
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
  for (const result of ["success", "failure"]) polls.inc({ result }, 0);

  return {
    /** Replaces what is counted of ended sessions. Only what is kept may be shown: a counter must not go back. */
    counted(next: SessionCounts): void {
      counts = next;
    },
    /** Notes a poll that has found something out; times in ms. */
    succeeded(poll: Pick<SessionPoll, "active" | "unknown"> & { nowMs: number; tookMs: number }): void {
      active = poll.active;
      lastSuccessMs = poll.nowMs;
      polls.inc({ result: "success" });
      up.set(1);
      lastSuccess.set(poll.nowMs / 1000);
      tookSeconds.set(poll.tookMs / 1000);
      unknown.set(Object.values(poll.unknown).reduce((sum, count) => sum + count, 0));
    },
    /** Notes a poll that has not, with the code of its error. */
    failed(code: string): void {
      polls.inc({ result: "failure" });
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

/** The series of one histogram: each bucket has the sessions of those before it, too. */
function histogramValues(name: string, { mode, sandbox, buckets, sum }: DurationHistogram) {
  const labels = { mode, sandbox };
  let sessions = 0;
  const values = buckets.map((own, at) => {
    sessions += own;
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bucketSeconds[at] ?? "+Inf" },
      value: sessions,
    };
  });
  return [
    ...values,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: sessions },
  ];
}
