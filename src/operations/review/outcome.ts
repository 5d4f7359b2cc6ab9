import { outcomeDocument } from "../../output/documents/index.js";
import { type ApplyProgress, renderOutcomeMarkdown } from "../../output/render/index.js";
import {
  type CodeHost,
  ownComments,
  type PullRequest,
  readMarker,
  reviewContext,
  upsertComment,
} from "../../review/hosts/index.js";
import type { ApplyResult } from "../account/apply-project.js";
import { refusals } from "../gates/gates.js";
import { LaterRunError } from "../gates/later-run.js";
import { onCodeHost, settleOptions } from "../project/code-host.js";
import { failureDocument } from "../runtime/failure-document.js";
import type { Runtime } from "../runtime/runtime.js";
import type { MergedChange } from "./merged-pull-request.js";
import { commentLimit, reviewFacts } from "./posting.js";

/*
 * What became of an apply, on the pull request that it applies: a comment of its own below the review, one for each project and
 * environment, updated in place when the job runs again. The review stays as people have approved it, and a new comment is a message
 * to those who take part, which a change of an old one is not.
 */

/**
 * Applies, and says on the pull request what came of it: before the first write that it has begun, for a run that dies; then the
 * outcome, or why it was refused or broke off. A comment that is lost or forbidden changes nothing about the apply. A run
 * that tries again by itself (`triesAgain`) reports a failure only if writes had begun, or if a person has to act. With `toleratesNeeds`,
 * it does not report that a needed environment is behind.
 */
export async function reportingOutcome(
  runtime: Runtime,
  change: MergedChange | undefined,
  work: (on: {
    writing(changes: number): void;
    /** Takes the pull requests that take part, if there are others than that of the commit. */
    found(pulls: readonly PullRequest[]): void;
  }) => Promise<ApplyResult | undefined>,
  {
    triesAgain = false,
    toleratesNeeds = false,
  }: { readonly triesAgain?: boolean; readonly toleratesNeeds?: boolean } = {},
): Promise<ApplyResult | undefined> {
  const { pull, target } = change ?? {};
  if (!target?.run.host) return work({ writing() {}, found() {} });
  // A job that runs again has the same address.
  const run = runtime.host.newId();
  let pulls = pull ? [pull] : [];
  let posted: Promise<void> | undefined;
  const post = async (progress: ApplyProgress) => {
    // One after the other, so that the last one stays.
    const before = posted;
    posted = runtime.finishing(async () => {
      await before;
      for (const one of pulls) await postProgress(runtime, target, one, { run, triesAgain }, progress);
    });
    return posted;
  };
  let hasBegun = false;
  try {
    const applied = await work({
      writing(changes) {
        hasBegun = true;
        void post({ is: "applying", changes });
      },
      found(others) {
        if (others.length > 0) pulls = [...others];
      },
    });
    if (applied) await post({ is: "outcome", document: outcomeDocument(applied.outcome, applied.smoke) });
    return applied;
  } catch (error) {
    // The later run reports to its own pull requests, and to those of this change.
    if (error instanceof LaterRunError) throw error;
    const document = failureDocument(error, runtime.signal);
    const isPassing = document.code === "sessions-active" || (toleratesNeeds && document.code === "needs");
    const isDecided = Object.hasOwn(refusals, document.code) && !isPassing;
    if (hasBegun || isDecided || !triesAgain) await post({ is: "failure", document, hasBegun });
    throw error;
  }
}

const [before, after] = ["\n<details><summary>Earlier runs</summary>\n\n", "\n</details>\n"];

/** What a comment says of its run, and of earlier ones. */
function split(body: string): readonly [own: string, earlier: string] {
  const [own = "", rest = ""] = body.slice(body.indexOf("\n") + 1).split(before);
  // A host may trim the end of a comment.
  return [own, rest.trimEnd().replace(/\n<\/details>$/, "")];
}

function withEarlier(text: string, earlier: string): string {
  return earlier === "" ? text : `${text}${before}${earlier}${after}`;
}

/** Whether a run found nothing to do. */
function isEmpty(progress: ApplyProgress): boolean {
  return progress.is === "outcome" && progress.document.results.length === 0;
}

/** Whether a run applied everything, and no preset failed afterwards. */
function isComplete(progress: ApplyProgress): boolean {
  if (progress.is !== "outcome" || isEmpty(progress)) return false;
  const { results, stopped, smoke } = progress.document;
  return !stopped && !smoke?.summary.failed && results.every(({ status }) => status === "applied");
}

/** Never throws. */
async function postProgress(
  runtime: Runtime,
  target: MergedChange["target"],
  pull: PullRequest,
  { run: thisRun, triesAgain }: { readonly run: string; readonly triesAgain: boolean },
  progress: ApplyProgress,
): Promise<void> {
  const { run, reviewed } = target;
  const { project, environment = "" } = reviewed;
  const marker = { use: "outcome", about: { project, environment } };
  // What was done is told even if the user stops the rest.
  const unstopped = { ...runtime, signal: new AbortController().signal };
  const upsert = async (host: CodeHost) => {
    const [posted] = await ownComments(host, pull.number, marker);
    const { result } = posted ? readMarker(posted.body, marker) : { result: "complete" };
    if (isEmpty(progress) && result === "complete") return;
    const limit = commentLimit(host);
    const about = { ...reviewFacts(target, {}), name: reviewContext(reviewed), triesAgain };
    const text = renderOutcomeMarkdown(progress, about, { limit });
    const facts = { run: thisRun, ...(isComplete(progress) && { result: "complete" }) };
    const [own, others] = posted ? split(posted.body) : ["", ""];
    const isOfThisRun = posted !== undefined && readMarker(posted.body, marker).run === thisRun;
    // The same refusal once more is no news.
    if (!isOfThisRun && own.trim() === text.trim()) return;
    // A run is not to hide that an earlier one has applied something.
    const earlier = isOfThisRun ? others : `${own}${others && `\n${others}`}`;
    const body = withEarlier(text, earlier);
    await upsertComment(host, pull.number, {
      ...{ marker, facts, ...settleOptions(runtime) },
      body: body.length > limit ? text : body,
    });
  };
  try {
    if (run.host) await onCodeHost(unstopped, run.host, upsert);
  } catch (error) {
    const { message } = error as Error;
    runtime.output.warn(`What became of this is not shown on pull request #${pull.number}: ${message}`);
  }
}
