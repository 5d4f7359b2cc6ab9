import { UsageError } from "../../base/diagnostics/index.js";
import { outcomeDocument, type PlanExit } from "../../output/documents/index.js";
import { renderReplyMarkdown, renderReviewMarkdown, type ShownDocument } from "../../output/render/index.js";
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
import { InvalidProjectError, openProject } from "../open-project.js";
import { checkApprovals } from "../review/approvals.js";
import { makeReviewContent } from "../review/content.js";
import { findReviewedChange } from "../review/merged-change.js";
import { reviewFacts } from "../review/posting.js";
import { reviewProject } from "../review/review-project.js";
import { findReviewTarget, type ReviewOptions } from "../review/target.js";
import type { Runtime } from "../runtime.js";
import { type CommentCommand, readCommand, usage } from "./read-command.js";

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
    const isOurs = comment.author?.id === (await opened.author()).id;
    if (given === undefined || isOurs) return ignore(runtime, "This comment is no command.");
    if (event?.isNew === false)
      return ignore(runtime, "A comment that was edited is no command: write another one.");
    const { env } = runtime.options;
    const named = typeof given === "string" ? undefined : given.environment;
    if (env !== undefined && named !== undefined && env !== named)
      return ignore(runtime, `This command is not for ${env}.`);
    const answering = new Answering(runtime, opened, { number, id, command: comment.body });
    const refusal =
      typeof given === "string" ? given : await findRefusal(opened, comment, event?.body ?? comment.body);
    if (refusal !== undefined || typeof given === "string") return answering.refuse(refusal ?? usage);
    const forCommand = { ...runtime, options: { ...runtime.options, env: named ?? env } };
    return answering.follow(async () => {
      const pull = await opened.pullRequest(number);
      const input = { ...options, pullRequest: number };
      return given.action === "plan"
        ? planForComment(forCommand, pull, input)
        : applyForComment(forCommand, pull, input, given);
    });
  });
}

function ignore({ output }: Runtime, why: string): CommentResult {
  output.info(`${why} Nothing was done.`);
  return { did: "ignored" };
}

/** As it is now, so that neither a forged event nor a later edit says what somebody else wrote. */
async function findComment(host: CodeHost, pullRequest: number, id: number): Promise<Comment> {
  for await (const comment of host.comments(pullRequest)) if (comment.id === id) return comment;
  throw new UsageError("no-comment", `Pull request ${pullRequest} has no comment ${id}: was it deleted?`);
}

/** Why nobody does what the comment says; undefined if somebody does. */
async function findRefusal(host: CodeHost, comment: Comment, written: string): Promise<string | undefined> {
  if (comment.body !== written) return "The comment was edited: write another one.";
  try {
    if (comment.author && (await host.mayWrite(comment.author))) return undefined;
    return "Only those who may push to this repository can give commands.";
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "host-forbidden") throw error;
    return `${error.message} Give the job the token of an administrator of the repository.`;
  }
}

/** What a command did, and the answer that says it: a document, or a text in Markdown. */
interface Followed {
  readonly answered: CommentResult;
  readonly answer: ShownDocument | { readonly markdown: string };
}

/** A reason to refuse a command, which is the whole answer. */
class Refusal extends Error {}

interface AnsweredComment {
  /** Of the pull request. */
  readonly number: number;
  readonly id: number;
  readonly command: string;
}

/** The one answer to a comment. */
class Answering {
  readonly #runtime: Runtime;
  readonly #host: CodeHost;
  readonly #about: AnsweredComment;

  constructor(runtime: Runtime, host: CodeHost, about: AnsweredComment) {
    this.#runtime = runtime;
    this.#host = host;
    this.#about = about;
  }

  async refuse(reason: string): Promise<CommentResult> {
    await this.#write({ reason });
    this.#runtime.output.warn(reason);
    return { did: "refused" };
  }

  /** Follows a command to its end. */
  async follow(work: () => Promise<Followed>): Promise<CommentResult> {
    await this.#write({});
    try {
      const { answer, answered } = await work();
      await this.#write("markdown" in answer ? answer : { document: answer });
      return answered;
    } catch (error) {
      if (error instanceof Refusal) return this.refuse(error.message);
      const { signal, output } = this.#runtime;
      const document =
        error instanceof InvalidProjectError ? error.diagnostics : failureDocument(error, signal);
      // The error is what the job ends with, and it is in its log.
      await this.#write({ document }).catch((lost: Error) => output.warn(lost.message));
      throw error;
    }
  }

  async #write(content: Parameters<typeof renderReplyMarkdown>[1]): Promise<void> {
    const { number, id, command } = this.#about;
    // Jobs of several environments answer one comment that names none.
    const { env: environment = "" } = this.#runtime.options;
    const marker = { use: "command", about: { comment: String(id), environment } };
    const body = renderReplyMarkdown({ command, runUrl: actorFrom(this.#runtime.host).run }, content);
    await this.#runtime.finishing(() =>
      upsertComment(this.#host, number, { marker, body, ...settleOptions(this.#runtime) }),
    );
  }
}

/** The plan of an open pull request is its review; that of a merged one is that of what is checked out, such as main. */
async function planForComment(
  runtime: Runtime,
  pull: PullRequest,
  options: ReviewOptions,
): Promise<Followed> {
  const target = await findReviewTarget(runtime, options);
  const { commit = "" } = target;
  if (pull.isOpen) {
    if (commit !== pull.headCommit)
      throw new Refusal(
        `This job has checked out ${commit || "no commit"}, and the pull request is at ${pull.headCommit}. Write the command again; if that does not help, the job must check out the head of the pull request.`,
      );
    let url: string | undefined;
    const onPosted = (posted: string) => {
      url = posted;
    };
    const { verdict, text } = await reviewProject(runtime, target, { onPosted });
    const markdown = text ?? `The plan is ${url === undefined ? "on the pull request" : `[here](${url})`}.`;
    return { answered: { did: "plan", verdict }, answer: { markdown } };
  }
  if (!pull.isMerged)
    throw new Refusal("This pull request was closed without being merged: reopen it to plan it.");
  const content = await makeReviewContent(runtime, {});
  const facts = reviewFacts({ ...target, runUrl: undefined }, content);
  const { env } = runtime.options;
  const apply = content.digest && ["/avatarops apply", env, content.digest].filter(Boolean).join(" ");
  const markdown = renderReviewMarkdown(content.document, { ...facts, apply }, { fileUrl: target.fileUrl });
  return { answered: { did: "plan", verdict: content.verdict }, answer: { markdown } };
}

/** Applies the plan that was reviewed, or the one that is named. */
async function applyForComment(
  runtime: Runtime,
  pull: PullRequest,
  options: CommentOptions,
  { digest: named, force }: CommentCommand,
): Promise<Followed> {
  if (pull.isFromFork)
    throw new Refusal("Changes from a fork are not applied by a comment: start the workflow by hand.");
  if (!pull.isMerged) throw new Refusal("Only what was merged is applied: merge the pull request first.");
  const change = await findReviewedChange(runtime, options, pull);
  const project = await openProject(runtime);
  // Also a plan that somebody names: whoever writes a comment may be its author.
  const checked = await checkApprovals(
    runtime,
    project,
    named ? { ...change, digest: named } : change,
    undefined,
  );
  const applied = await applyProject(runtime, project, {
    ...checked,
    approved: true,
    force,
    smoke: options.smoke,
  });
  if (!applied) throw new Error("Bug: nobody is asked");
  const { outcome, smoke } = applied;
  return { answered: { did: "apply", applied }, answer: outcomeDocument(outcome, smoke) };
}
