import type { ErrorDocument } from "../documents/index.js";
import { heading, ours, paragraph, sentence } from "./blocks.js";
import { blocksText } from "./blocks-text.js";
import type { TextOptions } from "./span.js";

/** An error for a terminal: its sentence and its causes. */
export function renderErrorText({ code, message, causes }: ErrorDocument, options: TextOptions): string {
  return blocksText(
    [
      heading(ours(`error[${code}]`, "error"), sentence(` ${message}`, "strong")),
      ...causes.map((cause) => {
        const known = cause.code === undefined ? [] : [sentence(`  [${cause.code}]`, "dim")];
        return paragraph([sentence(`because: ${cause.message}`), ...known], 2);
      }),
    ],
    options,
  );
}

/** A progress sentence for a terminal; wrapped lines are indented. */
export function renderSentence(text: string, options: TextOptions): string {
  return blocksText([heading(sentence(text))], options);
}
