import type { OutcomeDocument } from "../documents/index.js";
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
import { outcomeWords } from "./outcome-text.js";
import { outcomeCounts, requestCount } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";
import { type SameResults, sameResults } from "./same-results.js";

/** An outcome for a pull request or a CI summary: the counts, a table, and why changes were not applied. */
export function renderOutcomeMarkdown(
  outcome: OutcomeDocument,
  { limit = 60_000 }: MarkdownOptions = {},
): string {
  const stopped = outcome.cancelled ? "Stopped: " : "";
  const title = md`### ${phrase<Markdown>(`${stopped}${outcomeCounts(outcome)}`)}`;
  const requests = requestCount(outcome.requests, outcome.throttled);
  const facts = md`${phrase<Markdown>(requests)} · state serial ${outcome.state_serial}`;
  // What needs attention comes first, so that it stays if rows must be dropped.
  const results = sameResults(
    [...outcome.results].sort((a, b) => Number(a.status === "applied") - Number(b.status === "applied")),
  );
  return fittingRows(
    results,
    "result",
    limit,
    (shown, rest) =>
      md`${join([title, facts, table(shown), rest, remarks(shown)], "\n\n")}
`,
  );
}

function table(results: readonly SameResults[]): Markdown {
  if (results.length === 0) return md``;
  const rows = results.map(({ first, title, which }): Cell[] => [
    phrase(first.status === "applied" ? outcomeWords(first) : `**${outcomeWords(first)}**`),
    which === undefined ? codeCell(title) : phrase(title),
    codeCell(first.id ?? ""),
    codeCell(first.problem?.code ?? ""),
  ]);
  return tableMarkdown(["Result", "Object", "Id", "Problem"], rows);
}

function remarks(results: readonly SameResults[]): Markdown {
  const lines = results.flatMap(({ first: { address, problem, notes }, which = address }) =>
    [...(problem ? [problem.message] : []), ...notes].map((text) => md`- ${sentence(`${which}: ${text}`)}`),
  );
  return join(lines, "\n");
}
