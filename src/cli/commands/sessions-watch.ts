import { type RequestEvent, readOnly } from "../../api/index.js";
import { openCalendar } from "../../sessions/index.js";
import type { RunCommand } from "../command.js";
import { withService } from "../connect.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import type { sessionsWatchCommand } from "../facts/sessions.js";
import { loadAccount } from "../project.js";
import { sleepOf } from "../sleep.js";
import { openDisplay } from "../watching/display.js";
import { Outages } from "../watching/outages.js";
import { WatchLoop } from "../watching/watch-loop.js";

/** How often ages are shown anew, and an outage is looked for; ms. */
const tickMs = 1_000;

/** A screen on a terminal, lines elsewhere. Goes on until it is asked to stop. */
export const command: RunCommand<typeof sessionsWatchCommand> = async (call) => {
  const manifest = await loadAccount(call);
  const leaving = new AbortController();
  const signal = AbortSignal.any([call.signal, leaving.signal]);
  let exit: ExitCode = exitCode.done;
  const leave = (code: ExitCode) => {
    exit = code;
    leaving.abort();
  };
  const { host } = call;
  const { interval: intervalMs, timeZone = "UTC" } = call.options;
  const calendar = openCalendar(timeZone);
  const outages = new Outages({ intervalMs, now: host.now() });
  const heard = { ...host, onRequest: (event: RequestEvent) => outages.request(event) };
  await call.finishing(() =>
    withService({ ...call, signal, host: heard }, manifest, async (service) => {
      const loop = new WatchLoop({
        ...{ service: readOnly(service), intervalMs, outages, signal, now: host.now, sleep: sleepOf(host) },
        timeZone,
        durationUnit: manifest.service.sessionDurationUnit ?? "seconds",
        startOfDay: (ms) => calendar.startOf(calendar.dayOf(ms)),
      });
      const display = openDisplay(call, () => loop.view(), leave);
      // At once, whatever is still awaited: a second signal ends the process without asking.
      signal.addEventListener("abort", display.close, { once: true });
      const timer = setInterval(() => loop.tick(), host.waits?.progressMs ?? tickMs).unref();
      try {
        await loop.run(display);
      } finally {
        clearInterval(timer);
        display.close();
      }
    }),
  );
  return call.signal.aborted ? exitCode.cancelled : exit;
};
