import type { ShownCheck, SmokeDocument } from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  type Item,
  inMarkdown,
  inText,
  name,
  ours,
  paragraph,
  sentence,
} from "./blocks.js";
import { smokeCounts } from "./phrases.js";
import type { Style } from "./span.js";

const styles: Readonly<Record<ShownCheck["status"], Style>> = {
  passed: "good",
  warned: "warning",
  failed: "error",
  skipped: "warning",
};

/** The counts, a line for each preset, and why it did not pass. */
export function smokeBlocks(smoke: SmokeDocument): Block[] {
  const counts = smokeCounts(smoke);
  const advice = smoke.advice === undefined ? [] : [paragraph([sentence(smoke.advice)])];
  const items = smoke.checks.map(checkItem);
  const titles = ["Result", "Preset", "Session", "Problem"];
  return [
    inMarkdown(heading(ours(counts)), ...advice),
    { is: "items", items, noun: "preset", titles, width: 9 },
    gap,
    inText(paragraph([ours(counts, "strong")]), ...advice),
  ];
}

function checkItem({ preset, status, session_id, problem }: ShownCheck): Item {
  return {
    word: status,
    style: styles[status],
    isOpen: status !== "passed",
    name: name(preset),
    beside: [session_id === undefined ? undefined : name(session_id, "dim")],
    cells: [[name(session_id ?? "")], [name(problem?.code ?? "")]],
    remarks: problem ? [{ text: problem.message, code: problem.code }] : [],
  };
}
