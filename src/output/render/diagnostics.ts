import type { DiagnosticsDocument } from "../documents/index.js";
import { type Block, heading, inMarkdown, inText, ours } from "./blocks.js";
import { blocksMarkdown } from "./blocks-markdown.js";
import { blocksText } from "./blocks-text.js";
import type { MarkdownOptions } from "./markdown.js";
import { diagnosticCounts } from "./phrases.js";
import type { TextOptions } from "./span.js";

/** Diagnostics for a terminal, each with its source line; all line numbers share one gutter. */
export function renderDiagnosticsText(document: DiagnosticsDocument, options: TextOptions): string {
  return blocksText(diagnosticsBlocks(document), options);
}

/** Diagnostics for a pull request: each with its place and source line. */
export function renderDiagnosticsMarkdown(
  document: DiagnosticsDocument,
  options: MarkdownOptions = {},
): string {
  return blocksMarkdown(diagnosticsBlocks(document), options);
}

function diagnosticsBlocks({ summary, diagnostics, policies = [] }: DiagnosticsDocument): Block[] {
  const counts = diagnosticCounts(summary);
  return [
    inMarkdown(heading(ours(counts))),
    { is: "findings", diagnostics, policies },
    inText(heading(ours(`${counts}.`, "strong"))),
  ];
}
