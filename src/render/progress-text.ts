import type { ProgressEvent } from "../documents/index.js";
import { clip } from "./cells.js";
import { whatCame } from "./outcome-text.js";
import { requestCount } from "./phrases.js";
import { type Piece, paint, say, type TextOptions } from "./piece.js";

/** One step of an apply, or of a reading, as one line that fits the width, without a line end. */
export function renderProgressText(event: ProgressEvent, { color, width }: TextOptions): string {
  const [lead, rest] = partsOf(event);
  const room = Math.max(1, width - lead.text.length);
  return paint([[lead, say(clip(rest.text, room), rest.style)]], color).trimEnd();
}

function partsOf(event: ProgressEvent): [lead: Piece, rest: Piece] {
  switch (event.type) {
    case "started":
      return [
        say(`${event.action} `, "changed"),
        say(`${event.address}${event.label === "" ? "" : ` "${event.label}"`}`),
      ];
    case "finished": {
      const style = event.result.status === "applied" ? "good" : "warning";
      const lead = `[${event.done}/${event.total}] ${whatCame(event.result)} `;
      return [say(lead, style), say(event.result.address)];
    }
    case "reading":
      return [say("reading ", "dim"), say(`the account: ${requestCount(event.requests)} so far`, "dim")];
    case "waiting":
      return [
        say("waiting ", "dim"),
        say(`${event.why} (${Math.ceil(event.forMs / 1000)} s at most)`, "dim"),
      ];
  }
}
