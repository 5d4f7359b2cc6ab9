import { createHmac } from "node:crypto";
import type { Marker } from "./marker.js";

/** Subject of a review. A pull request has one review for each project and environment. */
export interface Reviewed {
  /** Main file path in the repository. */
  readonly project: string;
  readonly environment?: string | undefined;
}

/** Returns the marker that identifies a review's comment. */
export function createReviewMarker({ project, environment = "" }: Reviewed): Marker {
  return { use: "review", about: { project, environment } };
}

/**
 * Returns the commit status name: `avatarops/production`, or `avatarops/FOLDER/production` for a project in a folder.
 * Without an environment, the name ends with a slash, because a folder can have the same name as an environment.
 */
export function formatReviewContext({ project, environment }: Reviewed): string {
  const folder = project.replace(/(^|\/)avatarops(\.config)?\.\w+$/, "");
  if (folder !== "" && !environment) return `avatarops/${folder}/`;
  return ["avatarops", folder, environment].filter(Boolean).join("/");
}

/** Facts in a commit status description. */
interface ReviewDescription {
  /** Plan digest. */
  readonly digest: string;
  readonly signature?: string | undefined;
  /** Digest of the list of changes in the comment. */
  readonly list?: string | undefined;
}

/** Returns a commit status description, which contains the plan's digest. */
export function formatReviewDescription(
  { digest, signature, list }: ReviewDescription,
  counts: string,
  limit: number,
): string {
  const signed = signature === undefined ? "" : ` signed ${signature}`;
  const listed = list === undefined ? "" : ` list ${list}`;
  const whole = Array.from(`Plan ${digest}${signed}${listed}: ${counts}`);
  return whole.length <= limit ? whole.join("") : `${whole.slice(0, limit - 1).join("")}…`;
}

/** Prefix of the description if there was no API key, so the plan was not compared with the account. */
export const noKeyPrefix = "No API key: ";

/** Parses the facts in a commit status description. Returns undefined if it contains no plan. */
export function parseReviewDescription(description: string): ReviewDescription | undefined {
  const [, digest, signature, list] =
    /^Plan ([\w:+/=-]+)(?: signed ([\w-]+))?(?: list ([\w:-]+))?: /.exec(description) ?? [];
  return digest === undefined ? undefined : { digest, signature, list };
}

/**
 * Signs the plan for a commit, to prove that a job with the key created it. The signature covers the repository's URL,
 * so it is invalid in any other repository.
 */
export function signReview(
  key: string,
  { project, environment = "" }: Reviewed,
  { repository, commit, digest }: Readonly<Record<"repository" | "commit" | "digest", string>>,
): string {
  const text = JSON.stringify(["avatarops review", repository, project, environment, commit, digest]);
  return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
}
