import { readFileSync } from "node:fs";
import type { OperationHost } from "../runtime/runtime.js";

/**
 * Returns candidates for the base of CI's pull request, as commits or refs, best first. Ids come before names, because
 * `origin` is the fork in a job that checked out the fork.
 */
export function listBasesInCi({
  environment,
  resolve,
}: Pick<OperationHost, "environment" | "resolve">): readonly string[] {
  const { GITHUB_EVENT_PATH: event, GITHUB_BASE_REF: ref } = environment;
  const sha = event ? readEventBase(resolve(event)) : undefined;
  if (sha !== undefined) return [sha];
  if (ref) return [`refs/remotes/origin/${ref}`];
  return listGitLabBases(environment);
}

function readEventBase(file: string): string | undefined {
  try {
    const event = JSON.parse(readFileSync(file, "utf8")) as { pull_request?: { base?: { sha?: unknown } } };
    const sha = event.pull_request?.base?.sha;
    return typeof sha === "string" ? sha : undefined;
  } catch {
    return undefined;
  }
}

/** Lists the target branch first and the merge base last, because the author of the change chooses the merge base. */
function listGitLabBases(environment: OperationHost["environment"]): readonly string[] {
  const {
    CI_PROJECT_ID: project,
    CI_MERGE_REQUEST_PROJECT_ID: target = project,
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: tip,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: branch,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: common,
  } = environment;
  const named = branch && target === project ? `refs/remotes/origin/${branch}` : undefined;
  return [tip, named, common].flatMap((base) => base || []);
}
