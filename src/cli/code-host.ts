import {
  type CodeHost,
  HostSetupError,
  hostNames,
  type RunFacts,
  readRun,
  tokenIn,
  withHost,
} from "../review/index.js";
import { type Call, textOption } from "./command.js";
import { proxyOf } from "./connect.js";
import { version } from "./version.js";

/**
 * Opens the code host of the repository while `use` runs: that of the CI's environment, or of --repo and --host.
 *
 * @throws HostSetupError, HostError; whatever `use` throws.
 */
export async function withCodeHost<Result>(
  call: Call,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host: found } = await readRun(call.host.environment, {
    host: hostNames.find((name) => name === textOption(call, "host")),
    repository: textOption(call, "repo"),
  });
  if (!found)
    throw new HostSetupError(
      "no-host",
      "Name the repository: --repo takes the address of its page, such as https://github.com/team/avatars.",
    );
  return onCodeHost(call, found, use);
}

/**
 * The same for a repository that is known.
 *
 * @throws HostSetupError if there is no token; HostError; whatever `use` throws.
 */
export function onCodeHost<Result>(
  call: Call,
  repository: NonNullable<RunFacts["host"]>,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host, signal } = call;
  const options = {
    ...repository,
    token: tokenIn(host.environment, repository.name),
    userAgent: `avatarops/${version}`,
    proxy: proxyOf(call),
    signal,
    backoffMs: host.waits?.backoffMs,
  };
  return withHost(options, use);
}

/** How long to wait before looking for something whose answer was lost. */
export function settleOptions({ host }: Call): { readonly settleMs?: number | undefined } {
  return { settleMs: host.waits?.settleMs };
}
