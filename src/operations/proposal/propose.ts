import { UsageError } from "../../base/diagnostics/index.js";
import { isAncestor } from "../../base/git/index.js";
import { digestValue } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { ProposalFacts } from "../../output/documents/index.js";
import { renderMarkdown, type ShownDocument } from "../../output/render/index.js";
import {
  type CodeHost,
  HostSetupError,
  type Marker,
  type PullRequest,
  parseDescription,
  type UpsertOptions,
  upsertComment,
  upsertPullRequest,
} from "../../review/hosts/index.js";
import { listEditedFields, listSideEffects } from "../files/prepare-edits.js";
import { type CodeHostOptions, getSettleOptions, withCodeHost } from "../project/code-host.js";
import { createProjectOptions } from "../project/project-options.js";
import { type ReviewedProposal, reviewProposed } from "../review/review-proposed.js";
import type { Runtime } from "../runtime/runtime.js";
import type { WrittenTexts } from "./checkout.js";
import { type BranchTip, listChangedFiles, makeCommit, type NewCommit, readTip } from "./commit.js";
import { type Branches, moveBranch, type Remote, readBranches, withRemote } from "./remote.js";

/*
 * Proposes edits to the files. There is one branch and one open pull request for each type of proposal and each
 * environment.
 *
 * A push succeeds only if the branch has not moved, so one of two concurrent runs must retry. A branch with commits by
 * others stays unchanged until its pull request is merged or closed.
 */

/** Options for the branches and the code host of a proposal. */
export interface ProposalOptions extends CodeHostOptions {
  /** Whether to push only the branch, without using a code host. Requires `branch`. */
  readonly isBranchOnly?: boolean | undefined;
  /** Name of the git remote. Default: "origin". */
  readonly remote?: string | undefined;
  /** Proposal branch. Default: one for the project and environment. */
  readonly branch?: string | undefined;
  /** Base branch. Default: the remote's default branch. */
  readonly base?: string | undefined;
}

/** Proposed changes on top of a commit. */
export interface Proposal extends WrittenTexts, Pick<NewCommit, "message" | "at"> {
  readonly title: string;
  /** Messages to add to the outcome. */
  readonly notes?: readonly string[];
  /** Other facts that the description shows. If they change, the pull request is updated. */
  readonly details?: unknown;
  /** Facts for the pull request marker. */
  readonly facts?: UpsertOptions["facts"];
  describe(facts: ProposalFacts): ShownDocument;
}

/** Behavior specific to drift or rollback proposals. */
export interface ProposalType {
  /** Prefix for branch names and markers. */
  readonly use: "drift" | "rollback";
  /** Comment for a pull request that is closed because nothing is left to propose. */
  readonly nothingLeft: string;
  /** Makes the edits on top of the base branch. Called for each attempt. */
  make(on: ProposalBranch): Promise<Proposal>;
}

export interface ProposalBranch {
  /** Undefined to push only the branch. */
  readonly host: CodeHost | undefined;
  readonly remote: Remote;
  readonly branch: string;
  readonly marker: Marker;
  /** Base branch tip. */
  readonly baseCommit: string;
  /** Last commit of the branch, if avatarops made it and its changes are still proposed. */
  readonly tip: BranchTip | undefined;
}

interface ProposalContext extends Omit<ProposalBranch, "baseCommit" | "tip"> {
  readonly runtime: Runtime;
  readonly project: Manifest;
  readonly type: ProposalType;
  /** Whether the user chose the branch name. */
  readonly isNamed: boolean;
  readonly base: string | undefined;
}

/** Maximum number of attempts while others push to the branch. */
const maxAttempts = 5;

/**
 * Opens a pull request, updates the open one, or closes it when nothing is left to propose.
 *
 * @throws GitError, HostError, HostSetupError, UsageError
 */
export async function propose(
  runtime: Runtime,
  project: Manifest,
  options: ProposalOptions,
  type: ProposalType,
): Promise<ProposalFacts> {
  const work = (host: CodeHost | undefined) =>
    withRemote(runtime, project.root, options.remote ?? "origin", async (remote) => {
      const { use } = type;
      const environment = project.environment ?? "default";
      const folder = remote.prefix === "" ? "" : `${remote.prefix.replaceAll("/", "-")}/`;
      const branch = options.branch ?? `avatarops/${use}/${folder}${environment}`;
      const marker = { use, about: { project: remote.prefix, environment } };
      const isNamed = options.branch !== undefined;
      const context = { runtime, project, type, host, remote, branch, isNamed, base: options.base, marker };
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const proposed = await proposeOnce(context);
        if (proposed) return proposed;
      }
      throw new UsageError(
        "branch-moving",
        `Updating the branch ${branch} failed ${maxAttempts} times, because others pushed to it each time. Run the command again.`,
      );
    });
  const [facts, reviewed] = options.isBranchOnly
    ? await work(undefined)
    : await withCodeHost(runtime, options, work).catch(suggestBranch);
  if (reviewed && runtime.host.environment.CI) await reviewProposed(runtime, project, options, reviewed);
  return facts;
}

