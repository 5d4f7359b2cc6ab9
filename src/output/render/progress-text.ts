import type { ProgressEvent } from "../documents/index.js";
import { clip } from "./cells.js";
import { outcomeWords } from "./outcome.js";
import { requestCount } from "./phrases.js";
import { type Span, styled, type TextOptions, toTerminal } from "./span.js";

/** One step of an apply, or of a read, as one line that fits the width, without a line end. */
export function renderProgressText(event: ProgressEvent, { color, width }: TextOptions): string {
  const [lead, rest] = describeEvent(event);
  const room = Math.max(1, width - lead.text.length);
  return toTerminal([[lead, styled(clip(rest.text, room), rest.style)]], color).trimEnd();
}

function describeEvent(event: ProgressEvent): [lead: Span, rest: Span] {
  switch (event.type) {
    case "started":
      return [
        styled(`${event.action} `, "changed"),
        styled(`${event.address}${event.label === "" ? "" : ` "${event.label}"`}`),
      ];
    case "finished": {
      const style = event.result.status === "applied" ? "good" : "warning";
      const lead = `[${event.done}/${event.total}] ${outcomeWords(event.result)} `;
      return [styled(lead, style), styled(event.result.address)];
    }
    case "reading":
      return dim("reading ", `the account: ${requestCount(event.requests)} so far`);
    case "reading-sessions":
      return dim("reading sessions ", describeShare(event.read, event.total));
    case "writing":
      return dim("writing files ", describeShare(event.written, event.total));
    case "waiting":
      return dim("waiting ", `${event.why} (${Math.ceil(event.forMs / 1000)} s at most)`);
  }
}

function dim(lead: string, rest: string): [lead: Span, rest: Span] {
  return [styled(lead, "dim"), styled(rest, "dim")];
}

/** "25 %, 25,000 of 100,000"; the number alone where the total is not known. */
function describeShare(done: number, total: number | undefined): string {
  if (total === undefined || total < done) return `${number(done)} so far`;
  const share = total === 0 ? 1 : done / total;
  return `${Math.floor(share * 100)} %, ${number(done)} of ${number(total)}`;
}
