import {
  type CodeHost,
  HostSetupError,
  hostNames,
  type RunFacts,
  readRun,
  tokenIn,
  withHost,
} from "../review/hosts/index.js";
import { readProxy } from "./connect.js";
import type { Runtime } from "./runtime.js";

/** Which repository; default: that of the CI's environment. */
export interface CodeHostOptions {
  /** The kind of code host, such as "gitea". */
  readonly host?: string | undefined;
  /** The address of its page, or its name on the host. */
  readonly repo?: string | undefined;
}

/**
 * Opens the code host of the repository while `use` runs: that of the options, or of the CI's environment.
 *
 * @throws HostSetupError, HostError; whatever `use` throws.
 */
export async function withCodeHost<Result>(
  runtime: Runtime,
  { host, repo }: CodeHostOptions,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host: found } = await readRun(runtime.host.environment, {
    host: hostNames.find((name) => name === host),
    repository: repo,
  });
  if (!found)
    throw new HostSetupError(
      "no-host",
      "Name the repository: --repo takes the address of its page, such as https://github.com/team/avatars.",
    );
  return onCodeHost(runtime, found, use);
}

/**
 * The same for a repository that is known.
 *
 * @throws HostSetupError if there is no token; HostError; whatever `use` throws.
 */
export function onCodeHost<Result>(
  runtime: Runtime,
  repository: NonNullable<RunFacts["host"]>,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host, signal } = runtime;
  const options = {
    ...repository,
    token: tokenIn(host.environment, repository.name),
    userAgent: `avatarops/${host.version}`,
    proxy: readProxy(runtime),
    signal,
    backoffMs: host.waits?.backoffMs,
  };
  return withHost(options, use);
}

/** How long to wait before looking for something whose answer was lost. */
export function settleOptions({ host }: Runtime): { readonly settleMs?: number | undefined } {
  return { settleMs: host.waits?.settleMs };
}
