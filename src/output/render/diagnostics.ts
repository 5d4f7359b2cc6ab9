import type { DiagnosticsDocument } from "../documents/index.js";
import { type Block, heading, inMarkdown, inText, ours } from "./blocks.js";
import { diagnosticCounts } from "./phrases.js";

/** Each diagnostic with its place and source line. */
export function diagnosticsBlocks({ summary, diagnostics, policies = [] }: DiagnosticsDocument): Block[] {
  const counts = diagnosticCounts(summary);
  return [
    inMarkdown(heading(ours(counts))),
    { is: "findings", diagnostics, policies },
    inText(heading(ours(`${counts}.`, "strong"))),
  ];
}
