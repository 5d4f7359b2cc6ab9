import type { HistoryHead, HistoryItemDocument } from "../documents/index.js";
import { renderJson } from "./json.js";

/** A history as one JSON document, in parts of whole lines. */
export async function* historyJson(
  head: HistoryHead,
  items: AsyncIterable<HistoryItemDocument>,
): AsyncGenerator<string> {
  yield `${renderJson(head).replace(/\n\}\n$/, "")},\n  "records": [\n`;
  let last: string | undefined;
  for await (const item of items) {
    if (last !== undefined) yield `${last},\n`;
    last = `    ${renderJson(item).trimEnd().replaceAll("\n", "\n    ")}`;
  }
  yield `${last === undefined ? "" : `${last}\n`}  ]\n}\n`;
}
