import type { Service } from "../../core/api/index.js";
import type { ApplyEvent } from "../../core/engine/index.js";
import { renderProgressText } from "../../output/render/index.js";
import { type Host, isLive } from "./host.js";
import type { Output } from "./output.js";

interface ProgressTarget {
  readonly host: Host;
  readonly output: Output;
}

const eraseLine = "\r\u001B[2K";

/** Shows an apply's progress, with one line per completed change. A terminal also gets a status line below. */
export async function showProgress<Result>(
  { host, output }: ProgressTarget,
  work: (on: (event: ApplyEvent) => void) => Promise<Result>,
): Promise<Result> {
  const live = isLive(host, host.stderr) && !output.quiet;
  const running = new Map<string, ApplyEvent>();
  const formatStatus = () => {
    const latest = [...running.values()].at(-1);
    // Leaves one column free, because a full line would wrap and could not be erased.
    return latest
      ? renderProgressText(latest, { ...output.stderrText, width: output.stderrText.width - 1 })
      : "";
  };
  try {
    return await work((event) => {
      if (event.type === "started") running.set(event.address, event);
      if (event.type === "finished") running.delete(event.result.address);
      if (live) host.stderr.write(eraseLine);
      // Skips changes that a stopped apply did not start, because the outcome lists them.
      const result = event.type === "finished" ? event.result : undefined;
      const isNotBegun = result?.status === "skipped" && result.problem?.code === "cancelled";
      if (event.type !== "started" && !isNotBegun)
        output.progress(renderProgressText(event, output.stderrText));
      if (live) host.stderr.write(formatStatus());
    });
  } finally {
    if (live) host.stderr.write(eraseLine);
  }
}

/** Output during a long read. */
export interface ReadProgress {
  showStatus(sentence: string): void;
  /** Erases the progress line before a result is written, because both may share a terminal. */
  clear(): void;
}

/** Shows progress during a long read. Prints nothing for a quick read, or with --quiet. */
export async function showReading<Result>(
  { host, output }: ProgressTarget,
  { requests }: Pick<Service, "requests">,
  work: (say: ReadProgress["showStatus"], reading: ReadProgress) => Promise<Result>,
): Promise<Result> {
  const live = isLive(host, host.stderr);
  const before = requests.total;
  let isShown = false;
  const clear = () => {
    if (isShown) host.stderr.write(eraseLine);
    isShown = false;
  };
  const show = () => {
    const made = { type: "reading", requests: requests.total - before } as const;
    if (!live) return output.progress(renderProgressText(made, output.stderrText));
    clear();
    const width = output.stderrText.width - 1;
    host.stderr.write(renderProgressText(made, { ...output.stderrText, width }));
    isShown = true;
  };
  const showStatus = (sentence: string) => {
    clear();
    output.info(sentence);
  };
  const everyMs = host.waits?.progressMs ?? (live ? 250 : 5_000);
  const timer = output.quiet ? undefined : setInterval(show, everyMs).unref();
  try {
    return await work(showStatus, { showStatus, clear });
  } finally {
    clearInterval(timer);
    clear();
  }
}
