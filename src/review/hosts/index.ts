/** Code hosts: pull requests, comments and commit statuses on GitHub, GitLab and Gitea. */

export { isBotLogin } from "./bots.js";
export { parseDescription } from "./description.js";
export { HostError, HostSetupError } from "./errors.js";
export {
  type Author,
  type CodeHost,
  type Comment,
  type HostName,
  type HostOptions,
  hostNames,
  type PullRequest,
  type Token,
} from "./host.js";
export { createHostLinks } from "./links.js";
export { formatMarker, type Marker, readFacts, readMarker } from "./marker.js";
export { withHost } from "./open-host.js";
/** Names that identify a review: its comment and its commit status. */
export {
  createReviewMarker,
  formatReviewContext,
  formatReviewDescription,
  noKeyPrefix,
  parseReviewDescription,
  type Reviewed,
  signReview,
} from "./review-names.js";
/** Facts about a CI job: host, repository, pull request, commit. */
export {
  type Environment,
  hostTokenVariables,
  isHostCredential,
  type RunFacts,
  readReviewKey,
  readRun,
  readToken,
} from "./run-facts.js";
/** Comments and pull requests that are created once, then updated. */
export {
  listOwnComments,
  type UpsertOptions,
  upsertComment,
  upsertPullRequest,
} from "./upsert.js";
