import type { ErrorDocument } from "../documents/index.js";
import { paint, say, type TextOptions, wrap } from "./piece.js";

/** An error for a terminal: its sentence, and what lies behind it. */
export function renderErrorText({ code, message, causes }: ErrorDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const title = [say(`error[${code}]`, "error"), say(` ${message}`, "strong")];
  return paint(
    [
      ...wrap(title, { width, first: [], rest: [say("  ")] }),
      ...causes.flatMap((cause) =>
        wrap(
          [say(`because: ${cause.message}`), say(cause.code === undefined ? "" : `  [${cause.code}]`, "dim")],
          {
            width,
            first: [say("  ")],
            rest: [say("    ")],
          },
        ),
      ),
    ],
    options.color,
  );
}
