import type { DiagnosticsDocument, PlanDocument, ProjectsHead, ShownChange } from "../documents/index.js";
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
  const blocks = projectsBlocks(head, projects, sections.length - projects.length);
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
  const plans = plansByProject(shown);
  const print = (size: number) =>
    join(
      shown.map((section) =>
        sectionMarkdown(section, facts, plans.get(section.project) ?? [], { ...options, limit: size }),
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

/** The plans of each project, of which each environment has its own. */
function plansByProject(sections: readonly ReviewSection[]): ReadonlyMap<string, readonly PlanDocument[]> {
  const plans = new Map<string, PlanDocument[]>();
  for (const { project, document } of sections)
    if (document?.format === "avatarops/plan") plans.set(project, [...(plans.get(project) ?? []), document]);
  return plans;
}

/** An environment of a project. */
function sectionMarkdown(
  { document, facts = {}, fileUrl, ...at }: ReviewSection,
  { runUrl: wholeUrl }: ReviewFacts,
  plans: readonly PlanDocument[],
  { limit = 0, ...options }: PlanMarkdownOptions,
): Markdown {
  if (!document) throw new Error("Bug: nothing to show");
  const title = renderProjectHeading(at, "markdown");
  const linked = { ...options, wholeUrl, fileUrl };
  const shown = { ...linked, same: sameAbove(document, plans), limit: limit - sizeInBytes(title) - 2 };
  return trusted(`${title}\n${renderReviewMarkdown(document, facts, shown).trimEnd()}`);
}

/** What the first plan above that has some of its changes has of them. */
function sameAbove(
  document: PlanDocument | DiagnosticsDocument,
  plans: readonly PlanDocument[],
): ShownAbove["same"] {
  if (document.format !== "avatarops/plan") return undefined;
  for (const earlier of plans.slice(0, plans.indexOf(document))) {
    const known = new Set(earlier.changes.map(toComparable));
    const alike = document.changes.filter((change) => isOurs(change) && known.has(toComparable(change)));
    const addresses = alike.map(({ address }) => address);
    if (addresses.length > 0) return { environment: earlier.environment ?? "", addresses };
  }
  return undefined;
}

/** Whether nothing of it is about its own account. */
function isOurs({ overwrites, candidates, held, fields }: ShownChange): boolean {
  return !overwrites && !candidates && !held && fields.every(({ cause }) => cause === "configured");
}

function toComparable({ id: _own, ...change }: ShownChange): string {
  return JSON.stringify(change);
}
