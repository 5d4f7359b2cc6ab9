/** What an earlier follower knew cannot be continued: the lists have none of its sessions. */
export class FollowError extends Error {
  override readonly name = "FollowError";
  readonly code = "other-account";

  constructor() {
    super("None of the sessions that are remembered is in the lists of this account.");
  }
}
