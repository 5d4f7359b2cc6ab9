import { type DiagnosticsDocument, type PlanDocument, withoutHints } from "../documents/index.js";
import { blocksMarkdown, type PlanMarkdownOptions } from "./blocks-markdown.js";
import { clip } from "./cells.js";
import { renderMarkdown } from "./document.js";
import {
  code,
  fenced,
  join,
  link,
  type Markdown,
  md,
  named,
  sentence,
  sizeInBytes,
  trusted,
} from "./markdown.js";
import { type ApplyProgress, progressBlocks } from "./outcome.js";
import type { ShownAbove } from "./plan.js";
import { repeatOptions } from "./repeat-options.js";
import type { RepeatedOptions } from "./span.js";

/** How a change stands to the base that it is proposed to, whose commits it lacks. */
export interface BaseComparison {
  /** Name of the branch, or the start of a commit's id. */
  readonly name: string;
  readonly commit: string;
  readonly url?: string | undefined;
  /** How many commits it lacks; absent where a shallow clone cannot tell. */
  readonly behind?: number;
  /** Why the plan is of the change alone, without a period; absent: it is of the merge. */
  readonly problem?: string;
}

/** Another open pull request, and the objects that both change. */
export interface OtherPullRequest {
  readonly number: number;
  readonly url: string;
  /** Untrusted. */
  readonly title: string;
  readonly objects: readonly string[];
}

/** The changes of a plan that a needed environment already has. */
export interface AppliedElsewhere {
  readonly environment: string;
  readonly addresses: readonly string[] | "unknown";
}

/** What has to be given, or to happen, before a plan can be applied by its digest. */
export interface ApplyConditions {
  /** The plan exceeds a threshold. */
  readonly force: boolean;
  /** The environments that must have it first. */
  readonly needs: readonly string[];
  readonly isHeld: boolean;
}

/** What a comment on a pull request says in addition to the plan. */
export interface ReviewFacts {
  /** The reviewed commit, and its page. */
  readonly commit?: string | undefined;
  readonly commitUrl?: string | undefined;
  readonly runUrl?: string | undefined;
  readonly base?: BaseComparison | undefined;
  readonly applied?: readonly AppliedElsewhere[] | undefined;
  readonly others?: readonly OtherPullRequest[] | "unknown" | undefined;
  /** The command that applies exactly this plan. */
  readonly apply?: string | undefined;
  readonly conditions?: ApplyConditions | undefined;
  readonly repeated?: RepeatedOptions | undefined;
  /** The pull request's head, and its page, if that is another commit by now. */
  readonly head?: string | undefined;
  readonly headUrl?: string | undefined;
}

/** A plan, or what is wrong with the files, as the comment on a pull request. */
export function renderReviewMarkdown(
  content: PlanDocument | DiagnosticsDocument,
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions & ShownAbove = {},
): string {
  const banners = renderBanners(facts);
  const banner = banners === "" ? "" : `${banners}\n\n`;
  const end = ending(facts);
  const room = { ...options, limit: limit - sizeInBytes(banner + end) - 2 };
  const isPlan = content.format === "avatarops/plan";
  const shown = isPlan ? withoutHints(content) : content;
  const text = renderMarkdown(shown, { wholeUrl: facts.runUrl, repeated: facts.repeated, ...room });
  return `${banner}${text}\n${end}`;
}

/** What a reader must know before all else. */
export function renderBanners(facts: ReviewFacts): Markdown {
  const outdated = facts.head === undefined ? md`` : renderOutdatedMarkdown(facts);
  return join([outdated, behindBanner(facts.base)], "\n\n");
}

/** How far an apply has come, as a comment on the pull request that it applies; `name` is that of what is applied. */
export function renderOutcomeMarkdown(
  progress: ApplyProgress,
  facts: ReviewFacts & Parameters<typeof progressBlocks>[1],
  { limit }: { readonly limit: number },
): string {
  const end = join(aboutRun(facts), " · ");
  const blocks = repeatOptions(progressBlocks(progress, facts), facts.repeated);
  return `${blocksMarkdown(blocks, { limit: limit - sizeInBytes(end) - 2, wholeUrl: facts.runUrl })}\n\n${end}\n`;
}

