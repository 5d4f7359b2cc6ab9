import type { ShownDiagnostic } from "../documents/index.js";
import { code, fenced, join, type Markdown, md, phrase, sentence } from "./markdown.js";

/** The heading of what policies say. */
export const policiesTitle = md`#### Policies`;

/** One diagnostic, with its place and source line. */
export function diagnosticMarkdown({
  severity,
  code: name,
  message,
  place,
  hint,
}: ShownDiagnostic): Markdown {
  const where = place ? md` at ${code(`${place.file}:${place.line}:${place.column}`)}` : md``;
  const head = md`**${phrase<Markdown>(severity)}** ${code(name)}${where}: ${sentence(message)}`;
  const source = place ? fenced([excerpt(place)], "") : md``;
  const [lead, ...lines] = hint?.split("\n") ?? [];
  const advice = lead === undefined ? md`` : md`→ ${sentence(lead)}`;
  return join([head, source, advice, lines.length > 0 ? fenced(lines, "") : md``], "\n\n");
}

/** The part of a long source line around the marked range. */
function excerpt({ text, column, text_column = 1 }: NonNullable<ShownDiagnostic["place"]>): string {
  const meant = column - text_column;
  const start = text.length > longestLine ? Math.max(0, meant - longestLine / 2) : 0;
  const end = start + longestLine;
  return `${start + text_column > 1 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

const longestLine = 400;
