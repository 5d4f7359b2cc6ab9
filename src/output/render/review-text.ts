import {
  type DiagnosticsDocument,
  dropHints,
  type PlanDocument,
  type ProjectsHead,
} from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  inline,
  joinInline,
  lines,
  name,
  ownText,
  paragraph,
  sentence,
} from "./blocks.js";
import { renderBlocksText } from "./blocks-text.js";
import { renderText } from "./document.js";
import { formatCount } from "./phrases.js";
import { renderProjectHeading, renderProjectsBlocks } from "./projects.js";
import type { BaseComparison, ReviewFacts } from "./review-markdown.js";
import type { ReviewSection } from "./reviews-markdown.js";
import type { TextOptions } from "./span.js";

/* Reviews for the job log, used if there is no comment. */

/** Renders a plan, or the errors in the files, with the command that applies exactly this plan. */
export function renderReviewText(
  content: PlanDocument | DiagnosticsDocument,
  facts: ReviewFacts,
  options: TextOptions,
): string {
  const isPlan = content.format === "avatarops/plan";
  const { apply, conditions: { needs = [], isHeld = false } = {} } = facts;
  const repeated = facts.repeated ?? options.repeated;
  const until = [
    ...(needs.length > 0
      ? [inline`${name(needs.join(" and "))} ${ownText(needs.length === 1 ? "has" : "have")} it`]
      : []),
    ...(isHeld ? [inline`the hold has ended`] : []),
  ];
  const once = until.length > 0 ? inline`, once ${joinInline(until, " and ")}` : [];
  const how =
    apply === undefined
      ? []
      : [gap, heading(...inline`To apply exactly this plan${once}:`), lines(inline`  ${name(apply)}`)];
  const blocks = [...renderAppliedBlocks(facts), ...how, ...renderCommitBlocks(facts)];
  return [
    renderBlocksText(renderBehindBlocks(facts.base), options),
    renderText(isPlan ? dropHints(content) : content, { ...options, repeated }),
    renderBelow(blocks, options),
  ].join("");
}

/** Renders several projects. Projects with something to show come first, then a table. */
export function renderReviewsText(
  head: ProjectsHead,
  sections: readonly ReviewSection[],
  facts: ReviewFacts,
  options: TextOptions,
): string {
  const projects = sections.filter(({ isQuiet }) => !isQuiet);
  const shown = projects.flatMap(({ document, facts: own = {}, ...at }) =>
    document ? [renderProjectHeading(at, options), renderReviewText(document, own, options)] : [],
  );
  const table = renderProjectsBlocks(head, projects, sections.length - projects.length);
  return [...shown, renderBelow([...table, ...renderCommitBlocks(facts)], options)].join("");
}

/** Renders blocks with an empty line above them. */
function renderBelow(blocks: readonly Block[], options: TextOptions): string {
  return blocks.length === 0 ? "" : `\n${renderBlocksText(blocks, options)}`;
}

function renderAppliedBlocks({ applied = [] }: ReviewFacts): Block[] {
  return applied.map(({ environment, addresses }) =>
    addresses === "unknown"
      ? paragraph(
          inline`The changes already applied to ${name(environment)} are unknown. See the warning above.`,
        )
      : paragraph(inline`Already applied to ${name(environment)}: ${name(addresses.join(", "))}.`),
  );
}

function renderCommitBlocks({ commit, base }: ReviewFacts): Block[] {
  if (commit === undefined) return [];
  const isMerged = base?.behind && base.problem === undefined;
  const merged = isMerged ? inline`, merged with ${name(base.name)} at ${renderCommitId(base.commit)}` : [];
  return [gap, heading(ownText("Commit "), renderCommitId(commit), ...merged)];
}

function renderBehindBlocks(base: BaseComparison | undefined): Block[] {
  if (base?.problem === undefined) return [];
  const { name: branch, commit, behind, problem } = base;
  const position = behind === undefined ? "may be behind" : `is ${formatCount(behind, "commit")} behind`;
  return [
    heading(
      ownText("Behind: ", "warning"),
      ...inline`this change ${ownText(position)} ${name(branch)} (${renderCommitId(commit)}), and the plan does not include those commits: ${sentence(problem)}. The plan may show them as reverts. Merge ${name(branch)} into this branch, or rebase.`,
    ),
    gap,
  ];
}

function renderCommitId(commit: string) {
  return name(commit.slice(0, 10));
}