/** The first line of a comment that is about an earlier commit than the pull request's head. */
export function renderOutdatedMarkdown({ commit, commitUrl, head, headUrl, runUrl }: ReviewFacts): Markdown {
  const of = commit === undefined ? md`an earlier commit` : commitLink(commit, commitUrl);
  const now = head === undefined ? md`another commit` : commitLink(head, headUrl);
  const run = runUrl === undefined ? md`` : md` ${link(md`See the run`, runUrl)}.`;
  return md`> **Outdated:** this is about ${of}, and the pull request is now at ${now}.${run}`;
}

/** That the plan is not of the merge, and what it may show wrongly. */
function behindBanner(base: BaseComparison | undefined): Markdown {
  if (base?.problem === undefined) return md``;
  const { name, commit, url, behind, problem } = base;
  const where = md`${code(name)} (${commitLink(commit, url)})`;
  const lacks =
    behind === undefined
      ? md`may lack commits of ${where}`
      : md`lacks ${behind} commit${trusted(behind === 1 ? "" : "s")} of ${where}`;
  return md`> **Behind:** this change ${lacks}, and the plan is of the change alone: ${sentence(problem)}. What it says of what they change may be their revert. Merge the branch or rebase.`;
}

/** The end of a comment: commit and run, and how what is shown is applied. */
export function ending(facts: ReviewFacts): Markdown {
  const { apply, conditions: { needs = [], isHeld = false } = {} } = facts;
  const until = [
    needs.length > 0
      ? md`${join(needs.map(code), " and ")} ${trusted(needs.length === 1 ? "has" : "have")} it`
      : md``,
    isHeld ? md`the hold has ended` : md``,
  ];
  const once = join(until, " and ");
  const how =
    apply === undefined
      ? md``
      : md`After the merge${once === "" ? md`` : md`, once ${once}`}, this applies exactly this plan, or refuses:

${fenced([apply], "")}`;
  return md`${join([...appliedNotes(facts), othersNote(facts), how, join(aboutRun(facts), " · ")], "\n\n")}
`;
}

function appliedNotes({ applied = [] }: ReviewFacts): Markdown[] {
  return applied.map(({ environment, addresses }) =>
    addresses === "unknown"
      ? md`It could not be checked what ${code(environment)} already has: the log of the job says why.`
      : md`Already applied to ${code(environment)}: ${named(addresses)}.`,
  );
}

/** An object of a pull request, and more of them as a number: the note is one line. */
const maxOthers = 3;

function othersNote({ others = [] }: ReviewFacts): Markdown {
  if (others === "unknown")
    return md`It could not be checked whether other open pull requests change the same: the log of the job says why.`;
  if (others.length === 0) return md``;
  const shown = others.slice(0, maxOthers).map(({ number, url, title, objects }) => {
    const [first = "", ...more] = objects;
    const rest = more.length > 0 ? md` and ${more.length} more` : md``;
    return md`${link(md`#${number}`, url)} ${sentence(clip(title, 80))} (${code(first)}${rest})`;
  });
  const left = others.length - shown.length;
  const rest = left > 0 ? md`, and ${left} more` : md``;
  return md`Other open pull requests change the same: ${join(shown, ", ")}${rest}. After one is merged, the others need a new review.`;
}

function mergedWith(base: BaseComparison | undefined): Markdown {
  if (!base?.behind || base.problem !== undefined) return md``;
  return md`, merged with ${code(base.name)} at ${commitLink(base.commit, base.url)}`;
}

function aboutRun({ commit, commitUrl, runUrl, base }: ReviewFacts): Markdown[] {
  return [
    commit === undefined ? md`` : md`Commit ${commitLink(commit, commitUrl)}${mergedWith(base)}`,
    runUrl === undefined ? md`` : link(md`run`, runUrl),
  ];
}

function commitLink(commit: string, url: string | undefined): Markdown {
  return link(code(commit.slice(0, 10)), url);
}
