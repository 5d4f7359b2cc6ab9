import type { Service } from "../api/index.js";
import type { ApplyEvent } from "../engine/index.js";
import { renderProgressText } from "../render/index.js";
import type { Call } from "./command.js";

const eraseLine = "\r\u001B[2K";

/**
 * Shows an apply as it goes: on a terminal one line that changes below a growing list of what is done, elsewhere a
 * plain line for each thing done.
 */
export function showProgress({ host, output }: Call): { show: (event: ApplyEvent) => void; end: () => void } {
  const live = host.stderr.isTTY === true && !output.quiet;
  const running = new Map<string, ApplyEvent>();
  const status = () => {
    const latest = [...running.values()].at(-1);
    // One column is left free: a full line would wrap, and could not be erased.
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

/** What is to be seen of a long reading: nothing of one that is quick, or where it is to be quiet. */
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

/** What a stopped apply did not begin is told once, by the outcome. */
function isNotBegun(event: ApplyEvent): boolean {
  if (event.type !== "finished") return false;
  const { status, problem } = event.result;
  return status === "skipped" && problem?.code === "cancelled";
}
