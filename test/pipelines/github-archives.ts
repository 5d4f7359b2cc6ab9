import { execFileSync } from "node:child_process";
import type { Server as HttpServer } from "node:http";
import { createServer } from "node:https";
import path from "node:path";
import { Server } from "proxy-chain";
import { authority } from "../artefact/authority.js";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * Starts a proxy that serves the commits of this repository as codeload.github.com and forwards other requests. npm
 * builds a commit on GitHub from such an archive, which has no `.git` folder.
 */
export async function startGithubArchives() {
  const requested: string[] = [];
  const archives = createServer(authority.server, ({ url = "" }, response) => {
    requested.push(url);
    const [, commit] = /^\/avatarops\/avatarops\/tar\.gz\/([0-9a-f]{40})$/.exec(url) ?? [];
    if (!commit) return void response.writeHead(404).end();
    const prefix = `--prefix=avatarops-${commit}/`;
    response.end(execFileSync("git", ["archive", "--format=tar.gz", prefix, commit], archived));
  });
  const proxy = new Server({
    ...{ port: 0, host: "127.0.0.1" },
    prepareRequestFunction: ({ hostname }) =>
      hostname === "codeload.github.com" ? { customConnectServer: archives as unknown as HttpServer } : {},
  });
  await proxy.listen();
  return {
    requested,
    settings: {
      npm_config_https_proxy: `http://127.0.0.1:${proxy.port}`,
      // The archive server's certificate is for another host.
      npm_config_strict_ssl: "false",
    },
    close: () => proxy.close(true),
  };
}

const archived = { cwd: root, maxBuffer: 2 ** 30 };
