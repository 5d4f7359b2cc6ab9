import type { DiagnosticsDocument, PlanDocument } from "../documents/index.js";
import type { PlanMarkdownOptions } from "./blocks-markdown.js";
import { renderMarkdown } from "./document.js";
import { code, fenced, join, link, type Markdown, md, sizeInBytes } from "./markdown.js";

/** What a comment on a pull request says in addition to the plan. */
export interface ReviewFacts {
  /** The reviewed commit, and its page. */
  readonly commit?: string | undefined;
  readonly commitUrl?: string | undefined;
  readonly runUrl?: string | undefined;
  /** The command that applies exactly this plan. */
  readonly apply?: string | undefined;
  /** The pull request's head, and its page, if that is another commit by now. */
  readonly head?: string | undefined;
  readonly headUrl?: string | undefined;
}

/** A plan, or what is wrong with the files, as the comment on a pull request. */
export function renderReviewMarkdown(
  content: PlanDocument | DiagnosticsDocument,
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions = {},
): string {
  const banner = facts.head === undefined ? "" : `${renderOutdatedMarkdown(facts)}\n\n`;
  const end = ending(content, facts);
  const room = { ...options, limit: limit - sizeInBytes(banner + end) - 2 };
  const text = renderMarkdown(content, { wholeUrl: facts.runUrl, ...room });
  return `${banner}${text}\n${end}`;
}

/** The first line of a comment that is about an earlier commit than the pull request's head. */
export function renderOutdatedMarkdown({ commit, commitUrl, head, headUrl, runUrl }: ReviewFacts): string {
  const of = commit === undefined ? md`an earlier commit` : commitLink(commit, commitUrl);
  const now = head === undefined ? md`another commit` : commitLink(head, headUrl);
  const run = runUrl === undefined ? md`` : md` ${link(md`See the run`, runUrl)}.`;
  return md`> **Outdated:** this is about ${of}, and the pull request is now at ${now}.${run}`;
}

function ending(content: PlanDocument | DiagnosticsDocument, facts: ReviewFacts): Markdown {
  const { commit, commitUrl, runUrl, apply } = facts;
  const about = [
    commit === undefined ? md`` : md`Commit ${commitLink(commit, commitUrl)}`,
    runUrl === undefined ? md`` : link(md`run`, runUrl),
  ];
  const isPlan = content.format === "avatarops/plan" && content.exit !== "nothing";
  const how =
    isPlan && apply !== undefined
      ? md`After the merge, this applies exactly this plan, or refuses:

${fenced([apply], "")}`
      : md``;
  return md`${join([how, join(about, " · ")], "\n\n")}
`;
}

function commitLink(commit: string, url: string | undefined): Markdown {
  return link(code(commit.slice(0, 10)), url);
}
