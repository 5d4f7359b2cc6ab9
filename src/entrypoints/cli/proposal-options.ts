import { UsageError } from "../../base/diagnostics/index.js";

interface ProposalFlags {
  readonly pullRequest: boolean;
  readonly branch: string | undefined;
  readonly base: string | undefined;
  readonly here: boolean;
  readonly host: string | undefined;
  readonly repo: string | undefined;
}

/** Returns how changes are proposed, if at all. @throws UsageError for options that would have no effect */
export function readProposalType({
  pullRequest,
  ...given
}: ProposalFlags): "pull request" | "branch" | undefined {
  if (pullRequest) return "pull request";
  const isGiven = (name: keyof typeof given) => given[name] !== undefined && given[name] !== false;
  const onHost = (["host", "repo"] as const).find(isGiven);
  if (onHost) throw new UsageError("usage", `--${onHost} needs --pull-request.`);
  if (given.branch !== undefined) return "branch";
  const onBranch = (["here", "base"] as const).find(isGiven);
  if (onBranch) throw new UsageError("usage", `--${onBranch} needs --pull-request or --branch.`);
  return undefined;
}
