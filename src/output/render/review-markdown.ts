import { type DiagnosticsDocument, dropHints, type PlanDocument } from "../documents/index.js";
import { type PlanMarkdownOptions, renderBlocksMarkdown } from "./blocks-markdown.js";
import { clip } from "./cells.js";
import { renderMarkdown } from "./document.js";
import {
  fenceLines,
  join,
  link,
  listCodeNames,
  type Markdown,
  md,
  measureBytes,
  toCode,
  toSentence,
  trustText,
} from "./markdown.js";
import { type ApplyProgress, renderProgressBlocks } from "./outcome.js";
import type { EarlierContent } from "./plan.js";
import { repeatOptions } from "./repeat-options.js";
import type { RepeatedOptions } from "./span.js";

/** The target branch, and how far the change is behind it. */
export interface BaseComparison {
  /** Branch name or abbreviated commit id. */
  readonly name: string;
  readonly commit: string;
  readonly url?: string | undefined;
  /** Number of commits on the branch that the change lacks. Undefined if unknown (shallow clone). */
  readonly behind?: number;
  /** Why the plan does not include the target branch's new commits, as a clause. */
  readonly problem?: string;
}

/** Another open pull request that changes the same objects. */
export interface OtherPullRequest {
  readonly number: number;
  readonly url: string;
  /** Untrusted title. */
  readonly title: string;
  readonly objects: readonly string[];
}

/** Planned changes that are already applied to a required environment. */
export interface AppliedElsewhere {
  readonly environment: string;
  readonly addresses: readonly string[] | "unknown";
}

/** Conditions for applying a plan by its digest. */
export interface ApplyConditions {
  readonly exceedsThreshold: boolean;
  /** Environments where the plan must be applied first. */
  readonly needs: readonly string[];
  readonly isHeld: boolean;
}

/** Content of a pull request comment in addition to the plan. */
export interface ReviewFacts {
  /** Reviewed commit. */
  readonly commit?: string | undefined;
  readonly commitUrl?: string | undefined;
  readonly runUrl?: string | undefined;
  readonly base?: BaseComparison | undefined;
  readonly applied?: readonly AppliedElsewhere[] | undefined;
  readonly others?: readonly OtherPullRequest[] | "unknown" | undefined;
  /** Command that applies exactly this plan. */
  readonly apply?: string | undefined;
  readonly conditions?: ApplyConditions | undefined;
  readonly repeated?: RepeatedOptions | undefined;
  /** Current head of the pull request, if it differs from the reviewed commit. */
  readonly head?: string | undefined;
  readonly headUrl?: string | undefined;
}

/** Renders a plan, or the errors in the files, as a comment on a pull request. */
export function renderReviewMarkdown(
  content: PlanDocument | DiagnosticsDocument,
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions & EarlierContent = {},
): string {
  const banners = renderBanners(facts);
  const banner = banners === "" ? "" : `${banners}\n\n`;
  const end = renderEnding(facts);
  const room = { ...options, limit: limit - measureBytes(banner + end) - 2 };
  const isPlan = content.format === "avatarops/plan";
  const shown = isPlan ? dropHints(content) : content;
  const text = renderMarkdown(shown, { wholeUrl: facts.runUrl, repeated: facts.repeated, ...room });
  return `${banner}${text}\n${end}`;
}

/** Renders warnings for the top of a comment. */
export function renderBanners(facts: ReviewFacts): Markdown {
  const outdated = facts.head === undefined ? md`` : renderOutdatedMarkdown(facts);
  return join([outdated, renderBehindBanner(facts.base)], "\n\n");
}

/** Renders an apply's progress as a comment on its pull request. */
export function renderOutcomeMarkdown(
  progress: ApplyProgress,
  facts: ReviewFacts & Parameters<typeof renderProgressBlocks>[1],
  { limit }: { readonly limit: number },
): string {
  const end = join(describeRun(facts), " · ");
  const blocks = repeatOptions(renderProgressBlocks(progress, facts), facts.repeated);
  return `${renderBlocksMarkdown(blocks, { limit: limit - measureBytes(end) - 2, wholeUrl: facts.runUrl })}\n\n${end}\n`;
}

