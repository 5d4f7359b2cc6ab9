import path from "node:path";
import type {
  DiagnosticsDocument,
  ErrorDocument,
  OutcomeDocument,
  PlanDocument,
  ProjectsHead,
  StatusDocument,
} from "../documents/index.js";
import { type Block, gap, heading, type Inline, inline, name, ownText, paragraph } from "./blocks.js";
import { renderBlocksMarkdown } from "./blocks-markdown.js";
import { renderBlocksText } from "./blocks-text.js";
import { formatDiagnosticCounts, formatNumber, formatOutcomeCounts, formatPlanCounts } from "./phrases.js";
import type { TextOptions } from "./span.js";
import { formatStatusCounts } from "./status-summary.js";

/** Renders the heading above the output for one of several projects. */
export function renderProjectHeading(
  { project, environment }: Omit<ProjectRow, "counts">,
  text: TextOptions | "markdown",
): string {
  const chosen = environment === undefined ? [] : inline` (${name(environment, "strong")})`;
  const blocks = [heading(ownText("Project "), name(project, "strong"), ...chosen)];
  return text === "markdown"
    ? renderBlocksMarkdown(blocks, {}).slice(1)
    : `\n${renderBlocksText(blocks, text)}`;
}

/** Formats the result of a project as one line. */
export function formatResultCounts(
  document: PlanDocument | DiagnosticsDocument | ErrorDocument | OutcomeDocument | StatusDocument,
): string {
  if (document.format === "avatarops/plan") return formatPlanCounts(document);
  if (document.format === "avatarops/outcome") return formatOutcomeCounts(document);
  if (document.format === "avatarops/status") return formatStatusCounts(document);
  return document.format === "avatarops/error" ? document.message : formatDiagnosticCounts(document.summary);
}

/** Table row for a project or for one of its environments. */
export interface ProjectRow {
  readonly project: string;
  readonly environment?: string | undefined;
  /** Result in one line. */
  readonly counts: string;
  /** Who must act next. */
  readonly next?: string | undefined;
}

/** Describes the results in a table. `withoutChanges` is the number of omitted projects. */
export function renderProjectsBlocks(
  { changed_since, unchanged, deleted }: ProjectsHead,
  projects: readonly ProjectRow[],
  withoutChanges = 0,
): Block[] {
  const since = changed_since === undefined ? [] : inline` since ${name(changed_since.slice(0, 12))}`;
  const hasNext = projects.some(({ next }) => next !== undefined);
  const isNone = projects.length + withoutChanges === 0;
  const remarks: Inline[] = [
    ...(withoutChanges > 0 ? [inline`${ownText(formatNumber(withoutChanges))} without changes.`] : []),
    ...(unchanged.length > 0
      ? [inline`${ownText(formatNumber(unchanged.length))} skipped: the files have not changed${since}.`]
      : []),
    ...deleted.map((file) => inline`${name(file)} was deleted. Its objects stay in the account.`),
  ];
  return [
    gap,
    heading(ownText(isNone ? "No project has changed" : "All projects", "strong"), ...(isNone ? since : [])),
    {
      is: "table",
      columns: ["project", "environment", "result", ...(hasNext ? ["who must act"] : [])].map((title) => ({
        title,
        is: "untrusted",
      })),
      rows: projects.map(({ project, environment = "", counts, next = "" }) =>
        hasNext ? [project, environment, counts, next] : [project, environment, counts],
      ),
      isGrouped: true,
      isCut: true,
    },
    ...remarks.map((line) => paragraph(line)),
  ];
}

/** Prefixes the paths in a document with a folder. */
export function prefixPaths<Shown extends PlanDocument | DiagnosticsDocument>(
  document: Shown,
  folder: string,
): Shown {
  return JSON.parse(JSON.stringify(document), function (this: { line?: unknown }, key, value) {
    return key === "file" && typeof this.line === "number" ? path.posix.join(folder, value) : value;
  });
}
