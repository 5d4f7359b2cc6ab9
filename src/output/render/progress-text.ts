import type { ProgressEvent } from "../documents/index.js";
import { clip } from "./cells.js";
import { describeOutcome } from "./outcome.js";
import { formatRequestCount } from "./phrases.js";
import { createSpan, type Span, type TextOptions, toTerminal } from "./span.js";

/** Renders a progress event as one line that fits the width. The result has no line ending. */
export function renderProgressText(event: ProgressEvent, { color, width }: TextOptions): string {
  const [lead, rest] = describeEvent(event);
  const room = Math.max(1, width - lead.text.length);
  return toTerminal([[lead, createSpan(clip(rest.text, room), rest.style)]], color).trimEnd();
}

function describeEvent(event: ProgressEvent): [lead: Span, rest: Span] {
  switch (event.type) {
    case "started":
      return [
        createSpan(`${event.action} `, "changed"),
        createSpan(`${event.address}${event.label === "" ? "" : ` "${event.label}"`}`),
      ];
    case "finished": {
      const style = event.result.status === "applied" ? "good" : "warning";
      const lead = `[${event.done}/${event.total}] ${describeOutcome(event.result)} `;
      return [createSpan(lead, style), createSpan(event.result.address)];
    }
    case "reading":
      return dimRest("reading ", `the account: ${formatRequestCount(event.requests)} so far`);
    case "waiting":
      return dimRest("waiting ", `${event.why} (${Math.ceil(event.forMs / 1000)} s at most)`);
  }
}

function dimRest(lead: string, rest: string): [lead: Span, rest: Span] {
  return [createSpan(lead, "dim"), createSpan(rest, "dim")];
}
