import { cutText } from "../../base/text/index.js";
import { digestValue } from "../../core/kinds/index.js";
import type { ReviewSettings } from "../../core/manifest/index.js";
import {
  type DiagnosticsDocument,
  isSettledExit,
  type PlanDocument,
  type PlanExit,
} from "../../output/documents/index.js";
import {
  type ApplyConditions,
  type BaseComparison,
  type PartialChange,
  type ReviewFacts,
  renderOutdatedMarkdown,
} from "../../output/render/index.js";
import {
  type CodeHost,
  createReviewMarker,
  formatMarker,
  formatReviewContext,
  formatReviewDescription,
  HostError,
  HostSetupError,
  listOwnComments,
  noKeyPrefix,
  type PullRequest,
  readMarker,
  upsertComment,
} from "../../review/hosts/index.js";
import { getSettleOptions, withRepositoryHost } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { findOtherPullRequests } from "./other-pull-requests.js";
import { listFacts, nameObject, type ReviewedObjects } from "./reviewed-changes.js";
import type { ReviewTarget } from "./target.js";

/** Content of a review: a plan, or the errors in the files. */
export interface ReviewContent {
  readonly document: PlanDocument | DiagnosticsDocument;
  /** Shared texts that differ from the base. */
  readonly partials?: readonly PartialChange[] | undefined;
  /** Result in one line. */
  readonly counts: string;
  readonly digest?: string;
  /** The base that the change was compared with, if any. */
  readonly base?: BaseComparison | undefined;
  /** Conditions for applying the plan. Omitted if no command can apply it. */
  readonly conditions?: ApplyConditions | undefined;
  /** Changes that were already applied to required environments. */
  readonly applied?: ReviewFacts["applied"];
  /** Change digests, by address. */
  readonly objects?: ReadonlyMap<string, string>;
  /** Addresses of changes that come only from the base. */
  readonly fromBase?: ReadonlySet<string> | undefined;
  /** Whether the plan can be applied without a further decision. */
  readonly isGood: boolean;
  /** Display settings, which an untrusted change cannot override. Undefined if the files cannot be read. */
  readonly settings: ReviewSettings | undefined;
  /** Overall result of the plan. `refused` if the files have errors or violate a policy. */
  readonly verdict: PlanExit | "refused";
  /** Whether the plan contains only dashboard edits that apply skips. */
  readonly isOnlyDrift?: boolean;
}

/** Maximum comment size. Longer comments slow down pages, even if the host accepts them. */
const maxCommentBytes = 200_000;
const reservedMarkerBytes = 1000;

/** Returns the maximum comment size in bytes, without the marker. */
export function getCommentLimit({ limits }: CodeHost): number {
  return Math.min(limits.body, maxCommentBytes) - reservedMarkerBytes;
}

/** Facts that are looked up only when a comment is posted. */
export type CommentFacts = Pick<ReviewFacts, "head" | "others">;

/** Returns the commit and run facts for a comment. */
export function toReviewFacts(
  { runUrl, commit, getCommitUrl, apply, repeated }: ReviewTarget,
  { digest, base, applied, conditions }: Partial<Omit<ReviewContent, "document">>,
  { head, others }: CommentFacts = {},
): ReviewFacts {
  return {
    commit,
    commitUrl: commit === undefined ? undefined : getCommitUrl(commit),
    runUrl,
    ...{ conditions, repeated },
    apply: digest === undefined || !conditions ? undefined : apply(digest, conditions),
    base: base && { ...base, url: getCommitUrl(base.commit) },
    ...{ applied, others, head },
    headUrl: head === undefined ? undefined : getCommitUrl(head),
  };
}

/** A comment to post, with the projects that it reviews. */
export interface ReviewComment {
  /** Renders the text in up to `limit` bytes. */
  render(found: CommentFacts, limit: number): string;
  /** Targets, each with its status content. */
  readonly reviewed: readonly (readonly [ReviewTarget, Omit<ReviewContent, "document" | "verdict">])[];
  /** Plan digest, set only if there is a single project. */
  readonly digest?: string | undefined;
  /** Whether to only update an existing comment. */
  readonly isOnlyUpdate?: boolean;
}

