import * as z from "zod";
import { parseJson } from "../../base/text/index.js";
import { digestValue } from "../../core/kinds/index.js";
import {
  type CodeHost,
  formatMarker,
  formatReviewContext,
  parseReviewDescription,
  readFacts,
} from "../../review/hosts/index.js";
import type { ReviewTarget } from "./target.js";

/*
 * The marker of a review comment lists the changed objects with digests of their changes. If several pull requests are
 * merged before an apply, each change can then be found in their common plan. Only comments by the user of the job
 * token count. People with write access can edit even these, so the list must be signed with the review key. Without a
 * key, its digest must be in a status that the same user set for the commit.
 */

/** Change digests, by `nameObject`. */
export type ReviewedObjects = ReadonlyMap<string, string>;

/** Returns a name that is unique among all projects and environments of a repository. */
export function nameObject({ reviewed }: Pick<ReviewTarget, "reviewed">, address: string): string {
  return `${formatReviewContext(reviewed)}/${address}`;
}

/** Maximum number of listed objects, and maximum size of the list in the marker. Longer lists are truncated. */
const maxObjects = 200;
const maxListBytes = 40_000;

/** Returns the list of changes that a review marker signs. Flags changes that come only from the base branch. */
export function listFacts(
  objects: ReviewedObjects,
  fromBase: ReadonlySet<string>,
  commit: string,
  { signList }: ReviewTarget,
): { readonly objects?: string; readonly listed?: string | undefined } {
  if (objects.size === 0) return {};
  const listed: string[][] = [];
  let bytes = 0;
  for (const [name, digest] of objects) {
    const entry = fromBase.has(name) ? [name, digest, baseMark] : [name, digest];
    bytes += formatMarker({ use: "", about: {} }, { entry: JSON.stringify(entry) }).length;
    if (bytes > maxListBytes || listed.length === maxObjects) {
      listed.push(truncated);
      break;
    }
    listed.push(entry);
  }
  const list = JSON.stringify(listed);
  return { objects: list, listed: signList(commit, list) };
}

/** Last entry of a truncated list. Contains no object. */
const truncated = ["", "truncated"];
const baseMark = "base";
const entries = z.array(z.tuple([z.string(), z.string()]).rest(z.string())).catch([]);

/**
 * Reads the changes from the reviews of a pull request's commit, except reviews by other users and edited lists. With `isOwn`, omits changes that come only from the base.
 */
export async function readReviewed(
  host: CodeHost,
  number: number,
  { signList }: ReviewTarget,
  of: string,
  { isOwn = false } = {},
): Promise<{ readonly objects: ReviewedObjects; readonly isTruncated: boolean }> {
  const author = await host.getAuthor();
  const found = new Map<string, string>();
  let isTruncated = false;
  let digests: ReadonlySet<string> | undefined;
  const isAuthentic = async (commit: string, objects: string, listed: string | undefined) => {
    const signature = signList(commit, objects);
    if (signature !== undefined) return listed === signature;
    digests ??= await readListDigests(host, commit);
    return digests.has(digestValue(objects));
  };
  let left = maxComments;
  for await (const { author: by, body } of host.listComments(number)) {
    const { commit = "", objects = "", listed } = by?.id === author.id ? readFacts(body, "review") : {};
    const isCurrent = objects !== "" && commit === of;
    if (isCurrent && (await isAuthentic(commit, objects, listed)))
      for (const [name, digest, mark] of entries.parse(parseJson(objects)))
        if (name === "") isTruncated = true;
        else if (!isOwn || mark !== baseMark) found.set(name, digest);
    left -= 1;
    if (left === 0) break;
  }
  return { objects: found, isTruncated };
}

/** Reads the digests of lists from our statuses for a commit. */
async function readListDigests(host: CodeHost, commit: string): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  for await (const { description } of host.listOwnStatuses(commit)) {
    const { list } = parseReviewDescription(description) ?? {};
    if (list !== undefined) digests.add(list);
  }
  return digests;
}

/** Maximum number of comments to read, oldest first, because reviews are posted early. */
const maxComments = 200;
