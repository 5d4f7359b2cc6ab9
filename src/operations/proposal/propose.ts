import { UsageError } from "../../base/diagnostics/index.js";
import { isAncestor } from "../../base/git/index.js";
import { digestValue } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { ProposalFacts } from "../../output/documents/index.js";
import { renderMarkdown, type ShownDocument } from "../../output/render/index.js";
import {
  type CodeHost,
  hasMarker,
  type Marker,
  type PullRequest,
  readMarker,
  type UpsertOptions,
  upsertComment,
  upsertPullRequest,
} from "../../review/hosts/index.js";
import { alsoChanged, listWritten } from "../files/prepare-edits.js";
import { type CodeHostOptions, settleOptions, withCodeHost } from "../project/code-host.js";
import { projectOptions } from "../project/project-options.js";
import { type ReviewedProposal, reviewProposed } from "../review/review-proposed.js";
import type { Runtime } from "../runtime/runtime.js";
import type { WrittenTexts } from "./checkout.js";
import { type BranchTip, filesChanged, makeCommit, type NewCommit, readTip } from "./commit.js";
import { type Branches, moveBranch, type Remote, readBranches, withRemote } from "./remote.js";

/*
 * Texts for the files, as a pull request: one branch and one open pull request of each sort for each environment of a project.
 *
 * The branch is one commit on the base branch with everything that is proposed, and is replaced when that changes. Once somebody else
 * has pushed onto it, it is left alone until its pull request is merged or closed. Every push names the commit that it expects, so of two
 * runs at the same time one looks again. A run that dies leaves at most a branch without a pull request: the next one opens it.
 */

/** Where a pull request goes. */
export interface ProposalOptions extends CodeHostOptions {
  /** As in `git remote`; default: "origin". */
  readonly remote?: string | undefined;
  /** Default: one for the project and environment. */
  readonly branch?: string | undefined;
  /** Default: the default branch of the remote. */
  readonly base?: string | undefined;
}

/** What is proposed to a commit. */
export interface Proposal extends WrittenTexts, Pick<NewCommit, "message" | "at"> {
  readonly title: string;
  /** Further facts as sentences. */
  readonly notes?: readonly string[];
  /** What the description says beside the texts, so that the same has the same digest. */
  readonly said?: unknown;
  /** For its marker. */
  readonly facts?: UpsertOptions["facts"];
  /** What the description says. */
  describe(facts: ProposalFacts): ShownDocument;
}

/** A sort of proposals. */
export interface ProposalType {
  /** Begins the name of its branch, and its marker. */
  readonly use: "drift" | "rollback";
  /** What it comes to if there is nothing to write; a sentence, for the pull request that is closed. */
  readonly nothingLeft: string;
  /** Called for each attempt: writes the texts into the files of the base branch. */
  make(on: ProposalBranch): Promise<Proposal>;
}

/** Where a proposal is made. */
export interface ProposalBranch {
  readonly host: CodeHost;
  readonly remote: Remote;
  readonly branch: string;
  readonly marker: Marker;
  /** The commit of the base branch. */
  readonly baseCommit: string;
  /** The last commit of the branch, if it is ours and proposed. */
  readonly tip: BranchTip | undefined;
}

/** What a run works with. */
interface Proposing extends Omit<ProposalBranch, "baseCommit" | "tip"> {
  readonly runtime: Runtime;
  readonly project: Manifest;
  readonly type: ProposalType;
  readonly base: string | undefined;
}

/** How often the branch is read again after somebody else has moved it. */
const attempts = 5;

/**
 * Opens a pull request; updates the open one, or closes it when nothing is left.
 *
 * @throws GitError, HostError, HostSetupError, UsageError
 */
export async function propose(
  runtime: Runtime,
  project: Manifest,
  options: ProposalOptions,
  type: ProposalType,
): Promise<ProposalFacts> {
  const [facts, reviewed] = await withCodeHost(runtime, options, (host) =>
    withRemote(runtime, project.root, options.remote ?? "origin", async (remote) => {
      const { use } = type;
      const environment = project.environment ?? "default";
      const folder = remote.prefix === "" ? "" : `${remote.prefix.replaceAll("/", "-")}/`;
      const branch = options.branch ?? `avatarops/${use}/${folder}${environment}`;
      const marker = { use, about: { project: remote.prefix, environment } };
      const proposing = { runtime, project, type, host, remote, branch, base: options.base, marker };
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const proposed = await proposeOnce(proposing);
        if (proposed) return proposed;
      }
      throw new UsageError(
        "branch-moving",
        `Others pushed to the branch ${branch} while it was being updated, ${attempts} times in a row. Run the command again.`,
      );
    }),
  );
  if (reviewed && runtime.host.environment.CI) await reviewProposed(runtime, project, options, reviewed);
  return facts;
}

/** What became of a proposal, and what is to be reviewed if all of it is ours. */
type Proposed = readonly [ProposalFacts, ReviewedProposal?];

