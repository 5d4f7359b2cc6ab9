import { withPackage } from "../../base/optional-packages/index.js";
import { type CycleResult, changesIn, countOpen, isSuccess, outcomeLevels } from "./cycle-result.js";

/** What Prometheus reads. */
export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

/** Seconds: from a cycle that finds nothing to do, to one that writes a whole account. */
const durationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * Opens a registry of our own: nothing that a library counts for itself gets into it. With several projects, what is said of
 * cycles has the label `project`; with one there is none.
 */
export async function openMetrics(projects: readonly string[] = []) {
  const client = await withPackage("prom-client", "avatarops sync", () => import("prom-client"), {
    allowCode: false,
  });
  const { Counter, Gauge, Histogram, Registry } = client;
  const registry = new Registry();
  const registers = [registry];
  const own = projects.length > 1 ? ["project"] : [];
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name, help, labelNames, registers });
  const cycles = counter("avatarops_sync_cycles_total", "Cycles, by how they ended.", ["outcome", ...own]);
  const seconds = new Histogram({
    name: "avatarops_sync_cycle_duration_seconds",
    help: "How long a cycle took.",
    buckets: durationBuckets,
    labelNames: own,
    registers,
  });
  const gauge = (name: string, help: string, labels: readonly string[] = []) =>
    new Gauge({ name, help, labelNames: [...labels, ...own], registers });
  const lastSuccess = gauge(
    "avatarops_sync_last_success_timestamp_seconds",
    "When files and account last agreed, but for drift that is left alone; 0 before the first time.",
  );
  const commits = gauge(
    "avatarops_sync_commit_info",
    "The commit with which the account last agreed; always 1.",
    ["commit"],
  );
  const drifted = gauge(
    "avatarops_sync_drifted_objects",
    "Objects that were edited elsewhere and are left alone, as of the last cycle that could tell.",
  );
  const ambiguous = gauge(
    "avatarops_sync_ambiguous_objects",
    "Objects that need a decision by a person, as of the last cycle that could tell.",
  );
  const rotated = gauge(
    "avatarops_sync_rotation_pending",
    "Secrets that were rotated at their source, and whose new value is not sent, as of the last cycle that could tell.",
  );
  const unverified = gauge(
    "avatarops_sync_secrets_unverified",
    "Secrets of which it is unknown whether they were rotated, as of the last cycle that could tell.",
  );
  const changes = counter(
    "avatarops_sync_changes_total",
    "Changes to objects, by action and by how they ended.",
    ["action", "status", ...own],
  );
  const requests = counter(
    "avatarops_sync_service_requests_total",
    "Requests sent to the service, by method and status of the answer; none: there was no answer.",
    ["method", "status"],
  );
  // Present from the start, so that a rate does not miss the first one.
  const several = projects.length > 1 ? projects.map((project) => ({ project })) : [{}];
  for (const label of several) {
    for (const outcome of Object.keys(outcomeLevels)) cycles.inc({ outcome, ...label }, 0);
    for (const gauge of [lastSuccess, drifted, ambiguous, rotated, unverified]) gauge.set(label, 0);
  }

  const lastCommits = new Map<string | undefined, string>();
  return {
    /** Notes a cycle that ended now. */
    cycle(result: CycleResult, { nowMs, tookMs }: { readonly nowMs: number; readonly tookMs: number }): void {
      const { outcome, commit, project, rotations } = result;
      const label = project === undefined ? {} : { project };
      cycles.inc({ outcome, ...label });
      seconds.observe(label, tookMs / 1000);
      for (const { action, status } of changesIn(result)) changes.inc({ action, status, ...label });
      if (isSuccess(outcome) || ["conflicting", "ambiguous", "partly"].includes(outcome)) {
        const open = countOpen(result);
        drifted.set(label, open.drifted);
        ambiguous.set(label, open.ambiguous);
      }
      if (rotations) {
        rotated.set(label, rotations.pending.length);
        unverified.set(label, rotations.unverified.length);
      }
      if (!isSuccess(outcome)) return;
      lastSuccess.set(label, nowMs / 1000);
      // One at a time: a series for each commit would never go away.
      const last = lastCommits.get(project);
      if (last !== undefined) commits.remove({ commit: last, ...label });
      if (commit === undefined) return;
      lastCommits.set(project, commit);
      commits.set({ commit, ...label }, 1);
    },
    request: ({ method, status }: { readonly method: string; readonly status?: number }) =>
      requests.inc({ method, status: status ?? "none" }),
    /** In the text format of Prometheus. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
