import { withPackage } from "../peers/index.js";
import type { SessionRow } from "../sessions/index.js";
import { bucketSeconds, type DurationCount, noCounts, type SessionCounts } from "./counts.js";
import { Labels } from "./label-values.js";

/** What Prometheus reads of the sessions. */
export interface SessionMetrics {
  /** Replaces what is counted of ended sessions. Only what is kept may be shown: a counter must not go back. */
  counted(counts: SessionCounts): void;
  /** Notes a poll that has found something out; times in ms. */
  succeeded(poll: {
    readonly active: readonly SessionRow[];
    /** Entries of unknown shape, by what is wrong. */
    readonly unknown: Readonly<Record<string, number>>;
    readonly nowMs: number;
    readonly tookMs: number;
  }): void;
  /** Notes a poll that has not, with the code of its error. */
  failed(code: string): void;
  request(request: { readonly method: string; readonly status?: number }): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly now: () => number;
  /** After which the active sessions of the last successful poll are not shown any more, ms. */
  readonly staleMs: number;
}

const durationName = "avatarops_session_duration_seconds";
const durationHelp = "How long ended sessions took.";
const labelNames = ["mode", "source", "sandbox"] as const;

/** Opens a registry of our own: nothing that a library counts for itself gets into it. */
export async function openSessionMetrics({ now, staleMs }: MetricsOptions): Promise<SessionMetrics> {
  const client = await withPackage("prom-client", "avatarops sessions serve", () => import("prom-client"));
  const { Counter, Gauge, Histogram, Registry } = client;
  const registry = new Registry();
  const registers = [registry];
  let counts = noCounts;
  let active: readonly SessionRow[] = [];
  let lastSuccessMs: number | undefined;
  const isFresh = () => lastSuccessMs !== undefined && now() - lastSuccessMs <= staleMs;

  new Gauge({
    name: "avatarops_sessions_active",
    help: "Sessions that are active, as of the last poll; absent while nothing recent is known.",
    labelNames,
    registers,
    collect() {
      this.reset();
      if (!isFresh()) return;
      for (const { mode, source, sandbox } of counts.credits) this.set({ mode, source, sandbox }, 0);
      const labels = new Labels(counts.labels);
      for (const row of active) this.inc({ ...labels.of(row) });
    },
  });
  new Counter({
    name: "avatarops_sessions_ended_total",
    help: "Sessions that have ended, each counted once.",
    labelNames: [...labelNames, "reason"],
    registers,
    collect() {
      this.reset();
      for (const { sessions, ...labels } of counts.ended) this.inc(labels, sessions);
    },
  });
  new Counter({
    name: "avatarops_session_credits_total",
    help: "Credits that ended sessions have consumed.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { sum, ...labels } of counts.credits) this.inc(labels, sum);
    },
  });
  const durations = new Histogram({
    name: durationName,
    help: durationHelp,
    labelNames: ["mode", "sandbox"],
    buckets: bucketSeconds,
    registers: [],
  });
  /** A histogram that goes on where another process ended, which those of the library cannot. */
  class KeptHistogram extends Gauge {
    override async get() {
      return { ...(await durations.get()), values: counts.durations.flatMap(histogramValues) };
    }
  }
  new KeptHistogram({
    name: durationName,
    help: durationHelp,
    registers,
  });
  new Counter({
    name: "avatarops_sessions_incomplete_total",
    help: "Ended sessions that could not be added to the credits or the durations, because they state none.",
    labelNames: ["missing"],
    registers,
    collect() {
      this.reset();
      for (const [missing, sessions] of Object.entries(counts.without)) this.inc({ missing }, sessions);
    },
  });
  new Counter({
    name: "avatarops_sessions_lost_total",
    help: "Sessions that were active and never came into the list of ended ones; given up after a day.",
    registers,
    collect() {
      this.reset();
      this.inc(counts.lost);
    },
  });
  const unknown = new Gauge({
    name: "avatarops_sessions_unknown_entries",
    help: "Entries of unknown shape in the lists, as far as the last poll read them.",
    registers,
  });
  const up = new Gauge({
    name: "avatarops_sessions_up",
    help: "Whether the last poll of the service succeeded.",
    registers,
  });
  const lastSuccess = new Gauge({
    name: "avatarops_sessions_last_success_timestamp_seconds",
    help: "When a poll of the service last succeeded; 0 before the first time.",
    registers,
  });
  const tookSeconds = new Gauge({
    name: "avatarops_sessions_poll_duration_seconds",
    help: "How long the last successful poll took.",
    registers,
  });
  const polls = new Counter({
    name: "avatarops_sessions_polls_total",
    help: "Polls of the service, by how they ended.",
    labelNames: ["result"],
    registers,
  });
  const errors = new Counter({
    name: "avatarops_sessions_poll_errors_total",
    help: "Polls that failed, by the code of the error.",
    labelNames: ["code"],
    registers,
  });
  const requests = new Counter({
    name: "avatarops_sessions_service_requests_total",
    help: "Requests sent to the service, by method and status of the answer; none: there was no answer.",
    labelNames: ["method", "status"],
    registers,
  });
  for (const result of ["success", "failure"]) polls.inc({ result }, 0);

  return {
    counted(next) {
      counts = next;
    },
    succeeded(poll) {
      active = poll.active;
      lastSuccessMs = poll.nowMs;
      polls.inc({ result: "success" });
      up.set(1);
      lastSuccess.set(poll.nowMs / 1000);
      tookSeconds.set(poll.tookMs / 1000);
      unknown.set(Object.values(poll.unknown).reduce((sum, count) => sum + count, 0));
    },
    failed(code) {
      polls.inc({ result: "failure" });
      errors.inc({ code });
      up.set(0);
    },
    request: ({ method, status }) => requests.inc({ method, status: status ?? "none" }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** The series of one histogram: each bucket has the sessions of those before it, too. */
function histogramValues({ mode, sandbox, buckets, sum }: DurationCount) {
  const labels = { mode, sandbox };
  let sessions = 0;
  const values = buckets.map((own, at) => {
    sessions += own;
    return {
      metricName: `${durationName}_bucket`,
      labels: { ...labels, le: bucketSeconds[at] ?? "+Inf" },
      value: sessions,
    };
  });
  return [
    ...values,
    { metricName: `${durationName}_sum`, labels, value: sum },
    { metricName: `${durationName}_count`, labels, value: sessions },
  ];
}
