import {
  type CodeHost,
  HostSetupError,
  hostNames,
  type RunFacts,
  readRun,
  tokenIn,
  withHost,
} from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { readProxy } from "./connect.js";

export { isHostCredential } from "../../review/hosts/index.js";

/** Which repository; default: that of the CI's environment. */
export interface CodeHostOptions {
  /** The kind of code host, such as "gitea". */
  readonly host?: string | undefined;
  /** The address of its page, or its name on the host. */
  readonly repo?: string | undefined;
  /** The branch that is applied. Default: the one that CI names, or that is checked out. */
  readonly branch?: string | undefined;
}

/**
 * Opens the code host of the repository while `use` runs: that of the options, or of the CI's environment.
 *
 * @throws HostSetupError, HostError; whatever `use` throws.
 */
export async function withCodeHost<Result>(
  runtime: Runtime,
  options: CodeHostOptions,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  return onCodeHost(runtime, await findHost(runtime, options), use);
}

async function findHost({ host: { environment } }: Runtime, { host, repo }: CodeHostOptions) {
  const name = hostNames.find((name) => name === host);
  return (await readRun(environment, { host: name, repository: repo })).host;
}

/** The code host of a repository that git reads from `url`; undefined if it is not known, or there is no token for it. */
export async function findCodeHost(
  runtime: Runtime,
  url: string,
  host: string | undefined,
): Promise<CodeHostOptions | undefined> {
  // git@HOST:PATH, or ssh://git@HOST:PORT/PATH.
  const repo = url.replace(/^(?:ssh:\/\/)?[^/@]+@([^/:]+)(?::\d+\/|[:/])/, "https://$1/");
  if (!/^https?:/.test(repo)) return undefined;
  try {
    const found = await findHost(runtime, { host, repo });
    if (found) tokenIn(runtime.host.environment, found.name);
    return { host, repo };
  } catch (error) {
    if (error instanceof HostSetupError) return undefined;
    throw error;
  }
}

/**
 * The same for a repository that is known.
 *
 * @throws HostSetupError if it is not, or there is no token; HostError; whatever `use` throws.
 */
export async function onCodeHost<Result>(
  runtime: Runtime,
  repository: RunFacts["host"],
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host, signal } = runtime;
  if (!repository)
    throw new HostSetupError(
      "no-host",
      "Name the repository: --repo takes the address of its page, such as https://github.com/team/avatars.",
    );
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
