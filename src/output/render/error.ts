import type { ErrorDocument } from "../documents/index.js";
import { type Block, heading, ours, paragraph, sentence } from "./blocks.js";

/** An error with its causes. */
export function errorBlocks({ code, message, causes }: ErrorDocument): Block[] {
  return [
    heading(ours(`error[${code}]`, "error"), sentence(` ${message}`, "strong")),
    ...causes.map((cause) => {
      const known = cause.code === undefined ? [] : [sentence(`  [${cause.code}]`, "dim")];
      return paragraph([sentence(`because: ${cause.message}`), ...known], 2);
    }),
  ];
}