/** One attempt; undefined if somebody else moved the branch meanwhile. */
async function proposeOnce(proposing: Proposing): Promise<Proposed | undefined> {
  const { runtime, type, host, remote, branch, base } = proposing;
  const branches = await readBranches(remote, { base, head: branch });
  const [open, ...others] = await host.openPullRequests(branch);
  const tip = branches.tip === undefined ? undefined : await readTip(remote, branches.tip);
  // In a shallow clone, it may be unknown whether all of it was merged.
  const isMerged = () => isAncestor(remote, branches.tip ?? "", branches.baseCommit);
  if (tip !== undefined && !tip.isOurs && !(await isMerged())) return [leaveAlone(branch, open)];
  const { baseCommit } = branches;
  const proposal = await type.make({ ...proposing, baseCommit, tip: open && tip?.isOurs ? tip : undefined });
  const isNew = !(await isProposed(remote, branches, tip, proposal));
  return runtime.finishing(async () => {
    if (proposal.files.size === 0) return [await retire(proposing, branches, proposal, open)];
    let commit = branches.tip ?? "";
    if (isNew) {
      commit = await makeCommit(runtime, remote, { ...proposal, parent: baseCommit });
      if (!(await moveBranch(remote, branch, { from: branches.tip, to: commit }))) return undefined;
    }
    // A run at the same time may have opened another one.
    const isAlone = others.length === 0;
    const facts = await describe(proposing, branches, proposal, { open, isNew, isAlone });
    const { number, also_changes: also = [] } = facts;
    // Its files are read with the rights of this job, so all but ours have to be those of the base. Anybody can write our trailer.
    const isOfBase = isNew || (await isAncestor(remote, tip?.parent ?? "", baseCommit));
    if (!isOfBase || number === undefined) return [facts];
    const changed = [...proposal.manifest.elsewhere.keys()].filter((name) =>
      also.some((text) => text.endsWith(` (${name})`)),
    );
    return [facts, { number, commit, environments: [proposing.project.environment, ...changed] }];
  });
}

/** @throws UsageError if the commits of somebody else are in no pull request, which would show them. */
function leaveAlone(branch: string, open: PullRequest | undefined): ProposalFacts {
  if (open)
    return {
      ...{ result: "unchanged", number: open.number, url: open.url, branch, written: [], refused: [] },
      notes: [
        "Somebody else has pushed onto the branch, so it is left alone: merge or close its pull request first.",
      ],
    };
  throw new UsageError(
    "branch-taken",
    `The branch ${branch} has commits of somebody else and no open pull request, so it is left alone. Delete it, open a pull request from it, or name another one with --branch.`,
  );
}

/** Whether our commit already has exactly these files. */
async function isProposed(
  remote: Remote,
  { tip: commit }: Branches,
  tip: BranchTip | undefined,
  { files }: WrittenTexts,
): Promise<boolean> {
  if (commit === undefined || !tip?.isOurs) return false;
  const proposed = await filesChanged(remote, tip.parent, commit);
  return proposed.size === files.size && [...files].every(([file, { id }]) => proposed.get(file) === id);
}

/** Creates the pull request, or says in the open one what is new; does not touch it if nothing is. */
async function describe(
  { runtime, host, remote, branch, marker }: Proposing,
  { base }: Branches,
  proposal: Proposal,
  { open, isNew, isAlone }: { open: PullRequest | undefined; isNew: boolean; isAlone: boolean },
): Promise<ProposalFacts> {
  const { title, fields, refused, notes = [], said } = proposal;
  const also = alsoChanged(fields);
  const shown = {
    written: listWritten(fields),
    ...(also.length > 0 ? { also_changes: also } : {}),
    refused,
    branch,
    notes: [...(open && !hasMarker(open.body, marker) ? [foreignNote] : []), ...notes],
  };
  const values = [fields.map(({ edit }) => edit.value), said];
  const facts = { digest: digestValue([shown, values]), ...proposal.facts };
  const isSaid = open !== undefined && readMarker(open.body, marker).digest === facts.digest;
  const limit = Math.min(host.limits.body, 60_000) - 2_000;
  const repeated = projectOptions(runtime, remote.prefix);
  const request =
    open && isSaid && isAlone
      ? open
      : await upsertPullRequest(host, {
          ...{ marker, facts, title, headBranch: branch, baseBranch: base, ...settleOptions(runtime) },
          body: renderMarkdown(proposal.describe({ ...shown, result: "opened" }), { limit, repeated }),
        });
  const result = !open ? "opened" : isNew || !isSaid ? "updated" : "unchanged";
  return { result, number: request.number, url: request.url, ...shown };
}

const foreignNote =
  "The open pull request of the branch was not written by avatarops: its title and description stay.";

/** Nothing is left to propose: closes our pull request and deletes our branch, in this order. */
async function retire(
  { runtime, type: { use, nothingLeft }, host, remote, branch, marker }: Proposing,
  { tip }: Branches,
  { refused }: Proposal,
  open: PullRequest | undefined,
): Promise<ProposalFacts> {
  const none = { written: [], refused, branch };
  const isOurs = open !== undefined && hasMarker(open.body, marker);
  const isKept = open !== undefined && !isOurs;
  const why = isKept ? "stays open, because it is not ours" : "is closed";
  if (isOurs)
    await upsertComment(host, open.number, {
      ...{ marker: { ...marker, use: `${use}-closed` }, ...settleOptions(runtime) },
      body: `${nothingLeft} This ${why}.`,
    });
  if (open && !isKept) await host.closePullRequest(open.number);
  if (tip !== undefined && !isKept) await moveBranch(remote, branch, { from: tip });
  if (!open) return { result: "none", ...none, notes: [] };
  const { number, url } = open;
  const result = isKept ? "unchanged" : "closed";
  return { result, number, url, ...none, notes: [`${nothingLeft} It ${why}.`] };
}
