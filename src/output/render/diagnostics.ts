import type { DiagnosticsDocument, ErrorDocument } from "../documents/index.js";
import { type Block, heading, inMarkdown, inText, name, ours, paragraph, sentence } from "./blocks.js";
import { diagnosticCounts } from "./phrases.js";

/** Describes each diagnostic with its place and source line. */
export function diagnosticsBlocks({ summary, diagnostics, policies = [] }: DiagnosticsDocument): Block[] {
  const counts = diagnosticCounts(summary);
  return [
    inMarkdown(heading(ours(counts))),
    { is: "findings", diagnostics, policies },
    inText(heading(ours(`${counts}.`, "strong"))),
  ];
}

export function errorBlocks({ code, message, causes }: ErrorDocument): Block[] {
  return [
    inText(heading(ours(`error[${code}]`, "error"), sentence(` ${message}`, "strong"))),
    inMarkdown(heading(ours(`error[${code}]: `), sentence(message))),
    ...causeBlocks(causes),
  ];
}

export function causeBlocks(causes: ErrorDocument["causes"]): Block[] {
  return causes.map((cause) => {
    const known = cause.code === undefined ? [] : [ours("  ["), name(cause.code, "dim"), ours("]")];
    return paragraph([sentence(`because: ${cause.message}`), ...known], 2);
  });
}
