import type { DiagnosticsDocument } from "../documents/index.js";
import { diagnosticMarkdown, policiesTitle } from "./finding-markdown.js";
import { fitting, join, type Markdown, md, phrase } from "./markdown.js";
import { count, diagnosticCounts } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";

/** Diagnostics for a pull request: each with its place and source line. */
export function renderDiagnosticsMarkdown(
  { summary, diagnostics, policies = [] }: DiagnosticsDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const title = md`### ${phrase<Markdown>(diagnosticCounts(summary))}`;
  const blocks = [...diagnostics, ...policies].map(diagnosticMarkdown);
  return fitting(blocks.length, limit, (amount) => {
    const shown = blocks.slice(0, amount);
    if (amount > diagnostics.length) shown.splice(diagnostics.length, 0, policiesTitle);
    const left = blocks.length - amount;
    const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more"))} not shown here._` : md``;
    return md`${join([title, ...shown, rest], "\n\n")}
`;
  });
}
