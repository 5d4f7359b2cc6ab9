import { restrictToReads } from "../../../core/api/index.js";
import {
  openAccount,
  restrictToSessionFilters,
  watchSessions,
  withService,
} from "../../../operations/index.js";
import { renderSessionEventText } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { sessionsWatchCommand } from "../facts/sessions.js";

/** Writes a line per event until interrupted, or until stdout is closed. */
export const command: RunCommand<typeof sessionsWatchCommand> = async (call) => {
  const manifest = await openAccount(call);
  const { host, output } = call;
  const unread = new AbortController();
  const signal = AbortSignal.any([call.signal, unread.signal]);
  const forget = host.onOutputLost?.(() => unread.abort());
  const { color } = output.stdoutText;
  const durationUnit = manifest.service.sessionDurationUnit ?? "seconds";
  const { interval: intervalMs, timeZone = "UTC" } = call.options;
  await call.runToEnd(() =>
    withService({ ...call, signal }, restrictToSessionFilters(manifest), (service) =>
      watchSessions({
        ...{ service: restrictToReads(service), intervalMs, timeZone, signal },
        ...{ now: host.now, sleep: host.pause ?? host.sleep },
        show(event) {
          if (output.format === "json") output.writeDocument(event);
          else output.writeResult(renderSessionEventText(event, { color, durationUnit }));
        },
      }),
    ).finally(forget),
  );
  return call.signal.aborted ? exitCode.cancelled : exitCode.done;
};
