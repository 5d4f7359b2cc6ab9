import {
  type CodeHost,
  HostSetupError,
  hostNames,
  type RunFacts,
  readRun,
  readToken,
  withHost,
} from "../../review/hosts/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { readProxy } from "./connect.js";

export { hostTokenVariables, isHostCredential } from "../../review/hosts/index.js";

/** Repository to use. Default: read from the CI environment. */
export interface CodeHostOptions {
  /** Type of code host, such as "gitea". */
  readonly host?: string | undefined;
  /** Repository page URL, or the repository's name on the host. */
  readonly repo?: string | undefined;
  /** Applied branch. Default: the branch named by CI, or the checked-out branch. */
  readonly branch?: string | undefined;
}

/**
 * Opens the code host given by the options or the CI environment, runs `use`, and closes it.
 *
 * @throws HostSetupError, HostError, and errors of `use`.
 */
export async function withCodeHost<Result>(
  runtime: Runtime,
  options: CodeHostOptions,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  return withRepositoryHost(runtime, await findHost(runtime, options), use);
}

async function findHost({ host: { environment } }: Runtime, { host, repo }: CodeHostOptions) {
  const name = hostNames.find((name) => name === host);
  return (await readRun(environment, { host: name, repository: repo })).host;
}

/** Finds the code host for a remote URL. Undefined if the host is unknown or there is no token. */
export async function findCodeHost(
  runtime: Runtime,
  url: string,
  host: string | undefined,
): Promise<CodeHostOptions | undefined> {
  // Converts git@HOST:PATH and ssh://git@HOST:PORT/PATH to HTTPS.
  const repo = url.replace(/^(?:ssh:\/\/)?[^/@]+@([^/:]+)(?::\d+\/|[:/])/, "https://$1/");
  if (!/^https?:/.test(repo)) return undefined;
  try {
    const found = await findHost(runtime, { host, repo });
    if (found) readToken(runtime.host.environment, found.name);
    return { host, repo };
  } catch (error) {
    if (error instanceof HostSetupError) return undefined;
    throw error;
  }
}

/**
 * Opens the code host of a known repository while `use` runs.
 *
 * @throws HostSetupError without a repository or a token. @throws HostError. Also rethrows errors of `use`.
 */
export async function withRepositoryHost<Result>(
  runtime: Runtime,
  repository: RunFacts["host"],
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host, signal } = runtime;
  if (!repository)
    throw new HostSetupError(
      "no-host",
      "The repository is unknown. Set --repo to the URL of its page, such as https://github.com/team/avatars.",
    );
  const options = {
    ...repository,
    token: readToken(host.environment, repository.name),
    userAgent: `avatarops/${host.version}`,
    proxy: readProxy(runtime),
    signal,
    backoffMs: host.waits?.backoffMs,
  };
  return withHost(options, use);
}

/** Returns how long to wait before checking whether a request without a response took effect. */
export function getSettleOptions({ host }: Runtime): { readonly settleMs?: number | undefined } {
  return { settleMs: host.waits?.settleMs };
}
