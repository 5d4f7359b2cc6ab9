import type { Service } from "../api/index.js";
import type { ApplyEvent } from "../engine/index.js";
import { renderProgressText } from "../render/index.js";
import type { Call } from "./command.js";

const eraseLine = "\r\u001B[2K";

/**
 * Shows the progress of an apply. On a terminal, one changing line below a growing list of completed changes;
 * elsewhere, one plain line per completed change.
 */
export function showProgress({ host, output }: Call): { show: (event: ApplyEvent) => void; end: () => void } {
  const live = host.stderr.isTTY === true && !output.quiet;
  const running = new Map<string, ApplyEvent>();
  const status = () => {
    const latest = [...running.values()].at(-1);
    // One column stays free: a full line would wrap and could not be erased.
    return latest
      ? renderProgressText(latest, { ...output.stderrText, width: output.stderrText.width - 1 })
      : "";
  };
  return {
    show(event) {
      if (event.type === "started") running.set(event.address, event);
      if (event.type === "finished") running.delete(event.result.address);
      if (live) host.stderr.write(eraseLine);
      if (event.type !== "started" && !isNotBegun(event))
        output.progress(renderProgressText(event, output.stderrText));
      if (live) host.stderr.write(status());
    },
    end() {
      if (live) host.stderr.write(eraseLine);
    },
  };
}

/** Shows the progress of a long read; nothing for a quick one or with --quiet. */
export async function showReading<Result>(
  { host, output }: Call,
  { requests }: Service,
  work: (say: (sentence: string) => void) => Promise<Result>,
): Promise<Result> {
  const live = host.stderr.isTTY === true;
  const before = requests.total;
  let isShown = false;
  const erase = () => {
    if (isShown) host.stderr.write(eraseLine);
    isShown = false;
  };
  const show = () => {
    const event = { type: "reading", requests: requests.total - before } as const;
    if (!live) return output.progress(renderProgressText(event, output.stderrText));
    erase();
    host.stderr.write(
      renderProgressText(event, { ...output.stderrText, width: output.stderrText.width - 1 }),
    );
    isShown = true;
  };
  const everyMs = host.waits?.progressMs ?? (live ? 250 : 5_000);
  const timer = output.quiet ? undefined : setInterval(show, everyMs).unref();
  try {
    return await work((sentence) => {
      erase();
      output.info(sentence);
    });
  } finally {
    clearInterval(timer);
    erase();
  }
}

/** The outcome lists what a stopped apply did not start. */
function isNotBegun(event: ApplyEvent): boolean {
  if (event.type !== "finished") return false;
  const { status, problem } = event.result;
  return status === "skipped" && problem?.code === "cancelled";
}