/**
 * Posts the comment, calls `onPosted` with its URL, and sets each status. Returns whether the run has a pull request.
 */
export async function post(
  runtime: Runtime,
  target: ReviewTarget,
  comment: ReviewComment,
  onPosted: (url: string) => void,
): Promise<boolean> {
  try {
    await withRepositoryHost(runtime, target.run.host, async (host) => {
      const listed = listReviewed(target, comment);
      const url = await postComment(runtime, host, target, comment, listed);
      if (url !== undefined) onPosted(url);
      for (const [of, content] of comment.reviewed)
        await setStatus(host, of, content, { url, list: listed.list });
    });
    return target.run.pullRequest !== undefined;
  } catch (error) {
    const hint =
      error instanceof HostError || error instanceof HostSetupError ? forkHints.get(error.code) : "";
    if (!hint || !target.run.isFromFork) throw error;
    runtime.output.info(hint);
    return false;
  }
}

/** Returns whether the settings suppress the comment because nothing changes. */
export function isQuiet({
  settings,
  verdict,
  isOnlyDrift,
}: Pick<ReviewContent, "settings" | "verdict" | "isOnlyDrift">): boolean {
  return settings?.comment === "changes" && (isSettledExit(verdict) || isOnlyDrift === true);
}

const readOnlyToken =
  "No comment was posted, because fork pull requests have read-only tokens. The plan is in the job summary or in this log.";

/** Hints for pull requests from forks, by error code. */
const forkHints: ReadonlyMap<string, string> = new Map([
  [
    "no-token",
    "No comment was posted, because there is no token. Pull requests from forks usually have none.",
  ],
  ["host-forbidden", readOnlyToken],
  // In a private repository, Gitea's token for a fork cannot even read the pull request.
  ["host-not-found", readOnlyToken],
]);

/**
 * Posts the comment and returns its URL. Returns undefined outside a pull request, or if a newer commit already
 * has a comment.
 */
async function postComment(
  runtime: Runtime,
  host: CodeHost,
  target: ReviewTarget,
  { render, digest, reviewed: all, isOnlyUpdate = false }: ReviewComment,
  { touched, fromBase, facts: list }: ListedChanges,
): Promise<string | undefined> {
  const { output } = runtime;
  const { run, reviewed, commit = "", sign } = target;
  if (run.pullRequest === undefined) {
    output.info("This run has no pull request, so no comment was posted. Choose one with --pull-request.");
    return undefined;
  }
  const marker = createReviewMarker(reviewed);
  const pull = await host.getPullRequest(run.pullRequest);
  const head = findMovedHead(pull, commit);
  const [posted] = await listOwnComments(host, pull.number, marker);
  const previous = posted ? readMarker(posted.body, marker) : {};
  const isLater = head !== undefined && previous.commit === head;
  if (isLater && previous.signature === sign(head, previous.digest ?? "")) {
    output.info(
      `No comment was posted, because the pull request is now at ${head} and already has a comment about that commit.`,
    );
    return undefined;
  }
  if (!posted && isOnlyUpdate) return undefined;
  const signature = sign(commit, digest ?? "");
  const facts = { commit, digest, signature, ...list };
  const own = new Map([...touched].filter(([name]) => !fromBase.has(name)));
  const others = await findOtherPullRequests(runtime, host, target, pull, own);
  const limit = getCommentLimit(host) - formatMarker(marker, facts).length;
  const { url } = await upsertComment(host, pull.number, {
    ...{
      marker,
      facts,
      body: render({ head, others: shorten(others, all) }, limit),
      ...getSettleOptions(runtime),
    },
  });
  return url;
}

