import type { DiagnosticsDocument, PlanDocument, ProjectsHead } from "../documents/index.js";
import { blocksMarkdown, type PlanMarkdownOptions } from "./blocks-markdown.js";
import { join, link, type Markdown, md, sizeInBytes, trusted } from "./markdown.js";
import { count } from "./phrases.js";
import type { ShownAbove } from "./plan.js";
import { type ProjectRow, projectsBlocks, renderProjectHeading } from "./projects.js";
import { ending, type ReviewFacts, renderBanners, renderReviewMarkdown } from "./review-markdown.js";

/** What a comment says of one of several projects; the main file is named from the root of the repository. */
export interface ReviewSection extends ProjectRow, Pick<PlanMarkdownOptions, "fileUrl"> {
  /** Absent: no plan could be made. */
  readonly document?: PlanDocument | DiagnosticsDocument;
  readonly facts?: ReviewFacts;
  /** There is nothing to look at. */
  readonly isQuiet?: boolean;
}

/** A section of less says nothing; in bytes. */
const leastSection = 3_000;

/**
 * Several projects as one comment: a table, and a section for each that has something to show. Without room for all, each gets
 * as much; those that find none are counted.
 */
export function renderReviewsMarkdown(
  head: ProjectsHead,
  sections: readonly ReviewSection[],
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions = {},
): string {
  const projects = sections.filter(({ isQuiet }) => !isQuiet);
  const blocks = projectsBlocks(head, projects, sections.length - projects.length).filter(
    // The sections of a single project say the same.
    ({ is }) => !(isOneProject(projects) && (is === "table" || is === "heading")),
  );
  const top = join(
    [
      renderBanners(facts),
      trusted<Markdown>(
        blocksMarkdown(blocks, { limit: limit / 2 })
          .slice(1)
          .trimEnd(),
      ),
    ],
    "\n\n",
  );
  const end = ending(undefined, facts);
  const room = limit - sizeInBytes(top + end) - 500;
  const planned = projects.filter(({ document }) => document);
  const shown = planned.slice(0, Math.max(0, Math.floor(room / leastSection)));
  const same = findSameAbove(shown);
  const print = (size: number) =>
    join(
      shown.map((section) =>
        sectionMarkdown(section, facts, { ...options, limit: size, same: same.get(section) }),
      ),
      "\n\n",
    );
  const whole = print(room);
  const printed = sizeInBytes(whole) <= room ? whole : print(Math.floor(room / shown.length) - 2);
  const left = planned.length - shown.length;
  const where =
    facts.runUrl === undefined
      ? md`\`avatarops plan --all\``
      : link(md`The summary of the run`, facts.runUrl);
  const lacks =
    left > 0
      ? md`_${trusted<Markdown>(count(left, "more plan"))} not shown here. ${where} shows everything._`
      : md``;
  return join([top, printed, lacks, end], "\n\n");
}

function isOneProject(sections: readonly ReviewSection[]): boolean {
  const [first] = sections;
  return (
    first !== undefined && sections.every(({ project, document }) => project === first.project && document)
  );
}

/** An environment of a project. */
function sectionMarkdown(
  { document, facts = {}, fileUrl, ...at }: ReviewSection,
  { runUrl: wholeUrl }: ReviewFacts,
  { limit = 0, ...options }: PlanMarkdownOptions & ShownAbove,
): Markdown {
  if (!document) throw new Error("Bug: nothing to show");
  const title = renderProjectHeading(at, "markdown");
  const shown = { ...options, wholeUrl, fileUrl, limit: limit - sizeInBytes(title) - 2 };
  return trusted(`${title}\n${renderReviewMarkdown(document, facts, shown).trimEnd()}`);
}

/** For each section, the environment of the first one above it, of the same project, that has the same changes. */
function findSameAbove(sections: readonly ReviewSection[]): ReadonlyMap<ReviewSection, ShownAbove["same"]> {
  const first = new Map<string, ReviewSection>();
  return new Map(
    sections.map((section) => {
      const changes = changesIn(section.document);
      if (changes === undefined) return [section, undefined];
      const key = JSON.stringify([section.project, changes]);
      const above = first.get(key);
      if (!above) first.set(key, section);
      return [section, above?.environment];
    }),
  );
}

/** Without ids and names, which differ between environments; undefined if there are none, or if a secret may have another source. */
function changesIn(document: ReviewSection["document"]): string | undefined {
  if (document?.format !== "avatarops/plan" || document.changes.length === 0) return undefined;
  if (document.changes.some(({ fields }) => fields.some(({ type }) => type === "write-only")))
    return undefined;
  return JSON.stringify(document.changes.map(({ id: _id, label: _label, ...change }) => change));
}
