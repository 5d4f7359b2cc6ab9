import type { CodeHost, HostName, HostOptions, OpenHost } from "./host.js";

/** Loaders of the clients, so that only the client in use is loaded. */
const hosts: Readonly<Record<HostName, () => Promise<OpenHost>>> = {
  github: async () => (await import("./github.js")).openGitHub,
  gitlab: async () => (await import("./gitlab.js")).openGitLab,
  gitea: async () => (await import("./gitea.js")).openGitea,
};

/** Opens a code host, runs `use`, and closes the host. */
export async function withHost<Result>(
  options: HostOptions,
  use: (host: CodeHost) => Promise<Result>,
): Promise<Result> {
  const open = await hosts[options.name]();
  const { host, close } = open(options);
  try {
    return await use(host);
  } finally {
    await close();
  }
}
