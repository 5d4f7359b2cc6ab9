import type { ShownCheck, ShownSmoke } from "../documents/index.js";
import {
  type Cell,
  codeCell,
  fittingRows,
  join,
  type Markdown,
  md,
  phrase,
  sentence,
  tableMarkdown,
} from "./markdown.js";
import { smokeCounts } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";

/** A smoke check for a CI summary: the counts, what to do, a table, and why presets did not pass. */
export function renderSmokeMarkdown(smoke: ShownSmoke, { limit = 60_000 }: MarkdownOptions = {}): string {
  const { checks, advice } = smoke;
  const title = md`### ${phrase<Markdown>(smokeCounts(smoke))}`;
  const todo = advice === undefined ? md`` : sentence(advice);
  // What needs attention comes first, so that it stays if rows must be dropped.
  const sorted = [...checks].sort((a, b) => Number(a.status === "passed") - Number(b.status === "passed"));
  return fittingRows(
    sorted,
    "preset",
    limit,
    (shown, rest) =>
      md`${join([title, todo, table(shown), rest, remarks(shown)], "\n\n")}
`,
  );
}

function table(checks: readonly ShownCheck[]): Markdown {
  if (checks.length === 0) return md``;
  const rows = checks.map(({ preset, status, session_id, problem }): Cell[] => [
    phrase(status === "passed" ? status : `**${status}**`),
    codeCell(preset),
    codeCell(session_id ?? ""),
    codeCell(problem?.code ?? ""),
  ]);
  return tableMarkdown(["Result", "Preset", "Session", "Problem"], rows);
}

function remarks(checks: readonly ShownCheck[]): Markdown {
  const lines = checks.flatMap(({ preset, problem }) =>
    problem ? [md`- ${sentence(`${preset}: ${problem.message}`)}`] : [],
  );
  return join(lines, "\n");
}
