import { tmpdir } from "node:os";
import { UsageError } from "../../../base/diagnostics/index.js";
import { isRefName, openGit, showUrl } from "../../../base/git/index.js";
import { repeat, serveMonitoring } from "../../../base/serving/index.js";
import { findCodeHost } from "../../../operations/index.js";
import {
  type CycleResult,
  createCycle,
  createCycleLog,
  hasCredentials,
  type Log,
  type Metrics,
  makeWorkFolder,
  openCheckouts,
  openLog,
  openMetrics,
  withGitToken,
} from "../../sync/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { syncCommand } from "../facts/team.js";

/** Runs until a signal ends the loop after its current work. A second signal ends the process. */
export const command: RunCommand<typeof syncCommand> = (call) =>
  call.runToEnd(async () => {
    const { host } = call;
    const followed = readFollowedBranch(call);
    const paths = call.options.path.length > 0 ? call.options.path : [""];
    const log = openLog((line) => host.stdout.write(line), host.now);
    const printWarnings = host.onWarning?.(({ name, message }) =>
      log.warn("notice", { problem: `${name}: ${message}` }),
    );
    const metrics = await openMetrics(paths);
    const environment = withGitToken(host.environment, followed.url);
    const { workDir } = call.options;
    const work = await makeWorkFolder(workDir === undefined ? tmpdir() : host.resolve(workDir), host);
    try {
      const git = { environment, signal: call.signal };
      await openGit({ ...git, folder: await work.open() });
      const inner = { ...call, host: { ...host, environment, onRequest: metrics.request } };
      const { takeOverAfter: takeOverAfterMs } = call.options;
      const found = await findCodeHost(inner, followed.url, call.options.host);
      const codeHost = found && { ...found, branch: followed.branch };
      const cycles = paths.map((folder) => {
        const cycle = createCycle(inner, openCheckouts(followed, work, git), {
          ...{ folder, takeOverAfterMs, codeHost },
          warn: (sentence) => log.warn("notice", { problem: sentence }),
        });
        const named = paths.length > 1 ? { project: folder } : {};
        return { cycle: async () => ({ ...(await cycle()), ...named }), log: createCycleLog(log) };
      });
      await follow(call, { ...followed, log, metrics, cycles });
    } finally {
      await work.remove();
      printWarnings?.();
    }
  });

interface Following {
  readonly url: string;
  readonly branch: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** One cycle per project. The cycles run in sequence. */
  readonly cycles: readonly {
    readonly cycle: () => Promise<CycleResult>;
    readonly log: ReturnType<typeof createCycleLog>;
  }[];
}

/** Maximum cycle duration. A large account on a slow service needs less. */
const maxCycleMs = 2 * 60 * 60_000;

async function follow(
  call: CommandCall<typeof syncCommand>,
  { url, branch, log, metrics, cycles }: Following,
): Promise<void> {
  const { host, signal } = call;
  const intervalMs = call.options.interval;
  let isReady = false;
  let takeOverInMs: number | undefined;
  let beganMs: number | undefined;
  const server = await serveMonitoring({
    ...{ listen: call.options.listen, metrics },
    isHealthy: () => beganMs === undefined || host.now() - beganMs < maxCycleMs,
    isReady: () => isReady && !signal.aborted,
  });
  const logStopping = () => log.info("stopping", { reason: String(signal.reason?.message ?? "") });
  signal.addEventListener("abort", logStopping, { once: true });
  try {
    const facts = { repository: showUrl(url), branch, interval_seconds: intervalMs / 1000 };
    log.info("started", { ...facts, listens_on: server.url });
    await repeat({
      intervalMs,
      signal,
      sleep: host.pause ?? host.sleep,
      dueInMs: () => takeOverInMs,
      async runCycle() {
        const results: CycleResult[] = [];
        for (const { cycle, log } of cycles) {
          if (signal.aborted) break;
          beganMs = host.now();
          const result = await cycle();
          const tookMs = host.now() - beganMs;
          beganMs = undefined;
          metrics.cycle(result, { nowMs: host.now(), tookMs });
          log.cycle(result, tookMs);
          results.push(result);
        }
        const due = results.flatMap((result) => result.takeOverInMs ?? []);
        takeOverInMs = due.length > 0 ? Math.min(...due) : undefined;
        // The process is ready once it has read any project completely, even if that project then waits for a lock,
        // sessions or a person.
        isReady ||= results.some(({ outcome }) => !["invalid", "failed", "stopped"].includes(outcome));
        // Failures are retried early. Outcomes that need a person wait for the next interval.
        return results.some(({ outcome }) => outcome === "failed" || outcome === "partly");
      },
    });
  } finally {
    signal.removeEventListener("abort", logStopping);
    await server.close();
  }
  log.info("stopped");
}

function readFollowedBranch(call: CommandCall<typeof syncCommand>): { url: string; branch: string } {
  const repo = call.options.repo?.trim();
  const { branch } = call.options;
  if (!repo) throw new UsageError("usage", "The repository to follow is not set. Set its URL with --repo.");
  if (hasCredentials(repo))
    throw new UsageError(
      "credentials-in-url",
      "The --repo URL contains credentials, which would be visible in process lists. Use AVATAROPS_GIT_TOKEN or a git credential helper.",
    );
  if (!isRefName(branch)) throw new UsageError("branch", `"${branch}" is not a valid branch name.`);
  // git runs in another folder, so a relative path is resolved here.
  const isPath = !/^[a-z][a-z\d+.-]*:\/\//i.test(repo) && !/^[^/]+:/.test(repo);
  return { url: isPath ? call.host.resolve(repo) : repo, branch };
}
