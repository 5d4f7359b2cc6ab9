import { createHmac } from "node:crypto";
import type { Marker } from "./marker.js";

/** What a review is of: there is one of each on a pull request. */
export interface Reviewed {
  /** The main file's path in the repository. */
  readonly project: string;
  readonly environment?: string | undefined;
}

/** By which the comment of a review is found. */
export function reviewMarker({ project, environment = "" }: Reviewed): Marker {
  return { use: "review", about: { project, environment } };
}

/**
 * Name of the commit status: `avatarops/production`, or `avatarops/FOLDER/production` for a project in a folder. Without an
 * environment, a folder ends with a slash: otherwise it could have the name of an environment.
 */
export function reviewContext({ project, environment }: Reviewed): string {
  const folder = project.replace(/(^|\/)avatarops(\.config)?\.\w+$/, "");
  if (folder !== "" && !environment) return `avatarops/${folder}/`;
  return ["avatarops", folder, environment].filter(Boolean).join("/");
}

/** The description of a commit status, which carries the digest of the plan. */
export function reviewDescription(
  { digest, signature }: { readonly digest: string; readonly signature?: string | undefined },
  counts: string,
  limit: number,
): string {
  const signed = signature === undefined ? "" : ` signed ${signature}`;
  const whole = Array.from(`Plan ${digest}${signed}: ${counts}`);
  return whole.length <= limit ? whole.join("") : `${whole.slice(0, limit - 1).join("")}…`;
}

/** Begins the description of a commit status whose plan was compared with no account, for lack of an API key. */
export const withoutKey = "No API key: ";

/** The digest of the plan in the description of a commit status, and its signature; undefined if there was no plan. */
export function digestInDescription(
  description: string,
): { readonly digest: string; readonly signature?: string | undefined } | undefined {
  const [, digest, signature] = /^Plan ([\w:+/=-]+)(?: signed ([\w-]+))?: /.exec(description) ?? [];
  return digest === undefined ? undefined : { digest, signature };
}

/**
 * Signs that a job with the key has planned this commit of a repository (the address of its page), so that no other job can say so, here
 * or where the same commit is.
 */
export function signReview(
  key: string,
  { project, environment = "" }: Reviewed,
  { repository, commit, digest }: Readonly<Record<"repository" | "commit" | "digest", string>>,
): string {
  const text = JSON.stringify(["avatarops review", repository, project, environment, commit, digest]);
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}
