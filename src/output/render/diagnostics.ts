import type { DiagnosticsDocument, ErrorDocument } from "../documents/index.js";
import { type Block, heading, markdownOnly, name, ours, paragraph, sentence, textOnly } from "./blocks.js";
import { formatDiagnosticCounts } from "./phrases.js";

/** Describes each diagnostic with its place and source line. */
export function renderDiagnosticsBlocks({
  summary,
  diagnostics,
  policies = [],
}: DiagnosticsDocument): Block[] {
  const counts = formatDiagnosticCounts(summary);
  return [
    markdownOnly(heading(ours(counts))),
    { is: "findings", diagnostics, policies },
    textOnly(heading(ours(`${counts}.`, "strong"))),
  ];
}

export function renderErrorBlocks({ code, message, causes }: ErrorDocument): Block[] {
  return [
    textOnly(heading(ours(`error[${code}]`, "error"), sentence(` ${message}`, "strong"))),
    markdownOnly(heading(ours(`error[${code}]: `), sentence(message))),
    ...renderCauseBlocks(causes),
  ];
}

export function renderCauseBlocks(causes: ErrorDocument["causes"]): Block[] {
  return causes.map((cause) => {
    const known = cause.code === undefined ? [] : [ours("  ["), name(cause.code, "dim"), ours("]")];
    return paragraph([sentence(`because: ${cause.message}`), ...known], 2);
  });
}
