import { UsageError } from "../../base/diagnostics/index.js";
import { isAncestor } from "../../base/git/index.js";
import { digestValue } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type DriftDocument, driftDocument, type ProposalFacts } from "../../output/documents/index.js";
import { renderMarkdown } from "../../output/render/index.js";
import {
  type CodeHost,
  hasMarker,
  type Marker,
  type PullRequest,
  readMarker,
  upsertComment,
  upsertPullRequest,
} from "../../review/hosts/index.js";
import { type CodeHostOptions, settleOptions, withCodeHost } from "../code-host.js";
import { placesIn } from "../declared-places.js";
import { isShared } from "../pull-places.js";
import type { Runtime } from "../runtime.js";
import { bringBack, type Proposal, proposalFacts } from "./bring-back.js";
import { type BranchTip, commitMessage, driftTitle, filesChanged, makeCommit, readTip } from "./commit.js";
import { findDeclined, markEdits } from "./declined.js";
import type { ObservedDrift } from "./observe-drift.js";
import { type Branches, moveBranch, type Remote, readBranches, withRemote } from "./remote.js";

/*
 * One branch and one open pull request for each environment of a project.
 *
 * As long as nobody else has pushed onto the branch, it is one commit on the base branch with everything that was
 * edited, and is replaced when that changes. Once it has a commit of somebody else, nothing of it is ever replaced:
 * new edits are added in further commits. Every push names the commit that it expects, so of two runs at the same
 * time one looks again. A run that dies leaves at most a branch without a pull request: the next one opens it.
 */

/** What is proposed, and where. */
export interface ProposalOptions extends CodeHostOptions {
  /** The drift as shown, without the proposal. */
  readonly document: DriftDocument;
  /** Addresses whose live text is taken although the file changed too. */
  readonly named: readonly string[];
  /** As in `git remote`; default: "origin". */
  readonly remote?: string | undefined;
  /** Default: one for the project and environment. */
  readonly branch?: string | undefined;
  /** Default: the default branch of the remote. */
  readonly base?: string | undefined;
}

/** What a run works with. */
interface Proposing extends Pick<ProposalOptions, "document" | "named" | "base"> {
  readonly runtime: Runtime;
  readonly project: Manifest;
  readonly seen: ObservedDrift;
  readonly host: CodeHost;
  readonly remote: Remote;
  readonly branch: string;
  readonly marker: Marker;
}

/** How often the branch is read again after somebody else has moved it. */
const attempts = 5;

/**
 * Brings what was edited elsewhere back as a pull request; updates the open one, or closes it when nothing is left.
 *
 * @throws GitError, HostError, HostSetupError, UsageError
 */
export async function proposePullRequest(
  runtime: Runtime,
  project: Manifest,
  seen: ObservedDrift,
  options: ProposalOptions,
): Promise<ProposalFacts> {
  const { document, named, base } = options;
  if (!seen.isComplete) return { result: "none", written: [], refused: [], notes: [incomplete] };
  return withCodeHost(runtime, options, (host) =>
    withRemote(runtime, { projectFolder: project.root, name: options.remote ?? "origin" }, async (remote) => {
      const environment = project.environment ?? "default";
      const folder = remote.prefix === "" ? "" : `${remote.prefix.replaceAll("/", "-")}/`;
      const branch = options.branch ?? `avatarops/drift/${folder}${environment}`;
      const marker = { use: "drift", about: { project: remote.prefix, environment } };
      const proposing = { runtime, project, seen, document, host, remote, branch, base, marker, named };
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const proposed = await propose(proposing);
        if (proposed) return proposed;
      }
      throw new UsageError(
        "branch-moving",
        `Others pushed to the branch ${branch} while it was being updated, ${attempts} times in a row. Run the command again.`,
      );
    }),
  );
}

const incomplete =
  "Nothing was proposed or closed, because not everything is known: see above, and run the command again.";

/** One attempt; undefined if somebody else moved the branch meanwhile. */
async function propose(proposing: Proposing): Promise<ProposalFacts | undefined> {
  const { runtime, project, seen, host, remote, branch, base } = proposing;
  const branches = await readBranches(remote, { base, head: branch });
  const [open, ...others] = await host.openPullRequests(branch);
  const tip = branches.tip === undefined ? undefined : await readTip(remote, branches.tip);
  // In a shallow clone, it may be unknown whether all of it was merged.
  const isMerged = () => isAncestor(remote, branches.tip ?? "", branches.baseCommit);
  const isShared = tip !== undefined && !tip.isOurs && !(await isMerged());
  if (isShared && !open) throw takenBranch(branch);
  const named = [...new Set([...proposing.named, ...(open && tip?.isOurs ? tip.named : [])])];
  const declined =
    seen.drift.objects.length > 0 ? await findDeclined(host, branch, proposing.marker) : new Map();
  const from = (commit: string) => bringBack(runtime, project, seen, { remote, commit, named, declined });
  const brought = await from(isShared ? (branches.tip as string) : branches.baseCommit);
  const isNew = isShared ? brought.files.size > 0 : !(await isProposed(remote, branches, tip, brought));
  const isLeft = brought.files.size > 0 || (isShared && (await from(branches.baseCommit)).files.size > 0);
  return runtime.finishing(async () => {
    if (!isLeft) return retire(proposing, branches, brought, { open, isShared });
    if (isNew && !(await push(proposing, branches, brought, { isWhole: !isShared, named }))) return undefined;
    return describe(proposing, branches, brought, { open, isNew, isShared, isAlone: others.length === 0 });
  });
}

