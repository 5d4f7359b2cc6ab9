import * as z from "zod";
import { parseJson } from "../../base/text/index.js";
import type { OtherPullRequest } from "../../output/render/index.js";
import {
  type CodeHost,
  HostError,
  type PullRequest,
  readFacts,
  reviewContext,
} from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import type { ReviewTarget } from "./target.js";

/*
 * What other pull requests do: the marker of a review's comment lists the objects that it changes, each with the digest of its change, so
 * that the same change is recognised elsewhere. Only comments of our own account count, and with a key only lists that it signs.
 */

/** The digest of each change, by the name of its object: see `objectName`. */
export type ReviewedObjects = ReadonlyMap<string, string>;

/** The name of an object among those of all projects and environments of a repository. */
export function objectName({ reviewed }: Pick<ReviewTarget, "reviewed">, address: string): string {
  return `${reviewContext(reviewed)}/${address}`;
}

/** Longer lists are cut: they are part of a comment. */
export const mostObjects = 200;

/** The list as a fact of a marker, signed. */
export function listFacts(
  objects: ReviewedObjects,
  commit: string,
  { signList }: ReviewTarget,
): { readonly objects?: string; readonly listed?: string | undefined } {
  if (objects.size === 0) return {};
  const list = JSON.stringify([...objects].slice(0, mostObjects));
  return { objects: list, listed: signList(commit, list) };
}

const entries = z.array(z.tuple([z.string(), z.string()])).catch([]);

/** What the last reviews of a pull request found, or those of one commit; nothing without comments of ours, or if a signature is wrong. */
export async function readReviewed(
  host: CodeHost,
  number: number,
  { signList }: ReviewTarget,
  of?: string,
): Promise<ReviewedObjects> {
  const author = await host.author();
  const found = new Map<string, string>();
  let left = mostComments;
  for await (const { author: by, body } of host.comments(number)) {
    const { commit = "", objects = "", listed } = by?.id === author.id ? readFacts(body, "review") : {};
    const isSigned = [undefined, listed].includes(signList(commit, objects));
    if (objects !== "" && isSigned && commit === (of ?? commit))
      for (const [name, digest] of entries.parse(parseJson(objects))) found.set(name, digest);
    left -= 1;
    if (left === 0) break;
  }
  return found;
}

/** The oldest comments of a pull request that are read: reviews begin early. */
const mostComments = 200;

/** The other open pull requests whose last review found changes of the same objects: of those changed last, at most 20. */
export async function findOthers(
  { output }: Runtime,
  host: CodeHost,
  target: ReviewTarget,
  { number, baseBranch }: PullRequest,
  touched: ReviewedObjects,
): Promise<readonly OtherPullRequest[]> {
  if (touched.size === 0) return [];
  const found: OtherPullRequest[] = [];
  try {
    for (const other of await host.recentPullRequests(baseBranch)) {
      if (other.number === number || other.isFromFork) continue;
      const theirs = await readReviewed(host, other.number, target);
      const objects = [...touched.keys()].filter((name) => theirs.has(name));
      if (objects.length > 0) found.push({ number: other.number, url: other.url, objects });
    }
  } catch (error) {
    if (!(error instanceof HostError) || error.code === "cancelled") throw error;
    output.warn(
      `It could not be found out which other pull requests change the same objects: ${error.message}`,
    );
  }
  return found;
}
