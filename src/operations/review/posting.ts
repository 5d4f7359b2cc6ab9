import { cutText } from "../../base/text/index.js";
import type { ReviewSettings } from "../../core/manifest/index.js";
import type { DiagnosticsDocument, PlanDocument, PlanExit } from "../../output/documents/index.js";
import {
  type ApplyConditions,
  type BaseComparison,
  type PartialChange,
  type ReviewFacts,
  renderOutdatedMarkdown,
} from "../../output/render/index.js";
import {
  type CodeHost,
  HostError,
  HostSetupError,
  markerLine,
  ownComments,
  type PullRequest,
  readMarker,
  reviewContext,
  reviewDescription,
  reviewMarker,
  upsertComment,
  withoutKey,
} from "../../review/hosts/index.js";
import { onCodeHost, settleOptions } from "../project/code-host.js";
import type { Runtime } from "../runtime/runtime.js";
import { findOthers } from "./other-pull-requests.js";
import { listFacts, objectName, type ReviewedObjects } from "./reviewed-changes.js";
import type { ReviewTarget } from "./target.js";

/** A plan, or what is wrong with the files. */
export interface ReviewContent {
  readonly document: PlanDocument | DiagnosticsDocument;
  /** Shared texts that differ from the base. */
  readonly partials?: readonly PartialChange[] | undefined;
  /** In one line. */
  readonly counts: string;
  /** Digest of a plan. */
  readonly digest?: string;
  /** How the change stands to what it is proposed to; absent: it has all of it, or that is not known. */
  readonly base?: BaseComparison | undefined;
  /** Absent: no command applies it. */
  readonly conditions?: ApplyConditions | undefined;
  /** The changes that needed environments already have. */
  readonly applied?: ReviewFacts["applied"];
  /** The digest of each change, by address. */
  readonly objects?: ReadonlyMap<string, string>;
  /** The addresses of changes that come from the base alone. */
  readonly fromBase?: ReadonlySet<string> | undefined;
  /** Whether the plan can be applied as it is. */
  readonly isGood: boolean;
  /** How the base, or whoever may write, wants it shown; undefined if the files cannot be read. */
  readonly settings: ReviewSettings | undefined;
  /** What apply would do with it, or that it is refused. */
  readonly verdict: PlanExit | "refused";
  /** All that differs was edited in the dashboard, and apply skips it. */
  readonly isOnlyDrift?: boolean;
}

/** Longer comments are shortened although a host would take them: nobody reads them, and pages become slow. */
const longestComment = 200_000;
/** For the marker. */
const margin = 1000;

/** In bytes, without the marker. */
export function commentLimit({ limits }: CodeHost): number {
  return Math.min(limits.body, longestComment) - margin;
}

/** Facts that are looked up when a comment is posted. */
export type FoundFacts = Pick<ReviewFacts, "head" | "others">;

/** What the comment says about commit and run. */
export function reviewFacts(
  { runUrl, commit, commitUrl, apply, repeated }: ReviewTarget,
  { digest, base, applied, conditions }: Partial<Omit<ReviewContent, "document">>,
  { head, others }: FoundFacts = {},
): ReviewFacts {
  return {
    commit,
    commitUrl: commit === undefined ? undefined : commitUrl(commit),
    runUrl,
    ...{ conditions, repeated },
    apply: digest === undefined || !conditions ? undefined : apply(digest, conditions),
    base: base && { ...base, url: commitUrl(base.commit) },
    ...{ applied, others, head },
    headUrl: head === undefined ? undefined : commitUrl(head),
  };
}

/** A comment, and what it is about. */
export interface ReviewComment {
  /** The text, in up to so many bytes. */
  render(found: FoundFacts, limit: number): string;
  /** Each with the status that it gets. */
  readonly reviewed: readonly (readonly [ReviewTarget, Omit<ReviewContent, "document" | "verdict">])[];
  /** Digest of the plan, if it is about one. */
  readonly digest?: string | undefined;
  /** There is nothing to say unless there is such a comment. */
  readonly isOnlyUpdate?: boolean;
}

