import type { Registry } from "prom-client";
import { withPackage } from "../optional-packages/index.js";
import type { SessionRow } from "../sessions/index.js";
import { bucketSeconds, type DurationHistogram, noCounts, type SessionCounts } from "./counts.js";
import { SessionLabeler } from "./label-values.js";

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

const labelNames = ["mode", "source", "sandbox"] as const;

type Client = typeof import("prom-client");

/** Where metrics are made, and what they are made with. */
interface Place {
  readonly client: Client;
  readonly registers: Registry[];
}

/** Opens a registry of our own: nothing that a library counts for itself gets into it. */
export async function openSessionMetrics({ now, staleMs }: MetricsOptions): Promise<SessionMetrics> {
  const client = await withPackage("prom-client", "avatarops sessions serve", () => import("prom-client"));
  const registry = new client.Registry();
  const place = { client, registers: [registry] };
  let counts = noCounts;
  let active: readonly SessionRow[] = [];
  let lastSuccessMs: number | undefined;
  const isFresh = () => lastSuccessMs !== undefined && now() - lastSuccessMs <= staleMs;

  addActive(
    place,
    () => counts,
    () => (isFresh() ? active : undefined),
  );
  addEnded(place, () => counts);
  addDurations(place, () => counts);
  addMissing(place, () => counts);
  const polls = addPolls(place);
  return {
    counted(next) {
      counts = next;
    },
    succeeded(poll) {
      active = poll.active;
      lastSuccessMs = poll.nowMs;
      polls.succeeded(poll);
    },
    failed: polls.failed,
    request: polls.request,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** The active sessions; `active` is undefined while nothing recent is known. */
function addActive(
  { client, registers }: Place,
  counts: () => SessionCounts,
  active: () => readonly SessionRow[] | undefined,
): void {
  new client.Gauge({
    name: "avatarops_sessions_active",
    help: "Sessions that are active, as of the last poll; absent while nothing recent is known.",
    labelNames,
    registers,
    collect() {
      this.reset();
      const rows = active();
      if (!rows) return;
      for (const { mode, source, sandbox } of counts().credits) this.set({ mode, source, sandbox }, 0);
      const labels = new SessionLabeler(counts().labels);
      for (const row of rows) this.inc({ ...labels.of(row) });
    },
  });
}

/** The ended sessions and their credits. */
function addEnded({ client: { Counter }, registers }: Place, counts: () => SessionCounts): void {
  new Counter({
    name: "avatarops_sessions_ended_total",
    help: "Sessions that have ended, each counted once.",
    labelNames: [...labelNames, "reason"],
    registers,
    collect() {
      this.reset();
      for (const { sessions, ...labels } of counts().ended) this.inc(labels, sessions);
    },
  });
  new Counter({
    name: "avatarops_session_credits_total",
    help: "Credits that ended sessions have consumed.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { sum, ...labels } of counts().credits) this.inc(labels, sum);
    },
  });
}

/** The histogram of durations. It goes on where another process ended, which those of the library cannot. */
function addDurations({ client: { Gauge, Histogram }, registers }: Place, counts: () => SessionCounts): void {
  const name = "avatarops_session_duration_seconds";
  const help = "How long ended sessions took.";
  const labelNames = ["mode", "sandbox"];
  const ofLibrary = new Histogram({ name, help, labelNames, buckets: bucketSeconds, registers: [] });
  class KeptHistogram extends Gauge {
    override async get() {
      const values = counts().durations.flatMap((count) => histogramValues(name, count));
      return { ...(await ofLibrary.get()), values };
    }
  }
  new KeptHistogram({ name, help, registers });
}

/** What is missing in the counts. */
function addMissing({ client: { Counter }, registers }: Place, counts: () => SessionCounts): void {
  new Counter({
    name: "avatarops_sessions_incomplete_total",
    help: "Ended sessions that could not be added to the credits or the durations, because they state none.",
    labelNames: ["missing"],
    registers,
    collect() {
      this.reset();
      for (const [missing, sessions] of Object.entries(counts().without)) this.inc({ missing }, sessions);
    },
  });
  new Counter({
    name: "avatarops_sessions_lost_total",
    help: "Sessions that were active and never came into the list of ended ones; given up after a day.",
    registers,
    collect() {
      this.reset();
      this.inc(counts().lost);
    },
  });
}

/** The polls of the service, which begin anew with each process. */
function addPolls({
  client: { Counter, Gauge },
  registers,
}: Place): Pick<SessionMetrics, "succeeded" | "failed" | "request"> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `avatarops_sessions_${name}`, help, registers });
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `avatarops_sessions_${name}`, help, labelNames, registers });
  const unknown = gauge(
    "unknown_entries",
    "Entries of unknown shape in the lists, as far as the last poll read them.",
  );
  const up = gauge("up", "Whether the last poll of the service succeeded.");
  const lastSuccess = gauge(
    "last_success_timestamp_seconds",
    "When a poll of the service last succeeded; 0 before the first time.",
  );
  const tookSeconds = gauge("poll_duration_seconds", "How long the last successful poll took.");
  const polls = counter("polls_total", "Polls of the service, by how they ended.", ["result"]);
  const errors = counter("poll_errors_total", "Polls that failed, by the code of the error.", ["code"]);
  const requests = counter(
    "service_requests_total",
    "Requests sent to the service, by method and status of the answer; none: there was no answer.",
    ["method", "status"],
  );
  for (const result of ["success", "failure"]) polls.inc({ result }, 0);
  return {
    succeeded(poll) {
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
