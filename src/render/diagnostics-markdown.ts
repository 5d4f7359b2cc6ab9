import type { DiagnosticsDocument, ShownDiagnostic } from "../documents/index.js";
import { code, fenced, fitting, join, type Markdown, md, phrase, sentence } from "./markdown.js";
import { count, diagnosticCounts } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";

/** Diagnostics for a pull request: each with its place and source line. */
export function renderDiagnosticsMarkdown(
  { summary, diagnostics }: DiagnosticsDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const title = md`### ${phrase<Markdown>(diagnosticCounts(summary))}`;
  return fitting(diagnostics.length, limit, (amount) => {
    const shown = diagnostics.slice(0, amount);
    const left = diagnostics.length - amount;
    const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more"))} not shown here._` : md``;
    return md`${join([title, ...shown.map(block), rest], "\n\n")}
`;
  });
}

function block({ severity, code: name, message, place, hint }: ShownDiagnostic): Markdown {
  const where = place ? md` at ${code(`${place.file}:${place.line}:${place.column}`)}` : md``;
  const head = md`**${phrase<Markdown>(severity)}** ${code(name)}${where}: ${sentence(message)}`;
  const source = place ? fenced([excerpt(place)], "") : md``;
  const [lead, ...block] = hint?.split("\n") ?? [];
  const advice = lead === undefined ? md`` : md`→ ${sentence(lead)}`;
  return join([head, source, advice, block.length > 0 ? fenced(block, "") : md``], "\n\n");
}

/** The part of a long source line around the marked range. */
function excerpt({ text, column, text_column = 1 }: NonNullable<ShownDiagnostic["place"]>): string {
  const meant = column - text_column;
  const start = text.length > longestLine ? Math.max(0, meant - longestLine / 2) : 0;
  const end = start + longestLine;
  return `${start + text_column > 1 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

const longestLine = 400;
