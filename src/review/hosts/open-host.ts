import type { CodeHost, HostClient, HostOptions, PullRequest, PullRequestFilter } from "./host.js";
import { hostFacts } from "./host-facts.js";

/** Opens a code host, runs `use`, and closes the host. */
export async function withHost<Result>(
  options: HostOptions,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { load, permissions } = hostFacts[options.name];
  const open = await load();
  const { host, close } = open(options, permissions);
  try {
    return await use(completeHost(host));
  } finally {
    await close();
  }
}

/** Adds the operations that are the same for every host. */
function completeHost(client: HostClient): CodeHost {
  async function listPullRequests(filter: PullRequestFilter): Promise<PullRequest[]> {
    const { state, headBranch, baseBranch } = filter;
    return (await client.listPullRequests(filter)).filter(
      (one) =>
        one.isOpen === (state === "open") &&
        (headBranch === undefined || (one.headBranch === headBranch && !one.isFromFork)) &&
        (baseBranch === undefined || one.baseBranch === baseBranch),
    );
  }
  return {
    findCloser: async () => undefined,
    listCommitters: async () => [],
    listPushers: async () => undefined,
    ...client,
    async listOpenPullRequests(headBranch) {
      const found = await listPullRequests({ state: "open", headBranch });
      return found.toSorted((one, other) => one.number - other.number);
    },
    listRecentPullRequests: (baseBranch) => listPullRequests({ state: "open", baseBranch, limit: 20 }),
    async listClosedPullRequests(headBranch) {
      const found = await listPullRequests({ state: "closed", headBranch, limit: 500 });
      return found.toSorted((one, other) => other.number - one.number);
    },
  };
}
