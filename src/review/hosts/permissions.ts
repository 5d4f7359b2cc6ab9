import type { HostName } from "./host.js";

/** What a token needs; a sentence. */
export const permissions: Readonly<Record<HostName, string>> = {
  github:
    "Give the job `permissions: { pull-requests: write, statuses: write }`; on a pull request from a fork, GitHub's own token can only read.",
  gitlab:
    "It needs the scope `api` and the role Reporter to comment, Developer for statuses and merge requests.",
  gitea:
    "A job needs `permissions: { contents: write, pull-requests: write }` (Gitea sets statuses with `contents: write`); another token the scopes `write:issue`, `write:repository` and `read:user`. On a pull request from a fork, the token of the job can only read.",
};