/** Rethrows an error. If no code host can be used, suggests pushing only a branch. */
function suggestBranch(error: unknown): never {
  if (!(error instanceof HostSetupError) || !["no-host", "no-token"].includes(error.code)) throw error;
  const advice = "Or push only a branch: use `--branch NAME` instead of `--pull-request`.";
  throw new HostSetupError(error.code, `${error.message} ${advice}`);
}

/**
 * Outcome, and the change to review. The change is omitted if there is nothing to review, or if the branch may contain
 * changes by others.
 */
type ProposalResult = readonly [ProposalFacts, ReviewedProposal?];

/** Makes one attempt. Returns undefined if the branch was moved in the meantime. */
async function proposeOnce(context: ProposalContext): Promise<ProposalResult | undefined> {
  const { runtime, type, host, remote, branch, isNamed, base, marker } = context;
  const branches = await readBranches(remote, { base, head: branch });
  const [open, ...others] = (await host?.listOpenPullRequests(branch)) ?? [];
  const tip = branches.tip === undefined ? undefined : await readTip(remote, branches.tip);
  // A shallow clone may not show that everything was merged.
  const isMerged = () => isAncestor(remote, branches.tip ?? "", branches.baseCommit);
  if (tip !== undefined && !tip.isOurs && !(await isMerged())) return [describeForeignBranch(context, open)];
  const { baseCommit } = branches;
  // Others may have created a merged branch whose name the user chose, such as `staging`.
  const isReplaceable = tip?.isOurs || !isNamed || isOwn(open, marker);
  const isOpen = host ? open !== undefined : !(await isMerged());
  const proposal = await type.make({
    ...context,
    baseCommit,
    tip: isOpen && tip?.isOurs ? tip : undefined,
  });
  const isNew = !(await isProposed(remote, branches, tip, proposal));
  return runtime.runToEnd(async () => {
    if (proposal.files.size === 0) {
      const from = isReplaceable ? branches.tip : undefined;
      if (host) return [await closeProposal({ ...context, host }, from, proposal, open)];
      return [await deleteBranch(context, tip?.isOurs ? branches.tip : undefined, proposal)];
    }
    if (tip !== undefined && !isReplaceable) return [describeForeignBranch(context, open)];
    let commit = branches.tip ?? "";
    if (isNew) {
      commit = await makeCommit(runtime, remote, { ...proposal, parent: baseCommit });
      if (!(await moveBranch(remote, branch, { from: branches.tip, to: commit }))) return undefined;
    }
    if (!host) return [describeBranch(context, branches, proposal, isNew)];
    // A concurrent run may have opened another pull request.
    const isAlone = others.length === 0;
    const facts = await upsertProposal({ ...context, host }, branches, proposal, { open, isNew, isAlone });
    const { number, also_changes: also = [] } = facts;
    // The review runs with this job's permissions, so the parent must be a commit of the base. A valid digest does not
    // prove this, because anyone can write one.
    const isOfBase = isNew || (await isAncestor(remote, tip?.parent ?? "", baseCommit));
    if (!isOfBase || number === undefined) return [facts];
    const changed = [...proposal.manifest.elsewhere.keys()].filter((name) =>
      also.some((text) => text.endsWith(` (${name})`)),
    );
    return [facts, { number, commit, environments: [context.project.environment, ...changed] }];
  });
}

/** Returns whether the pull request's description has our marker. */
function isOwn(open: PullRequest | undefined, marker: Marker): open is PullRequest {
  return open !== undefined && parseDescription(open.body, marker) !== undefined;
}

/** @throws UsageError if commits by others are not shown in an open pull request. */
function describeForeignBranch(
  { host, branch }: ProposalContext,
  open: PullRequest | undefined,
): ProposalFacts {
  if (open)
    return {
      ...{ result: "unchanged", number: open.number, url: open.url, branch, written: [], refused: [] },
      notes: ["Others pushed to the branch, so it is left alone. Merge or close its pull request first."],
    };
  throw new UsageError(
    "branch-taken",
    host
      ? `The branch ${branch} has commits by others and no open pull request, so it is left alone. Delete it, open a pull request from it, or choose another branch with --branch.`
      : `The branch ${branch} has commits by others, so it is left alone. Merge or delete it, or choose another branch with --branch.`,
  );
}

