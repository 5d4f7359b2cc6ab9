import { withPackage } from "../../base/optional-packages/index.js";
import {
  type CycleOutcome,
  type CycleResult,
  countUnresolved,
  hasResults,
  isSuccess,
  listChanges,
  outcomeLevels,
} from "./cycle-result.js";

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

/** Outcomes with open objects for which the cycle looked at all objects. */
const unresolved: ReadonlySet<CycleOutcome> = new Set(["conflicting", "ambiguous", "partly", "held"]);

/** Duration buckets in seconds, from a cycle without changes to a cycle that writes a whole account. */
const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Opens our own registry, so libraries cannot add metrics. With several projects, cycle metrics have the label
 * `project`.
 */
export async function openMetrics(projects: readonly string[] = []) {
  const client = await withPackage("prom-client", "avatarops sync", () => import("prom-client"), {
    allowCode: false,
  });
  const { Counter, Gauge, Histogram, Registry } = client;
  const registry = new Registry();
  const registers = [registry];
  const own = projects.length > 1 ? ["project"] : [];
  const createCounter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers });
  const cycles = createCounter("avatarops_sync_cycles_total", "Cycles, by outcome.", ["outcome", ...own]);
  const seconds = new Histogram({
    name: "avatarops_sync_cycle_duration_seconds",
    help: "Duration of a cycle.",
    buckets: durationBuckets,
    labelNames: own,
    registers,
  });
  const createGauge = (name: string, help: string, labels: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labels, ...own], registers });
  const lastSuccess = createGauge(
    "avatarops_sync_last_success_timestamp_seconds",
    "Time when files and account last matched, except for skipped drift. 0 before the first match.",
  );
  const commits = createGauge(
    "avatarops_sync_commit_info",
    "Commit that the account last matched. Always 1.",
    ["commit"],
  );
  const drifted = createGauge(
    "avatarops_sync_drifted_objects",
    "Objects with dashboard edits that were skipped, as of the last conclusive cycle.",
  );
  const ambiguous = createGauge(
    "avatarops_sync_ambiguous_objects",
    "Objects that need a manual decision, as of the last conclusive cycle.",
  );
  const rotated = createGauge(
    "avatarops_sync_rotation_pending",
    "Secrets that were rotated at their source and not sent, as of the last conclusive cycle.",
  );
  const unverified = createGauge(
    "avatarops_sync_secrets_unverified",
    "Secrets that may have been rotated, as of the last conclusive cycle.",
  );
  const changes = createCounter("avatarops_sync_changes_total", "Changes to objects, by action and status.", [
    "action",
    "status",
    ...own,
  ]);
  const requests = createCounter(
    "avatarops_sync_service_requests_total",
    'Requests sent to the service, by method and response status ("none" if there was no response).',
    ["method", "status"],
  );
  // Initializes the cycle counter and these gauges with 0, so that a rate includes the first cycle.
  const several = projects.length > 1 ? projects.map((project) => ({ project })) : [{}];
  for (const label of several) {
    for (const outcome of Object.keys(outcomeLevels)) cycles.inc({ outcome, ...label }, 0);
    for (const gauge of [lastSuccess, drifted, ambiguous, rotated, unverified]) gauge.set(label, 0);
  }

  const lastCommits = new Map<string | undefined, string>();
  return {
    /** Records the metrics of a cycle that just ended. */
    cycle(result: CycleResult, { nowMs, tookMs }: { readonly nowMs: number; readonly tookMs: number }): void {
      const { outcome, commit, project, rotations } = result;
      const label = project === undefined ? {} : { project };
      cycles.inc({ outcome, ...label });
      seconds.observe(label, tookMs / 1000);
      for (const { action, status } of listChanges(result)) changes.inc({ action, status, ...label });
      if (hasResults(result) && (isSuccess(outcome) || unresolved.has(outcome))) {
        const open = countUnresolved(result);
        drifted.set(label, open.drifted);
        ambiguous.set(label, open.ambiguous);
      }
      if (rotations) {
        rotated.set(label, rotations.pending.length);
        unverified.set(label, rotations.unverified.length);
      }
      if (!isSuccess(outcome)) return;
      lastSuccess.set(label, nowMs / 1000);
      // Removes the previous commit's series. Otherwise, series would accumulate.
      const last = lastCommits.get(project);
      if (last !== undefined) commits.remove({ commit: last, ...label });
      if (commit === undefined) return;
      lastCommits.set(project, commit);
      commits.set({ commit, ...label }, 1);
    },
    request: ({ method, status }: { readonly method: string; readonly status?: number }) =>
      requests.inc({ method, status: status ?? "none" }),
    /** Renders the Prometheus text format. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
