import { type RequestEvent, readOnly } from "../../../core/api/index.js";
import {
  openAccount,
  sleepOn,
  usedAsFilters,
  type WatchDisplay,
  WatchLoop,
  withService,
} from "../../../operations/index.js";
import { renderSessionEventText, renderWatchFrame } from "../../../output/render/index.js";
import type { Call, RunCommand } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { sessionsWatchCommand } from "../facts/sessions.js";
import { openScreen } from "../screen.js";

/** How often ages are shown anew, and an outage is looked for; ms. */
const tickMs = 1_000;

/** A screen on a terminal, lines elsewhere. Goes on until it is asked to stop. */
export const command: RunCommand<typeof sessionsWatchCommand> = async (call) => {
  const manifest = await openAccount(call);
  const leaving = new AbortController();
  const signal = AbortSignal.any([call.signal, leaving.signal]);
  let exit: ExitCode = exitCode.done;
  const leave = (code: ExitCode) => {
    exit = code;
    leaving.abort();
  };
  const { host } = call;
  const used = { ...manifest, ...usedAsFilters(manifest, {}) };
  const { interval: intervalMs, timeZone = "UTC" } = call.options;
  let loop: WatchLoop | undefined;
  const heard = { ...host, onRequest: (event: RequestEvent) => loop?.request(event) };
  await call.finishing(() =>
    withService({ ...call, signal, host: heard }, used, async (service) => {
      const watch = new WatchLoop({
        ...{ service: readOnly(service), intervalMs, timeZone, signal, now: host.now, sleep: sleepOn(host) },
        durationUnit: manifest.service.sessionDurationUnit ?? "seconds",
      });
      loop = watch;
      const display = openDisplay(call, watch, leave);
      // At once, whatever is still awaited: a second signal ends the process without asking.
      signal.addEventListener("abort", display.close, { once: true });
      const timer = setInterval(() => watch.tick(), host.waits?.progressMs ?? tickMs).unref();
      try {
        await watch.run(display);
      } finally {
        clearInterval(timer);
        display.close();
      }
    }),
  );
  return call.signal.aborted ? exitCode.cancelled : exit;
};

/** The screen of a terminal; elsewhere, and as JSON, a line for each event. Closing it more than once does no harm. */
function openDisplay(
  { host, output }: Call,
  loop: WatchLoop,
  leave: (exit: ExitCode) => void,
): WatchDisplay & { close(): void } {
  const { color } = output.stdoutText;
  const terminal = output.format === "text" ? host.liveTerminal : undefined;
  if (terminal) {
    const screen = openScreen(terminal, {
      frame: (size) => renderWatchFrame(loop.view(), { ...size, color }),
      quit: () => leave(exitCode.done),
      interrupt: () => leave(exitCode.cancelled),
    });
    return { event() {}, change: screen.draw, close: screen.close };
  }
  const forget = host.onOutputLost?.(() => leave(exitCode.done));
  return {
    event(event) {
      if (output.format === "json") output.document(event);
      else output.result(renderSessionEventText(event, { color, durationUnit: loop.view().durationUnit }));
    },
    change() {},
    close: () => forget?.(),
  };
}