/** Returns whether the branch already proposes exactly these files. */
async function isProposed(
  remote: Remote,
  { tip: commit }: Branches,
  tip: BranchTip | undefined,
  { files }: WrittenTexts,
): Promise<boolean> {
  if (commit === undefined || !tip?.isOurs) return false;
  const proposed = await listChangedFiles(remote, tip.parent, commit);
  return proposed.size === files.size && [...files].every(([file, { id }]) => proposed.get(file) === id);
}

/** Context for a proposal with a pull request. */
type HostProposalContext = ProposalContext & { readonly host: CodeHost };

/** Describes a pushed branch without a pull request. */
function describeBranch(
  { remote: { name }, branch }: ProposalContext,
  { base }: Branches,
  { fields, refused, notes = [] }: Proposal,
  isNew: boolean,
): ProposalFacts {
  const also = listSideEffects(fields);
  const next = `Review it with \`git fetch ${name} && git diff ${base}...${name}/${branch}\`, and merge it into ${base}.`;
  return {
    result: isNew ? "pushed" : "unchanged",
    branch,
    written: listEditedFields(fields),
    ...(also.length > 0 ? { also_changes: also } : {}),
    refused,
    notes: [...notes, next],
  };
}

/**
 * Deletes the branch if nothing is left to propose. `from` is the branch's commit, or undefined if avatarops must not
 * delete the branch.
 */
async function deleteBranch(
  { type: { nothingLeft }, remote, branch }: ProposalContext,
  from: string | undefined,
  { refused }: Proposal,
): Promise<ProposalFacts> {
  if (from !== undefined) await moveBranch(remote, branch, { from });
  const result = from === undefined ? "none" : "deleted";
  return { result, branch, written: [], refused, notes: from === undefined ? [] : [nothingLeft] };
}

/** Creates the pull request, or updates the open one if anything changed. */
async function upsertProposal(
  { runtime, host, remote, branch, marker }: HostProposalContext,
  { base }: Branches,
  proposal: Proposal,
  { open, isNew, isAlone }: { open: PullRequest | undefined; isNew: boolean; isAlone: boolean },
): Promise<ProposalFacts> {
  const { title, fields, refused, notes = [], details } = proposal;
  const also = listSideEffects(fields);
  const old = open && parseDescription(open.body, marker);
  const shown = {
    written: listEditedFields(fields),
    ...(also.length > 0 ? { also_changes: also } : {}),
    refused,
    branch,
    notes: [...(open && !old ? [foreignNote] : []), ...notes],
  };
  const values = [fields.map(({ edit }) => edit.value), details];
  const facts = { digest: digestValue([shown, values]), ...proposal.facts };
  const isUpToDate = old !== undefined && old.facts.digest === facts.digest;
  const keptLength = old ? old.before.length + old.after.length : 0;
  const limit = Math.min(host.limits.body - keptLength, 60_000) - 2_000;
  const repeated = createProjectOptions(runtime, remote.prefix);
  const { number, url, kept } =
    open && isUpToDate && isAlone
      ? { ...open, kept: [] }
      : await upsertPullRequest(host, {
          ...{ marker, facts, title, headBranch: branch, baseBranch: base, ...getSettleOptions(runtime) },
          body: renderMarkdown(proposal.describe({ ...shown, result: "opened" }), { limit, repeated }),
        });
  const result = !open ? "opened" : isNew || !isUpToDate ? "updated" : "unchanged";
  return { result, number, url, ...shown, notes: [...shown.notes, ...kept] };
}

const foreignNote =
  "The description of the branch's open pull request lacks the avatarops marker, so it and the title are kept.";

/**
 * Closes the pull request and then deletes the branch, when nothing is left to propose. `from` is the branch's commit, or
 * undefined if avatarops must not delete the branch.
 */
async function closeProposal(
  { runtime, type: { use, nothingLeft }, host, remote, branch, marker }: HostProposalContext,
  from: string | undefined,
  { refused }: Proposal,
  open: PullRequest | undefined,
): Promise<ProposalFacts> {
  const none = { written: [], refused, branch };
  const isOurs = isOwn(open, marker);
  const isKept = open !== undefined && !isOurs;
  const why = isKept ? "stays open, because its description lacks the avatarops marker" : "is closed";
  if (isOurs)
    await upsertComment(host, open.number, {
      ...{ marker: { ...marker, use: `${use}-closed` }, ...getSettleOptions(runtime) },
      body: `${nothingLeft} This ${why}.`,
    });
  if (open && !isKept) await host.updatePullRequest(open.number, { state: "closed" });
  if (from !== undefined && !isKept) await moveBranch(remote, branch, { from });
  if (!open) return { result: "none", ...none, notes: [] };
  const { number, url } = open;
  const result = isKept ? "unchanged" : "closed";
  return { result, number, url, ...none, notes: [`${nothingLeft} It ${why}.`] };
}
