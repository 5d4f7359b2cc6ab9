import { writeFileSync } from "node:fs";
import path from "node:path";
import { newFolder } from "../git/repositories.js";
import type { StandIn, StoredPull } from "./stand-in.js";

export type Variables = Readonly<Record<string, string>>;

/** Returns the environment variables that a host's CI sets in each job. */
export function createCiVariables({ options }: Pick<StandIn, "options">): Record<string, string> {
  const { name, webUrl, apiUrl, repository, token } = options;
  if (name === "gitlab")
    return {
      ...{ GITLAB_CI: "true", CI_SERVER_URL: webUrl, CI_API_V4_URL: apiUrl, CI_PROJECT_PATH: repository },
      ...{ CI_PIPELINE_ID: "5", GITLAB_TOKEN: token.reveal() },
    };
  return {
    ...(name === "gitea" ? { GITEA_ACTIONS: "true" } : {}),
    ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: webUrl, GITHUB_API_URL: apiUrl },
    ...{ GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token.reveal() },
  };
}

export function createPullVariables(
  { options: { name, repository } }: Pick<StandIn, "options">,
  { number, commit, head, baseCommit = "", fromFork }: Omit<StoredPull, "title" | "body" | "open" | "base">,
): Variables {
  if (name === "gitlab")
    return {
      ...{ CI_MERGE_REQUEST_IID: `${number}`, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: commit },
      ...{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: fromFork ? "2" : "1", CI_MERGE_REQUEST_PROJECT_ID: "1" },
      ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_MERGE_REQUEST_TARGET_BRANCH_SHA: baseCommit },
      CI_COMMIT_SHA: commit,
    };
  const side = (sha: string, ref: string, full_name = repository) => {
    return { sha, ref, label: ref, repo: { full_name } };
  };
  const sides = {
    head: side(commit, head, fromFork ? "guest/avatars" : repository),
    base: side(baseCommit, "main"),
  };
  return { ...createEventVariables({ pull_request: { number, ...sides } }), GITHUB_BASE_REF: "main" };
}

export function createPushVariables({ options: { name } }: Pick<StandIn, "options">, sha: string): Variables {
  return name === "gitlab"
    ? { CI_COMMIT_SHA: sha }
    : { GITHUB_SHA: sha, ...createEventVariables({ after: sha }) };
}

export function createEventVariables(facts: object): Variables {
  const file = path.join(newFolder(), "event.json");
  writeFileSync(file, JSON.stringify(facts));
  return { GITHUB_EVENT_PATH: file };
}