/** Changes of all projects, as the marker lists them. */
interface ListedChanges {
  readonly touched: ReviewedObjects;
  /** Names of changes that come only from the base. */
  readonly fromBase: ReadonlySet<string>;
  readonly facts: ReturnType<typeof listFacts>;
  /** Digest of the list, for the status. Undefined if the list is empty or signed. */
  readonly list: string | undefined;
}

function listReviewed(target: ReviewTarget, { reviewed: all }: ReviewComment): ListedChanges {
  const touched = toReviewedObjects(all);
  const fromBase = new Set(
    all.flatMap(([of, { fromBase = [] }]) => [...fromBase].map((address) => nameObject(of, address))),
  );
  const facts = listFacts(touched, fromBase, target.commit ?? "", target);
  const { objects, listed } = facts;
  const list = objects === undefined || listed !== undefined ? undefined : digestValue(objects);
  return { touched, fromBase, facts, list };
}

/** Collects the change digests of all projects. */
function toReviewedObjects(all: ReviewComment["reviewed"]): ReviewedObjects {
  return new Map(
    all.flatMap(([target, { objects = [] }]) =>
      [...objects].map(([address, digest]): [string, string] => [nameObject(target, address), digest]),
    ),
  );
}

/** Shortens object names to addresses if there is only one project. */
function shorten(others: ReviewFacts["others"], all: ReviewComment["reviewed"]): ReviewFacts["others"] {
  const [first, second] = all;
  if (!first || second || others === undefined || others === "unknown") return others;
  const prefix = nameObject(first[0], "");
  return others.map((one) => ({ ...one, objects: one.objects.map((name) => name.slice(prefix.length)) }));
}

/** Returns the pull request's head, if it is not the reviewed commit. */
function findMovedHead({ headCommit }: PullRequest, commit: string): string | undefined {
  return commit === "" || headCommit === "" || headCommit === commit ? undefined : headCommit;
}

async function setStatus(
  host: CodeHost,
  { runUrl, reviewed, commit, sign }: ReviewTarget,
  content: Pick<ReviewContent, "digest" | "counts" | "isGood">,
  { url, list }: { readonly url?: string | undefined; readonly list?: string | undefined },
): Promise<void> {
  if (commit === undefined) return;
  const { counts, isGood, digest } = content;
  const { statusDescription: limit } = host.limits;
  const description =
    digest === undefined
      ? cutText(isGood ? `${noKeyPrefix}${counts}` : counts, limit)
      : formatReviewDescription({ digest, signature: sign(commit, digest), list }, counts, limit);
  const state = isGood ? "success" : "failure";
  const context = formatReviewContext(reviewed);
  await host.createStatus(commit, { context, state, description, url: url ?? runUrl });
}

/** Status content if no plan can be made. */
export const planFailedStatus = {
  counts: "The plan could not be computed.",
  isGood: false,
  settings: undefined,
};

/** Marks an older comment as outdated, and sets a failed status. */
export async function postFailure(runtime: Runtime, target: ReviewTarget): Promise<void> {
  const { run, reviewed, commit } = target;
  const marker = createReviewMarker(reviewed);
  await withRepositoryHost(runtime, run.host, async (host) => {
    const [posted] =
      run.pullRequest === undefined ? [] : await listOwnComments(host, run.pullRequest, marker);
    const facts = posted ? readMarker(posted.body, marker) : {};
    if (posted && run.pullRequest !== undefined && commit !== undefined && facts.commit !== commit) {
      const banner = renderOutdatedMarkdown(
        toReviewFacts({ ...target, commit: facts.commit }, {}, { head: commit }),
      );
      const text = posted.body.slice(posted.body.indexOf("\n") + 1).replace(/^> \*\*Outdated:.*\n\n/, "");
      await upsertComment(host, run.pullRequest, { marker, facts, body: `${banner}\n\n${text}` });
    }
    await setStatus(host, target, planFailedStatus, {});
  });
}
