import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { loadCommitted, repositoryAt } from "../../core/history/index.js";
import { mainFiles } from "../../core/manifest/index.js";
import { outcomeDocument, type PlanExit } from "../../output/documents/index.js";
import { type ReplyContent, renderReplyMarkdown, renderReviewMarkdown } from "../../output/render/index.js";
import {
  type CodeHost,
  type Comment,
  HostError,
  type PullRequest,
  type RunFacts,
  readRun,
  upsertComment,
} from "../../review/hosts/index.js";
import { actorFrom } from "../actor.js";
import { type ApplyOptions, type ApplyResult, applyProject } from "../apply-project.js";
import { onCodeHost, settleOptions } from "../code-host.js";
import { failureDocument } from "../failure-document.js";
import { listed } from "../listed.js";
import { InvalidProjectError, loadFiles, openProject } from "../open-project.js";
import { checkApprovals } from "../review/approvals.js";
import { makeReviewContent } from "../review/content.js";
import { findReviewedChange } from "../review/merged-change.js";
import { reviewFacts } from "../review/posting.js";
import { reviewProject } from "../review/review-project.js";
import { findReviewTarget, type ReviewOptions, readReviewTarget } from "../review/target.js";
import { quietReporter, type Runtime } from "../runtime.js";
import { type CommentCommand, readCommand } from "./read-command.js";

/*
 * Commands in comments on a pull request, for people who have no key of the account: the job that the comment started has it.
 * A comment gets one answer, which is first that the command runs, and in the end what it did. An open pull request can be
 * planned; what was merged can be planned and applied, as a plan that somebody has seen.
 */

/** Which comment, where the job was not started by it, and how to apply. */
export interface CommentOptions extends ReviewOptions, Pick<ApplyOptions, "smoke"> {
  /** Its number on the host. */
  readonly comment?: number | undefined;
}

/** What a command did. `ignored`: it was none, or not one for this job. `refused`: the answer says why. */
export type CommentResult =
  | { readonly did: "ignored" }
  | { readonly did: "refused" }
  | { readonly did: "plan"; readonly verdict: PlanExit | "refused" }
  | { readonly did: "apply"; readonly applied: ApplyResult };

/**
 * Does what a comment says, and answers it.
 *
 * @throws UsageError if no comment is named; HostSetupError, HostError; what planning and applying throw, after the answer says it.
 */
export async function runCommentCommand(runtime: Runtime, options: CommentOptions): Promise<CommentResult> {
  const { output, signal } = runtime;
  const run = await readRun(runtime.host.environment, {
    host: options.host as NonNullable<RunFacts["host"]>["name"] | undefined,
    repository: options.repo,
    pullRequest: options.pullRequest,
  });
  const { host, pullRequest: number, comment: event } = run;
  const id = options.comment ?? event?.id;
  if (!host || number === undefined || id === undefined)
    throw new UsageError(
      "no-comment",
      "This job was not started by a comment on a pull request: name one with --repo, --pull-request and --comment.",
    );
  return onCodeHost(runtime, host, async (opened) => {
    const comment = await findComment(opened, number, id);
    const given = readCommand(comment.body);
    const { env } = runtime.options;
    const named = typeof given === "string" ? undefined : given?.environment;
    const ignored =
      given === undefined || comment.author?.id === (await opened.author()).id
        ? "This comment is no command."
        : event?.isNew === false
          ? "A comment that was edited is no command: write another one."
          : env !== undefined && named !== undefined && env !== named
            ? `This command is not for ${env}.`
            : undefined;
    if (given === undefined || ignored !== undefined) {
      output.info(`${ignored} Nothing was done.`);
      return { did: "ignored" };
    }
    // Jobs of several environments answer one comment that names none.
    const marker = { use: "command", about: { comment: String(id), environment: env ?? "" } };
    const header = { command: comment.body, runUrl: actorFrom(runtime.host).run };
    const reply = (content: ReplyContent) =>
      runtime.finishing(() =>
        upsertComment(opened, number, {
          ...{ marker, body: renderReplyMarkdown(header, content), ...settleOptions(runtime) },
        }),
      );
    try {
      if (typeof given === "string") throw new Refusal(given);
      await refuseStranger(opened, comment, event?.body ?? comment.body);
      await reply({ markdown: "Running …" });
      const pull = await opened.pullRequest(number);
      const forCommand = { ...runtime, options: { ...runtime.options, env: named ?? env } };
      const perform = given.action === "plan" ? planForComment : applyForComment;
      const result = await perform(forCommand, pull, { ...options, pullRequest: number }, given);
      await reply(result.content);
      return result;
    } catch (error) {
      if (error instanceof Refusal) {
        await reply({ refusal: error.message });
        output.warn(error.message);
        return { did: "refused" };
      }
      const document =
        error instanceof InvalidProjectError ? error.diagnostics : failureDocument(error, signal);
      // The error is what the job ends with, and it is in its log.
      await reply({ document }).catch((lost: Error) => output.warn(lost.message));
      throw error;
    }
  });
}

