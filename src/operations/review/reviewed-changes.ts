import * as z from "zod";
import { parseJson } from "../../base/text/index.js";
import { type CodeHost, formatReviewContext, readFacts } from "../../review/hosts/index.js";
import type { ReviewTarget } from "./target.js";

/*
 * The marker of a review comment lists the changed objects with digests of their changes. If several pull requests are
 * merged before an apply, each change can then be found in their common plan. Only comments by the user of the job
 * token count, and with a review key, only signed lists.
 */

/** Change digests, by `nameObject`. */
export type ReviewedObjects = ReadonlyMap<string, string>;

/** Returns a name that is unique among all projects and environments of a repository. */
export function nameObject({ reviewed }: Pick<ReviewTarget, "reviewed">, address: string): string {
  return `${formatReviewContext(reviewed)}/${address}`;
}

/** Maximum number of listed objects. Longer lists are truncated to fit into a comment. */
export const maxObjects = 200;

/** Returns the list of changes that a review marker signs. Flags changes that come only from the base branch. */
export function listFacts(
  objects: ReviewedObjects,
  fromBase: ReadonlySet<string>,
  commit: string,
  { signList }: ReviewTarget,
): { readonly objects?: string; readonly listed?: string | undefined } {
  if (objects.size === 0) return {};
  const listed = [...objects].slice(0, maxObjects);
  const list = JSON.stringify(listed.map((entry) => (fromBase.has(entry[0]) ? [...entry, baseMark] : entry)));
  return { objects: list, listed: signList(commit, list) };
}

const baseMark = "base";
const entries = z.array(z.tuple([z.string(), z.string()]).rest(z.string())).catch([]);

/**
 * Reads the changes from the reviews of a pull request's commit, except reviews by other users and lists with a wrong
 * signature. With `isOwn`, omits changes that come only from the base.
 */
export async function readReviewed(
  host: CodeHost,
  number: number,
  { signList }: ReviewTarget,
  of: string,
  { isOwn = false } = {},
): Promise<ReviewedObjects> {
  const author = await host.getAuthor();
  const found = new Map<string, string>();
  let left = maxComments;
  for await (const { author: by, body } of host.listComments(number)) {
    const { commit = "", objects = "", listed } = by?.id === author.id ? readFacts(body, "review") : {};
    const isSigned = [undefined, listed].includes(signList(commit, objects));
    if (objects !== "" && isSigned && commit === of)
      for (const [name, digest, mark] of entries.parse(parseJson(objects)))
        if (!isOwn || mark !== baseMark) found.set(name, digest);
    left -= 1;
    if (left === 0) break;
  }
  return found;
}

/** Maximum number of comments to read, oldest first, because reviews are posted early. */
const maxComments = 200;
