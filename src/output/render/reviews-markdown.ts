import type { DiagnosticsDocument, PlanDocument, ProjectEnvironment } from "../documents/index.js";
import type { PlanMarkdownOptions } from "./blocks-markdown.js";
import {
  type Cell,
  code,
  codeCell,
  fitting,
  join,
  link,
  type Markdown,
  md,
  sizeInBytes,
  tableMarkdown,
  trusted,
} from "./markdown.js";
import { count } from "./phrases.js";
import { ending, type ReviewFacts, renderBanners, renderReviewMarkdown } from "./review-markdown.js";

/** What a comment says of one of several projects; the main file is named from the root of the repository. */
export interface ReviewSection extends Pick<PlanMarkdownOptions, "fileUrl"> {
  readonly project: string;
  readonly environment?: string | undefined;
  /** In one line. */
  readonly counts: string;
  /** Of the error, if no plan could be made. */
  readonly code?: string;
  readonly document?: PlanDocument | DiagnosticsDocument;
  readonly facts?: ReviewFacts;
  /** There is nothing to look at. */
  readonly isQuiet?: boolean;
}

/** What a comment says of several projects together. */
export interface ReviewSections {
  readonly parts: readonly ReviewSection[];
  /** What was left out, because its files have not changed. */
  readonly unchanged: readonly ProjectEnvironment[];
  /** Main files that are gone. */
  readonly deleted: readonly string[];
}

/** A section of less says nothing. */
const leastSection = 3_000;

/**
 * Several projects as one comment: a table, and a section for each that has something to show. Short sections are whole, and
 * long ones share what they leave; those that find no room are named.
 */
export function renderReviewsMarkdown(
  { parts, unchanged, deleted }: ReviewSections,
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions = {},
): string {
  const shown = parts.filter(({ isQuiet }) => !isQuiet);
  const quiet = parts.length - shown.length;
  const banner = renderBanners(facts);
  const failed = shown.filter(({ document }) => !document).length;
  const title = [
    ...(shown.length > failed ? [count(shown.length - failed, "plan")] : []),
    ...(failed > 0 ? [`${count(failed, "plan")} could not be made`] : []),
    ...(quiet > 0 ? [`${quiet} without changes`] : []),
    ...(unchanged.length > 0 ? [`${unchanged.length} not touched`] : []),
  ];
  const rows = shown.map(({ project, environment = "", counts, code }): Cell[] => [
    ...[project, environment].map(codeCell),
    codeCell(code === undefined ? counts : `${counts} (${code})`),
  ]);
  const head = (most: number) =>
    join(
      [
        banner,
        md`## ${trusted<Markdown>(title.join(", ") || "No project has changed")}`,
        rows.length === 0 ? md`` : tableMarkdown(["Project", "Environment", "Plan"], rows.slice(0, most)),
        rows.length > most
          ? md`_${trusted<Markdown>(count(rows.length - most, "more row"))} not shown here._`
          : md``,
        join(
          deleted.map((file) => md`- ${code(file)} is deleted: its objects stay in the account.`),
          "\n",
        ),
      ],
      "\n\n",
    );
  const end = ending(undefined, facts);
  const top = fitting(rows.length, limit / 2, head);
  const room = limit - sizeInBytes(top + end) - 500;
  const planned = shown.filter(({ document }) => document);
  const fits = planned.slice(0, Math.max(0, Math.floor(room / leastSection)));
  const sections = shareRoom(fits, room, (part, share) =>
    sectionMarkdown(part, facts, { ...options, limit: share }),
  );
  const left = planned.length - fits.length;
  const where =
    facts.runUrl === undefined
      ? md`\`avatarops plan --all\``
      : link(md`The summary of the run`, facts.runUrl);
  const lacks =
    left > 0
      ? md`_${trusted<Markdown>(count(left, "more plan"))} not shown here. ${where} shows everything._`
      : md``;
  return join([top, ...sections, lacks, end], "\n\n");
}

function sectionMarkdown(
  part: ReviewSection,
  { runUrl }: ReviewFacts,
  options: PlanMarkdownOptions,
): Markdown {
  const { project, environment, document, facts = {}, fileUrl } = part;
  if (!document) throw new Error("Bug: nothing to show");
  const chosen = environment === undefined ? md`` : md` (${code(environment)})`;
  const title = md`## ${code(project)}${chosen}\n\n`;
  const limit = (options.limit ?? 0) - sizeInBytes(title);
  const wholeUrl = runUrl === undefined ? {} : { wholeUrl: runUrl };
  return trusted(
    title + renderReviewMarkdown(document, facts, { ...options, ...wholeUrl, fileUrl, limit }).trimEnd(),
  );
}

/** Prints each part: whole, or in an equal share of what the shorter ones leave. */
function shareRoom<Part>(
  parts: readonly Part[],
  room: number,
  print: (part: Part, limit: number) => Markdown,
): Markdown[] {
  const whole = parts.map((part) => print(part, room));
  const order = whole
    .map((text, at) => ({ at, size: sizeInBytes(text) }))
    .toSorted((a, b) => a.size - b.size);
  let [free, waiting] = [room, parts.length];
  const printed = [...whole];
  for (const { at, size } of order) {
    const share = Math.floor(free / waiting);
    if (size > share) printed[at] = print(parts[at] as Part, share);
    free -= Math.min(size, share);
    waiting -= 1;
  }
  return printed;
}
