/** Code hosts: pull requests, comments and commit statuses on GitHub, GitLab and Gitea. */

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
export { hostLinks } from "./links.js";
export { hasMarker, type Marker, markerLine, readFacts, readMarker } from "./marker.js";
export { withHost } from "./open-host.js";
/** Identification of a review by its comment and its commit status. */
export {
  digestInDescription,
  type Reviewed,
  reviewContext,
  reviewDescription,
  reviewMarker,
  signReview,
  withoutKey,
} from "./review-names.js";
/** Facts about a CI run: host, repository, pull request, commit. */
export {
  type Environment,
  isHostCredential,
  type RunFacts,
  readRun,
  reviewKeyIn,
  tokenIn,
} from "./run-facts.js";
/** Comments and pull requests that are created once, then updated. */
export {
  ownComments,
  type UpsertOptions,
  upsertComment,
  upsertPullRequest,
} from "./upsert.js";