/** As it is now, so that neither a forged event nor a later edit says what somebody else wrote. */
async function findComment(host: CodeHost, pullRequest: number, id: number): Promise<Comment> {
  for await (const comment of host.comments(pullRequest)) if (comment.id === id) return comment;
  throw new UsageError("no-comment", `Pull request ${pullRequest} has no comment ${id}: was it deleted?`);
}

/** A reason to refuse a command, which is the whole answer. */
class Refusal extends Error {}

async function refuseStranger(host: CodeHost, comment: Comment, written: string): Promise<void> {
  if (comment.body !== written) throw new Refusal("The comment was edited: write another one.");
  const mayWrite =
    comment.author &&
    (await host.mayWrite(comment.author).catch((error: unknown) => {
      if (!(error instanceof HostError) || error.code !== "host-forbidden") throw error;
      throw new Refusal(`${error.message} Give the job the token of an administrator of the repository.`);
    }));
  if (!mayWrite) throw new Refusal("Only those who may push to this repository can give commands.");
}

/** What a command did, and the reply that says it. */
type Performed = CommentResult & { readonly content: ReplyContent };

/** Throws where an environment must be named. Of a change from a fork, the base says which there are: its own files are not loaded. */
async function refuseNoEnvironment(
  runtime: Runtime,
  { isFromFork, baseCommit }: PullRequest,
  action: CommentCommand["action"],
): Promise<void> {
  const { host, options, signal } = runtime;
  if (options.env !== undefined) return;
  const loadBase = async () => {
    const folder = host.resolve(path.dirname(options.file ?? ""));
    const repository = await repositoryAt(folder, { environment: host.environment, signal });
    if (!repository || baseCommit === undefined) return undefined;
    const file = path.basename(options.file ?? mainFiles[0]);
    return loadCommitted(repository, { commit: baseCommit, folder: repository.prefix, file });
  };
  const loadOwn = () => loadFiles({ ...runtime, output: quietReporter() }, { judges: false });
  const loaded = await (isFromFork ? loadBase() : loadOwn());
  const names = [...(loaded?.manifest?.environments.keys() ?? [])];
  if (names.length > 0)
    throw new Refusal(
      `This project has environments: name one of ${listed(names)}, such as \`/avatarops ${action} ${names[0]}\`.`,
    );
}

/** The plan of an open pull request is its review; that of a merged one is that of what is checked out, such as main. */
async function planForComment(
  runtime: Runtime,
  pull: PullRequest,
  options: ReviewOptions,
): Promise<Performed> {
  const target = await (pull.isOpen ? findReviewTarget : readReviewTarget)(runtime, options);
  const { commit = "" } = target;
  if (!pull.isOpen && !pull.isMerged)
    throw new Refusal("This pull request was closed without being merged: reopen it to plan it.");
  if (pull.isOpen && commit !== pull.headCommit)
    throw new Refusal(
      `This job has checked out ${commit || "no commit"}, and the pull request is at ${pull.headCommit}. Write the command again; if that does not help, the job must check out the head of the pull request.`,
    );
  await refuseNoEnvironment(runtime, pull, "plan");
  if (pull.isOpen) {
    let url: string | undefined;
    const onPosted = (posted: string) => {
      url = posted;
    };
    const { verdict, text } = await reviewProject(runtime, target, { onPosted });
    const markdown = text ?? `The plan is ${url === undefined ? "on the pull request" : `[here](${url})`}.`;
    return { did: "plan", verdict, content: { markdown } };
  }
  const content = await makeReviewContent(runtime, {});
  const facts = reviewFacts({ ...target, runUrl: undefined }, content);
  const { env } = runtime.options;
  const apply = content.digest && ["/avatarops apply", env, content.digest].filter(Boolean).join(" ");
  const markdown = renderReviewMarkdown(content.document, { ...facts, apply }, { fileUrl: target.fileUrl });
  return { did: "plan", verdict: content.verdict, content: { markdown } };
}

/** Applies the plan that was reviewed, or the one that is named. */
async function applyForComment(
  runtime: Runtime,
  pull: PullRequest,
  options: CommentOptions,
  { digest: named, force }: CommentCommand,
): Promise<Performed> {
  if (pull.isFromFork)
    throw new Refusal("Changes from a fork are not applied by a comment: start the workflow by hand.");
  if (!pull.isMerged) throw new Refusal("Only what was merged is applied: merge the pull request first.");
  await refuseNoEnvironment(runtime, pull, "apply");
  const change = await findReviewedChange(runtime, options, pull);
  const project = await openProject(runtime);
  // Also a plan that somebody names: whoever writes a comment may be its author, and it may have what others merged.
  const reviewed = String(change.digest).split(" or ");
  const isCombined = change.isCombined === true || (named !== undefined && !reviewed.includes(named));
  const judged = { ...change, digest: named ?? change.digest, isCombined };
  const checked = await checkApprovals(runtime, project, judged, undefined);
  const applied = await applyProject(runtime, project, {
    ...checked,
    approved: true,
    force,
    smoke: options.smoke,
  });
  if (!applied) throw new Error("Bug: nobody is asked");
  const { outcome, smoke } = applied;
  return { did: "apply", applied, content: { document: outcomeDocument(outcome, smoke) } };
}