/** Renders the first line of a comment whose commit is no longer the head. */
export function renderOutdatedMarkdown({ commit, commitUrl, head, headUrl, runUrl }: ReviewFacts): Markdown {
  const of = commit === undefined ? md`an earlier commit` : renderCommitLink(commit, commitUrl);
  const now = head === undefined ? md`another commit` : renderCommitLink(head, headUrl);
  const run = runUrl === undefined ? md`` : md` ${link(md`See the run`, runUrl)}.`;
  return md`> **Outdated:** this comment is about ${of}, but the pull request is now at ${now}.${run}`;
}

/** Warns that the plan lacks the target branch's new commits, so it may show them as reverts. */
function renderBehindBanner(base: BaseComparison | undefined): Markdown {
  if (base?.problem === undefined) return md``;
  const { name, commit, url, behind, problem } = base;
  const where = md`${toCode(name)} (${renderCommitLink(commit, url)})`;
  const position =
    behind === undefined
      ? md`may be behind ${where}`
      : md`is ${behind} commit${trustText(behind === 1 ? "" : "s")} behind ${where}`;
  return md`> **Behind:** this change ${position}, and the plan does not include those commits: ${toSentence(problem)}. The plan may show them as reverts. Merge ${toCode(name)} into this branch, or rebase.`;
}

/** Renders the end of a comment, with the apply command, the commit and the run. */
export function renderEnding(facts: ReviewFacts): Markdown {
  const { apply, conditions: { needs = [], isHeld = false } = {} } = facts;
  const until = [
    needs.length > 0
      ? md`${join(needs.map(toCode), " and ")} ${trustText(needs.length === 1 ? "has" : "have")} it`
      : md``,
    isHeld ? md`the hold has ended` : md``,
  ];
  const once = join(until, " and ");
  const how =
    apply === undefined
      ? md``
      : md`To apply exactly this plan after the merge${once === "" ? md`` : md`, once ${once}`}:

${fenceLines([apply], "")}`;
  return md`${join([...renderAppliedNotes(facts), renderOthersNote(facts), how, join(describeRun(facts), " · ")], "\n\n")}
`;
}

function renderAppliedNotes({ applied = [] }: ReviewFacts): Markdown[] {
  return applied.map(({ environment, addresses }) =>
    addresses === "unknown"
      ? md`The changes already applied to ${toCode(environment)} are unknown. See the job log.`
      : md`Already applied to ${toCode(environment)}: ${listCodeNames(addresses)}.`,
  );
}

/** Maximum number of other pull requests to name, so that the note fits on one line. */
const maxOthers = 3;

function renderOthersNote({ others = [] }: ReviewFacts): Markdown {
  if (others === "unknown")
    return md`Other open pull requests could not be checked for the same changes. See the job log.`;
  if (others.length === 0) return md``;
  const shown = others.slice(0, maxOthers).map(({ number, url, title, objects }) => {
    const [first = "", ...more] = objects;
    const rest = more.length > 0 ? md` and ${more.length} more` : md``;
    return md`${link(md`#${number}`, url)} ${toSentence(clip(title, 80))} (${toCode(first)}${rest})`;
  });
  const left = others.length - shown.length;
  const rest = left > 0 ? md`, and ${left} more` : md``;
  return md`Other open pull requests change the same objects: ${join(shown, ", ")}${rest}. After one is merged, the others need a new review.`;
}

function describeMerge(base: BaseComparison | undefined): Markdown {
  if (!base?.behind || base.problem !== undefined) return md``;
  return md`, merged with ${toCode(base.name)} at ${renderCommitLink(base.commit, base.url)}`;
}

function describeRun({ commit, commitUrl, runUrl, base }: ReviewFacts): Markdown[] {
  return [
    commit === undefined ? md`` : md`Commit ${renderCommitLink(commit, commitUrl)}${describeMerge(base)}`,
    runUrl === undefined ? md`` : link(md`run`, runUrl),
  ];
}

function renderCommitLink(commit: string, url: string | undefined): Markdown {
  return link(toCode(commit.slice(0, 10)), url);
}
