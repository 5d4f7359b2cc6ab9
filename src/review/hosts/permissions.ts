import type { HostName } from "./host.js";

/** Sentences on the permissions that a token needs. Gitea requires `contents: write` to set statuses. */
export const permissions: Readonly<Record<HostName, string>> = {
  github:
    "Give the job `permissions: { pull-requests: write, statuses: write }`. On pull requests from forks, the job's token is read-only.",
  gitlab:
    "The token needs the `api` scope, and the Reporter role to comment or Developer for statuses and merge requests.",
  gitea:
    "A job needs `permissions: { contents: write, pull-requests: write }`, any other token the scopes `write:issue`, `write:repository` and `read:user`. On pull requests from forks, the job's token is read-only.",
};
