import { toOutcomeDocument } from "../../output/documents/index.js";
import { type ApplyProgress, renderOutcomeMarkdown } from "../../output/render/index.js";
import {
  type CodeHost,
  formatReviewContext,
  listOwnComments,
  type PullRequest,
  readMarker,
  upsertComment,
} from "../../review/hosts/index.js";
import type { ApplyResult } from "../account/apply-project.js";
import { refusals } from "../gates/gates.js";
import { LaterRunError } from "../gates/later-run.js";
import { getSettleOptions, withRepositoryHost } from "../project/code-host.js";
import { toFailureDocument } from "../runtime/failure-document.js";
import type { Runtime } from "../runtime/runtime.js";
import type { MergedChange } from "./merged-pull-request.js";
import { getCommentLimit, toReviewFacts } from "./posting.js";

/*
 * Posts the outcome of an apply as a new comment instead of editing the review comment, because edits do not notify
 * participants. Each project and environment has its own comment, and a re-run job updates it.
 */

/** Maximum wait for the comment before the first write, because the apply holds the lock. */
const maxCommentWaitMs = 5_000;

/**
 * Applies the changes. Comments on the pull request before the first write, in case the run crashes, and again with the
 * outcome or the error. The apply continues even if a comment fails.
 *
 * @param retriesAutomatically Whether the run retries automatically. If so, failures before the first write are
 * reported only if a person must act.
 * @param toleratesUnmetNeeds Whether to report nothing if a required environment is behind.
 */
export async function reportOutcome(
  runtime: Runtime,
  change: MergedChange | undefined,
  work: (on: {
    onWriting(changes: number): Promise<void>;
    /** Sets the pull requests to report to, instead of the commit's own. */
    onFound(pulls: readonly PullRequest[]): void;
  }) => Promise<ApplyResult | undefined>,
  {
    retriesAutomatically = false,
    toleratesUnmetNeeds = false,
  }: { readonly retriesAutomatically?: boolean; readonly toleratesUnmetNeeds?: boolean } = {},
): Promise<ApplyResult | undefined> {
  const { pull, target } = change ?? {};
  if (!target?.run.host) return work({ async onWriting() {}, onFound() {} });
  // A re-run job has the same URL, so the URL does not identify the run.
  const run = runtime.host.newId();
  let pulls = pull ? [pull] : [];
  let posted: Promise<void> | undefined;
  const post = async (progress: ApplyProgress) => {
    // Waits for the previous post, so that older progress never replaces newer progress.
    const before = posted;
    posted = runtime.runToEnd(async () => {
      await before;
      for (const one of pulls)
        await postProgress(runtime, target, one, { run, retriesAutomatically }, progress);
    });
    return posted;
  };
  let hasBegun = false;
  try {
    const applied = await work({
      async onWriting(changes) {
        hasBegun = true;
        const waiting = new AbortController();
        const posting = post({ is: "applying", changes }).finally(() => waiting.abort());
        const signal = AbortSignal.any([runtime.signal, waiting.signal]);
        await Promise.race([posting, runtime.host.sleep(maxCommentWaitMs, signal)]);
      },
      onFound(others) {
        if (others.length > 0) pulls = [...others];
      },
    });
    if (applied) await post({ is: "outcome", document: toOutcomeDocument(applied.outcome, applied.smoke) });
    return applied;
  } catch (error) {
    // The later run reports on its own pull requests and on the pull requests of this change.
    if (error instanceof LaterRunError) throw error;
    const document = toFailureDocument(error, runtime.signal);
    const isTemporary =
      document.code === "sessions-active" || (toleratesUnmetNeeds && document.code === "needs");
    const isDecided = Object.hasOwn(refusals, document.code) && !isTemporary;
    if (hasBegun || isDecided || !retriesAutomatically) await post({ is: "failure", document, hasBegun });
    throw error;
  }
}

const [before, after] = ["\n<details><summary>Earlier runs</summary>\n\n", "\n</details>\n"];

/** Splits a comment into the last run and earlier runs. */
function splitComment(body: string): readonly [own: string, earlier: string] {
  const [own = "", rest = ""] = body.slice(body.indexOf("\n") + 1).split(before);
  // A host may trim the end of a comment.
  return [own, rest.trimEnd().replace(/\n<\/details>$/, "")];
}

function withEarlier(text: string, earlier: string): string {
  return earlier === "" ? text : `${text}${before}${earlier}${after}`;
}

/** Returns whether a run found nothing to do. */
function isEmpty(progress: ApplyProgress): boolean {
  return progress.is === "outcome" && progress.document.results.length === 0;
}

/** Returns whether a run applied everything, and no preset failed its check afterward. */
function isComplete(progress: ApplyProgress): boolean {
  if (progress.is !== "outcome" || isEmpty(progress)) return false;
  const { results, stopped, smoke } = progress.document;
  return !stopped && !smoke?.summary.failed && results.every(({ status }) => status === "applied");
}

/** Posts the progress as a comment. Never throws. */
async function postProgress(
  runtime: Runtime,
  target: MergedChange["target"],
  pull: PullRequest,
  { run: thisRun, retriesAutomatically }: { readonly run: string; readonly retriesAutomatically: boolean },
  progress: ApplyProgress,
): Promise<void> {
  const { run, reviewed } = target;
  const { project, environment = "" } = reviewed;
  const marker = { use: "outcome", about: { project, environment } };
  // Reports even if the user cancels the run.
  const unstopped = { ...runtime, signal: new AbortController().signal };
  const upsert = async (host: CodeHost) => {
    const [posted] = await listOwnComments(host, pull.number, marker);
    const { result } = posted ? readMarker(posted.body, marker) : { result: "complete" };
    if (isEmpty(progress) && result === "complete") return;
    const limit = getCommentLimit(host);
    const about = { ...toReviewFacts(target, {}), name: formatReviewContext(reviewed), retriesAutomatically };
    const text = renderOutcomeMarkdown(progress, about, { limit });
    const facts = { run: thisRun, ...(isComplete(progress) && { result: "complete" }) };
    const [own, others] = posted ? splitComment(posted.body) : ["", ""];
    const isOfThisRun = posted !== undefined && readMarker(posted.body, marker).run === thisRun;
    // Repeating the same refusal adds no information.
    if (!isOfThisRun && own.trim() === text.trim()) return;
    // Keeps the outcomes of earlier runs visible.
    const earlier = isOfThisRun ? others : `${own}${others && `\n${others}`}`;
    const body = withEarlier(text, earlier);
    await upsertComment(host, pull.number, {
      ...{ marker, facts, ...getSettleOptions(runtime) },
      body: body.length > limit ? text : body,
    });
  };
  try {
    if (run.host) await withRepositoryHost(unstopped, run.host, upsert);
  } catch (error) {
    const { message } = error as Error;
    runtime.output.warn(`The outcome could not be posted on pull request #${pull.number}: ${message}`);
  }
}