/** Posts the comment, whose address `onPosted` gets, and sets each status; returns whether there is a comment now. */
export async function post(
  runtime: Runtime,
  target: ReviewTarget,
  comment: ReviewComment,
  onPosted: (url: string) => void,
): Promise<boolean> {
  try {
    await onCodeHost(runtime, target.run.host, async (host) => {
      const url = await postComment(runtime, host, target, comment);
      if (url !== undefined) onPosted(url);
      for (const [of, content] of comment.reviewed) await setStatus(host, of, content, url);
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

/** Whether no comment is wanted where nothing changes, as here. */
export function isQuiet({
  settings,
  verdict,
  isOnlyDrift,
}: Pick<ReviewContent, "settings" | "verdict" | "isOnlyDrift">): boolean {
  return settings?.comment === "changes" && (verdict === "nothing" || isOnlyDrift === true);
}

const readOnlyToken =
  "The token of a pull request from a fork can only read: the plan is in the summary of the job, or here, not in a comment.";

/** What a pull request from a fork usually lacks, by the code of the error. */
const forkHints: ReadonlyMap<string, string> = new Map([
  ["no-token", "There is no token for a comment, as is usual for a pull request from a fork."],
  ["host-forbidden", readOnlyToken],
  // Gitea's token for a fork may not even read the pull request of a private repository.
  ["host-not-found", readOnlyToken],
]);

/** The comment's address; undefined if there is no pull request, or a later commit has its comment already. */
async function postComment(
  runtime: Runtime,
  host: CodeHost,
  target: ReviewTarget,
  { render, digest, reviewed: all, isOnlyUpdate = false }: ReviewComment,
): Promise<string | undefined> {
  const { output } = runtime;
  const { run, reviewed, commit = "", sign } = target;
  if (run.pullRequest === undefined) {
    output.info("This run has no pull request, so no comment was posted. Name one with --pull-request.");
    return undefined;
  }
  const marker = reviewMarker(reviewed);
  const pull = await host.pullRequest(run.pullRequest);
  const head = movedHead(pull, commit);
  const [posted] = await ownComments(host, pull.number, marker);
  const previous = posted ? readMarker(posted.body, marker) : {};
  const isLater = head !== undefined && previous.commit === head;
  if (isLater && previous.signature === sign(head, previous.digest ?? "")) {
    output.info(`The pull request is at ${head} by now, and has a comment about that already.`);
    return undefined;
  }
  if (!posted && isOnlyUpdate) return undefined;
  const signature = sign(commit, digest ?? "");
  const touched = objectsIn(all);
  const fromBase = new Set(
    all.flatMap(([of, { fromBase = [] }]) => [...fromBase].map((address) => objectName(of, address))),
  );
  const facts = { commit, digest, signature, ...listFacts(touched, fromBase, commit, target) };
  const own = new Map([...touched].filter(([name]) => !fromBase.has(name)));
  const others = await findOthers(runtime, host, target, pull, own);
  const limit = commentLimit(host) - markerLine(marker, facts).length;
  const { url } = await upsertComment(host, pull.number, {
    ...{
      marker,
      facts,
      body: render({ head, others: shorten(others, all) }, limit),
      ...settleOptions(runtime),
    },
  });
  return url;
}

/** The digests of the changes of all projects. */
function objectsIn(all: ReviewComment["reviewed"]): ReviewedObjects {
  return new Map(
    all.flatMap(([target, { objects = [] }]) =>
      [...objects].map(([address, digest]): [string, string] => [objectName(target, address), digest]),
    ),
  );
}

/** For one project, the address is enough. */
function shorten(others: ReviewFacts["others"], all: ReviewComment["reviewed"]): ReviewFacts["others"] {
  const [first, second] = all;
  if (!first || second || others === undefined || others === "unknown") return others;
  const prefix = objectName(first[0], "");
  return others.map((one) => ({ ...one, objects: one.objects.map((name) => name.slice(prefix.length)) }));
}

/** The pull request's head, if it is not the reviewed commit. */
function movedHead({ headCommit }: PullRequest, commit: string): string | undefined {
  return commit === "" || headCommit === "" || headCommit === commit ? undefined : headCommit;
}

async function setStatus(
  host: CodeHost,
  { runUrl, reviewed, commit, sign }: ReviewTarget,
  content: Pick<ReviewContent, "digest" | "counts" | "isGood">,
  comment: string | undefined,
): Promise<void> {
  if (commit === undefined) return;
  const { counts, isGood, digest } = content;
  const { statusDescription: limit } = host.limits;
  const description =
    digest === undefined
      ? cutText(isGood ? `${withoutKey}${counts}` : counts, limit)
      : reviewDescription({ digest, signature: sign(commit, digest) }, counts, limit);
  const state = isGood ? "success" : "failure";
  const context = reviewContext(reviewed);
  await host.createStatus(commit, { context, state, description, url: comment ?? runUrl });
}

/** What the status says if no plan can be made. */
export const noPlan = { counts: "The plan could not be made.", isGood: false, settings: undefined };

/** After a failure: an older comment says that it is outdated, and the status fails. */
export async function postFailure(runtime: Runtime, target: ReviewTarget): Promise<void> {
  const { run, reviewed, commit } = target;
  const marker = reviewMarker(reviewed);
  await onCodeHost(runtime, run.host, async (host) => {
    const [posted] = run.pullRequest === undefined ? [] : await ownComments(host, run.pullRequest, marker);
    const facts = posted ? readMarker(posted.body, marker) : {};
    if (posted && run.pullRequest !== undefined && commit !== undefined && facts.commit !== commit) {
      const banner = renderOutdatedMarkdown(
        reviewFacts({ ...target, commit: facts.commit }, {}, { head: commit }),
      );
      const text = posted.body.slice(posted.body.indexOf("\n") + 1).replace(/^> \*\*Outdated:.*\n\n/, "");
      await upsertComment(host, run.pullRequest, { marker, facts, body: `${banner}\n\n${text}` });
    }
    await setStatus(host, target, noPlan, undefined);
  });
}
