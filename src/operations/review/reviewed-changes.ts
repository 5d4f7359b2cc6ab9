import * as z from "zod";
import { parseJson } from "../../base/text/index.js";
import { type CodeHost, readFacts, reviewContext } from "../../review/hosts/index.js";
import type { ReviewTarget } from "./target.js";

/*
 * The marker of a review's comment lists the objects that it changes, each with the digest of its change, so that the same change is
 * recognised in the plan of several merged pull requests. Only comments of our own account count, and with a key only lists that it signs.
 */

/** The digest of each change, by the name of its object: see `objectName`. */
export type ReviewedObjects = ReadonlyMap<string, string>;

/** The name of an object among those of all projects and environments of a repository. */
export function objectName({ reviewed }: Pick<ReviewTarget, "reviewed">, address: string): string {
  return `${reviewContext(reviewed)}/${address}`;
}

/** Longer lists are cut: they are part of a comment. */
export const mostObjects = 200;

/** The list as a fact of a marker, signed. It marks changes that come from the base alone. */
export function listFacts(
  objects: ReviewedObjects,
  fromBase: ReadonlySet<string>,
  commit: string,
  { signList }: ReviewTarget,
): { readonly objects?: string; readonly listed?: string | undefined } {
  if (objects.size === 0) return {};
  const listed = [...objects].slice(0, mostObjects);
  const list = JSON.stringify(listed.map((entry) => (fromBase.has(entry[0]) ? [...entry, baseMark] : entry)));
  return { objects: list, listed: signList(commit, list) };
}

const baseMark = "base";
const entries = z.array(z.tuple([z.string(), z.string()]).rest(z.string())).catch([]);

/**
 * What the reviews of a commit of a pull request found; nothing without comments of ours, or if a signature is wrong. `isOwn`: only changes
 * that do not come from the base alone.
 */
export async function readReviewed(
  host: CodeHost,
  number: number,
  { signList }: ReviewTarget,
  of: string,
  { isOwn = false } = {},
): Promise<ReviewedObjects> {
  const author = await host.author();
  const found = new Map<string, string>();
  let left = mostComments;
  for await (const { author: by, body } of host.comments(number)) {
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

/** The oldest comments of a pull request that are read: reviews begin early. */
const mostComments = 200;