function takenBranch(branch: string): UsageError {
  return new UsageError(
    "branch-taken",
    `The branch ${branch} has commits of somebody else and no open pull request, so it is left alone. Delete it, open a pull request from it, or name another one with --branch.`,
  );
}

/** Whether our commit already has exactly these files. */
async function isProposed(
  remote: Remote,
  { tip: commit }: Branches,
  tip: BranchTip | undefined,
  { files }: Proposal,
): Promise<boolean> {
  if (commit === undefined || !tip?.isOurs) return false;
  const proposed = await filesChanged(remote, tip.parent, commit);
  return proposed.size === files.size && [...files].every(([file, { id }]) => proposed.get(file) === id);
}

async function push(
  { runtime, project, remote, branch, named: given }: Proposing,
  branches: Branches,
  { drift, fields, files }: Proposal,
  { isWhole, named }: { readonly isWhole: boolean; readonly named: readonly string[] },
): Promise<boolean> {
  const kept = new Set([...given, ...named]);
  const message = commitMessage({
    ...{ objects: drift.objects, fields, environment: project.environment, now: runtime.host.now() },
    // Otherwise the next run would take it out again.
    named: fields.map(({ declaration }) => declaration.address).filter((address) => kept.has(address)),
  });
  const parent = isWhole ? branches.baseCommit : (branches.tip as string);
  const commit = await makeCommit(runtime, remote, { files, parent, isWhole, ...message });
  return moveBranch(remote, branch, { from: branches.tip, to: commit });
}

/** Creates the pull request, or says in the open one what is new; does not touch it if nothing is. */
async function describe(
  { runtime, project, document, host, branch, marker }: Proposing,
  { base }: Branches,
  brought: Proposal,
  {
    open,
    isNew,
    isShared,
    isAlone,
  }: {
    readonly open: PullRequest | undefined;
    readonly isNew: boolean;
    readonly isShared: boolean;
    /** There is no second one, which a run at the same time has opened. */
    readonly isAlone: boolean;
  },
): Promise<ProposalFacts> {
  const notes = [
    ...(isShared ? [sharedNote] : []),
    ...outsideNotes(project, brought),
    ...(open && !hasMarker(open.body, marker) ? [foreignNote] : []),
  ];
  const proposal = { ...proposalFacts(brought), branch, notes };
  const facts = {
    digest: digestValue([proposal, editedValues(brought)]),
    edits: markEdits(brought.fields),
  };
  const isSaid = open !== undefined && readMarker(open.body, marker).digest === facts.digest;
  const title = driftTitle(project.environment, brought.fields.length);
  const shown = driftDocument(
    {
      ...document,
      drift: brought.drift,
      pull_request: { ...proposal, result: "opened" },
    },
    placesIn(brought.manifest),
  );
  const limit = Math.min(host.limits.body, 60_000) - 2_000;
  const request =
    open && isSaid && isAlone
      ? open
      : await upsertPullRequest(host, {
          ...{ marker, facts, title, headBranch: branch, baseBranch: base, ...settleOptions(runtime) },
          body: renderMarkdown(shown, { limit }),
        });
  const result = !open ? "opened" : isNew || !isSaid ? "updated" : "unchanged";
  return { result, number: request.number, url: request.url, ...proposal };
}

/** What was edited, so that the same drift has the same digest. */
function editedValues({ drift, fields }: Proposal) {
  return [
    fields.map(({ edit }) => edit.value),
    drift.objects.map(({ address, fields }) => [address, fields.map(({ field, after }) => [field, after])]),
  ];
}

const sharedNote =
  "Somebody else has pushed onto the branch. Their commits stay as they are; new edits are added after them.";
const foreignNote =
  "The open pull request of the branch was not written by avatarops: its title and description stay.";

function outsideNotes(project: Manifest, { fields }: Proposal): string[] {
  const outside = fields.filter((field) => isShared(project, field));
  if (outside.length === 0) return [];
  const names = outside.map(({ declaration: { address }, field }) => `${address}.${field}`).join(", ");
  return [`Other environments may use these texts too: ${names}.`];
}

/** Nothing is left to bring back: closes our pull request and deletes our branch, in this order. */
async function retire(
  { runtime, host, remote, branch, marker }: Proposing,
  { tip }: Branches,
  { refused }: Proposal,
  { open, isShared }: { readonly open: PullRequest | undefined; readonly isShared: boolean },
): Promise<ProposalFacts> {
  const none = { written: [], refused, branch };
  if (open) {
    const { number, url } = open;
    const isOurs = hasMarker(open.body, marker);
    const why = isShared || !isOurs ? "stays open, because it is not only ours" : "is closed";
    if (isOurs)
      await upsertComment(host, number, {
        ...{ marker: { ...marker, use: "drift-closed" }, ...settleOptions(runtime) },
        body: `Nothing is left to bring back: the account is as last applied, or the files have its texts, or they were changed in the same places. This ${why}.`,
      });
    if (isShared || !isOurs)
      return {
        result: "unchanged",
        number,
        url,
        ...none,
        notes: [`Nothing is left to bring back. It ${why}.`],
      };
    await host.closePullRequest(number);
    await moveBranch(remote, branch, { from: tip });
    return { result: "closed", number, url, ...none, notes: ["Nothing is left to bring back."] };
  }
  if (tip !== undefined) await moveBranch(remote, branch, { from: tip });
  return { result: "none", ...none, notes: [] };
}
