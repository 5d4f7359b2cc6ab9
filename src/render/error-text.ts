import type { ErrorDocument } from "../documents/index.js";
import { styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** An error for a terminal: its sentence and its causes. */
export function renderErrorText({ code, message, causes }: ErrorDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const title = [styled(`error[${code}]`, "error"), styled(` ${message}`, "strong")];
  return toTerminal(
    [
      ...wrap(title, { width, first: [], rest: [styled("  ")] }),
      ...causes.flatMap((cause) =>
        wrap(
          [
            styled(`because: ${cause.message}`),
            styled(cause.code === undefined ? "" : `  [${cause.code}]`, "dim"),
          ],
          {
            width,
            first: [styled("  ")],
            rest: [styled("    ")],
          },
        ),
      ),
    ],
    options.color,
  );
}
