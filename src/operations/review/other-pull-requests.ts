import type { OtherPullRequest } from "../../output/render/index.js";
import { type CodeHost, HostError, type PullRequest } from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { type ReviewedObjects, readReviewed } from "./reviewed-changes.js";
import type { ReviewTarget } from "./target.js";

/**
 * Finds other open pull requests to the same branch whose reviews show a different change to the same object. Ignores
 * changes that come only from the base, and sends at most three requests per pull request.
 *
 * @returns "unknown" if the code host cannot be reached.
 */
export async function findOtherPullRequests(
  { output, signal }: Runtime,
  host: CodeHost,
  target: ReviewTarget,
  { number, baseBranch }: PullRequest,
  touched: ReviewedObjects,
): Promise<readonly OtherPullRequest[] | "unknown"> {
  const found: OtherPullRequest[] = [];
  try {
    for (const other of touched.size > 0 ? await host.listRecentPullRequests(baseBranch) : []) {
      if (other.number === number || other.isFromFork) continue;
      const { objects: theirs } = await readReviewed(host, other.number, target, other.headCommit, {
        isOwn: true,
      });
      const differs = ([name, digest]: readonly [string, string]) => (theirs.get(name) ?? digest) !== digest;
      const objects = [...touched].filter(differs).map(([name]) => name);
      const { url, title } = other;
      if (objects.length > 0) found.push({ number: other.number, url, title, objects });
    }
    return found;
  } catch (error) {
    if (signal.aborted || !(error instanceof HostError)) throw error;
    output.warn(`Other open pull requests could not be looked up: ${error.message}`);
    return "unknown";
  }
}
