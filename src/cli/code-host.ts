import { proxyIn } from "../api/index.js";
import { type CodeHost, HostSetupError, hostNames, readRun, tokenIn, withHost } from "../review/index.js";
import { type Call, textOption } from "./command.js";
import { UsageError } from "./failure.js";
import { version } from "./version.js";

/**
 * Opens the code host of the repository while `use` runs: that of the CI's environment, or of --repo and --host.
 *
 * @throws HostSetupError, HostError, MissingPackageError; whatever `use` throws.
 */
export async function withCodeHost<Result>(
  call: Call,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const { host, signal } = call;
  const { host: found } = await readRun(host.environment, {
    host: hostNames.find((name) => name === textOption(call, "host")),
    repository: textOption(call, "repo"),
  });
  if (!found)
    throw new HostSetupError(
      "no-host",
      "Say which repository on which code host is meant: --repo takes the address of its page.",
    );
  const proxies = proxyIn(host.environment);
  if ("problem" in proxies) throw new UsageError("proxy", proxies.problem);
  const options = {
    ...found,
    token: tokenIn(host.environment, found.name),
    userAgent: `avatarops/${version}`,
    proxy: proxies.proxy,
    signal,
    backoffMs: host.waits?.backoffMs,
  };
  return withHost(options, use);
}

/** How long to wait before looking for something whose answer was lost. */
export function settling({ host }: Call): { readonly settleMs?: number | undefined } {
  return { settleMs: host.waits?.settleMs };
}
