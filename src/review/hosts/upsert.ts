import { nodeSystem } from "../../base/system/index.js";
import { type Description, formatDescription, isOwnTitle, parseDescription } from "./description.js";
import { HostError } from "./errors.js";
import type { CodeHost, Comment, NewPullRequest, PullRequest } from "./host.js";
import { formatMarker, hasMarker, type Marker, type MarkerFacts } from "./marker.js";

/*
 * Creating a comment or pull request is not idempotent on any host. If the response is lost, the post may still exist,
 * so it is looked up by its marker and our user before it is created again.
 */

/** A comment or pull request to post, with the marker that identifies it. */
export interface UpsertOptions {
  readonly marker: Marker;
  /** Facts about this run, written into the marker. */
  readonly facts?: MarkerFacts;
  /**
   * Time to wait, in ms, before looking for a post whose create request got no response, because the host may still be
   * processing it. Default: 2,000.
   */
  readonly settleMs?: number | undefined;
}

/**
 * Creates or updates our comment. If concurrent runs created several comments, keeps only the first.
 *
 * @throws HostError
 */
export async function upsertComment(
  host: CodeHost,
  pullRequest: number,
  { body, ...options }: UpsertOptions & { readonly body: string },
): Promise<Comment> {
  const text = addMarker(options, body);
  const find = () => listOwnComments(host, pullRequest, options.marker);
  let found = await find();
  if (found.length === 0) {
    const made = await createOnce(
      options,
      () => host.createComment(pullRequest, text),
      async () => (await find())[0],
    );
    const listed = await find();
    // The list may not yet contain the new comment.
    found = listed.some(({ id }) => id === made.id) ? listed : [...listed, made];
  }
  const [first, ...others] = found;
  if (!first) throw new Error("Bug: the created comment was not found");
  // Updates before deleting, because the current text may exist only in a comment that is deleted next.
  const current = first.body === text ? first : await host.updateComment(pullRequest, first.id, text);
  for (const { id } of others) await host.deleteComment(pullRequest, id);
  return current;
}

/** Lists our comments with this marker, oldest first. */
export async function listOwnComments(
  host: CodeHost,
  pullRequest: number,
  marker: Marker,
): Promise<Comment[]> {
  const author = await host.getAuthor();
  const own: Comment[] = [];
  for await (const comment of host.listComments(pullRequest))
    if (comment.author?.id === author.id && hasMarker(comment.body, marker)) own.push(comment);
  return own.toSorted((a, b) => a.id - b.id);
}

/** A created or updated pull request. */
export interface UpsertedPullRequest extends PullRequest {
  /** Sentences about edits by people that were kept. */
  readonly kept: readonly string[];
}

/**
 * Creates the pull request for a branch, or updates the open one if it has our marker. Keeps titles and texts that
 * people wrote. If concurrent runs created duplicates, keeps the first one open.
 *
 * @throws HostError
 */
export async function upsertPullRequest(
  host: CodeHost,
  { title, body, headBranch, baseBranch, ...options }: UpsertOptions & NewPullRequest,
): Promise<UpsertedPullRequest> {
  const { marker, facts } = options;
  const format = (old?: Description) => formatDescription(marker, facts, { title, body }, old);
  const find = () => host.listOpenPullRequests(headBranch);
  let found = await find();
  if (found.length === 0) {
    const made = await createOnce(
      options,
      () => host.createPullRequest({ title, body: format(), headBranch, baseBranch }),
      async () => (await find())[0],
    );
    const listed = await find();
    // The list may not yet contain the new pull request.
    found = listed.some(({ number }) => number === made.number) ? listed : [...listed, made];
  }
  const [first, ...others] = found;
  if (!first) throw new Error("Bug: the created pull request was not found");
  for (const other of others)
    if (parseDescription(other.body, marker)) await host.updatePullRequest(other.number, { state: "closed" });
  const old = parseDescription(first.body, marker);
  if (!old) return { ...first, kept: [] };
  const kept = describeKept(first, old);
  const updated = { title: isOwnTitle(first.title, old) ? title : first.title, body: format(old) };
  if (first.title === updated.title && first.body === updated.body) return { ...first, kept };
  return { ...(await host.updatePullRequest(first.number, updated)), kept };
}

function describeKept({ title }: PullRequest, old: Description): string[] {
  const { before, after, isRewritten } = old;
  const kept = isOwnTitle(title, old) ? [] : ["The title was edited, so it is kept."];
  if (isRewritten) kept.push("The description was edited, so the edited text is kept above the new one.");
  else if (before || after)
    kept.push("The description was edited, so only the part by avatarops is updated.");
  return kept;
}

function addMarker({ marker, facts }: UpsertOptions, body: string): string {
  return `${formatMarker(marker, facts)}\n${body}`;
}

/** Creates a comment or pull request. If that fails, uses one that this or another run has created meanwhile. */
async function createOnce<Made>(
  { settleMs = 2000 }: UpsertOptions,
  create: () => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const isLost = error.outcome === "unknown";
    const mayExist = isLost || error.code === "host-refused";
    if (isLost) await nodeSystem.sleep(settleMs);
    const found = mayExist ? await find() : undefined;
    if (found) return found;
    if (!isLost) throw error;
  }
  return create();
}
