import type { SessionEventDocument } from "../../documents/index.js";
import { renderSessionEventText, renderWatchFrame, type WatchView } from "../../render/index.js";
import type { Call } from "../command.js";
import { type ExitCode, exitCode } from "../exit-code.js";
import { openScreen } from "./screen.js";

/** Where a watch is shown. */
export interface WatchDisplay {
  event(event: SessionEventDocument): void;
  /** The view has changed. */
  change(): void;
  /** More than once does no harm. */
  close(): void;
}

/** The screen of a terminal; elsewhere, and as JSON, a line for each event. `leave` ends the watch. */
export function openDisplay(
  { host, output }: Call,
  view: () => WatchView,
  leave: (exit: ExitCode) => void,
): WatchDisplay {
  const { color } = output.stdoutText;
  const terminal = output.format === "text" ? host.liveTerminal : undefined;
  if (terminal) {
    const screen = openScreen(terminal, {
      frame: (size) => renderWatchFrame(view(), { ...size, color }),
      quit: () => leave(exitCode.done),
      interrupt: () => leave(exitCode.cancelled),
    });
    return { event() {}, change: screen.draw, close: screen.close };
  }
  const forget = host.onOutputLost?.(() => leave(exitCode.done));
  return {
    event(event) {
      if (output.format === "json") output.document(event);
      else output.result(renderSessionEventText(event, { color, durationUnit: view().durationUnit }));
    },
    change() {},
    close: () => forget?.(),
  };
}
