import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import type { StoreEnvironment } from "../../src/core/state/index.js";
import type { StoreBackend } from "../../src/core/state/store-backend.js";
import { openGitStore } from "../../src/core/state/stores/git.js";
import { commitAll, createGitEnvironment, git, newFolder, newRepository } from "../git/repositories.js";
import { serve } from "../listening.js";
import { startProgram, startServer } from "../stores/starting.js";
import { lock } from "./building.js";

/** Value of `state:` in these tests. */
export const location = "git+refs://origin/avatarops/production";
export const stateRef = "refs/avatarops/production";
export const lockRef = "refs/avatarops-locks/production";

/** Bare repository on a server. */
export interface Remote {
  readonly folder: string;
  readonly url: string;
}

export function newRemote(): Remote {
  const folder = newFolder();
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main");
  return { folder, url: `file://${folder}` };
}

/** Turns a folder into a repository and pushes its files to `main` of a remote. */
export function publish(folder: string): Remote & { readonly commit: string } {
  const remote = newRemote();
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "remote", "add", "origin", remote.url);
  const commit = commitAll(folder);
  git(folder, "push", "--quiet", "origin", "main");
  return { ...remote, commit };
}

export function newClone(url: string, ...options: string[]): string {
  const folder = newFolder();
  git(folder, "clone", "--quiet", ...options, "--", url, folder);
  return folder;
}

/** Pushes a first commit to a bare repository. */
export function fill(remote: Remote): void {
  git(newRepository(), "push", "--quiet", remote.folder, "HEAD:refs/heads/main");
}

/** Creates a separate machine for a run in a clone. */
export function createMachineIn(
  root: string,
  variables: Readonly<Record<string, string>> = {},
): StoreEnvironment {
  return {
    root,
    allowCode: false,
    environment: { ...createGitEnvironment(root), ...variables },
    system: nodeSystem,
    pid: 7,
    host: `runner-${randomUUID()}`,
    patienceMs: 100,
  };
}

export function openIn(
  root: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<StoreBackend> {
  return openGitStore(new URL(location), createMachineIn(root, variables));
}

export const formatState = (serial: number) => `${JSON.stringify({ serial })}\n`;
export const formatRecord = (serial: number) => JSON.stringify({ serial });

/** Locks, appends, commits and releases, and checks the result from another clone. */
export async function expectToWork(
  root: string,
  other: string,
  variables: Readonly<Record<string, string>> = {},
) {
  const hold = await lock(await openIn(root, variables));
  await hold.append("header\none\n");
  const elsewhere = await openIn(other, variables);
  expect(await elsewhere.read()).toMatchObject({ state: undefined, journal: "header\none\n" });
  await hold.append("two\n");
  await hold.commit({ state: formatState(1), record: formatRecord(1) });
  await hold.release();
  expect(await elsewhere.read()).toEqual({ state: formatState(1), journal: undefined });
}

/** Serves the folder over git's own protocol and accepts pushes. */
export async function startGitDaemon({ folder }: Remote): Promise<string> {
  const options = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
  // Starts git-daemon directly, because `git daemon` runs it as a child process that outlives its parent.
  const daemon = path.join(git(folder, "--exec-path"), "git-daemon");
  const { port, close } = await startServer((port) =>
    startProgram(daemon, [...options, `--port=${port}`, `--base-path=${folder}`, folder], {
      env: createGitEnvironment(folder),
    }),
  );
  onTestFinished(close);
  return `git://127.0.0.1:${port}/`;
}

/** `git http-backend` behind an HTTP server. */
export interface HttpRemote {
  readonly url: string;
  readonly port: number;
  /** Returns the requests since the last call, such as `GET /info/refs?service=git-upload-pack`. */
  requests(): string[];
}

/**
 * Serves the remote, over TLS if a certificate is given. If a login is given, rejects requests without the login.
 */
export async function startHttpBackend(
  { folder }: Remote,
  login?: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<HttpRemote> {
  let requests: string[] = [];
  const { url, port, close } = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [, sent] = request.headers.authorization?.split(" ") ?? [];
    if (login && sent !== Buffer.from(login).toString("base64")) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    answer(request, response, folder);
  }, tls);
  onTestFinished(close);
  return {
    url: `${url}/`,
    port,
    requests() {
      const made = requests;
      requests = [];
      return made;
    },
  };
}

/** Runs git's CGI program for a request. */
function answer(request: IncomingMessage, response: ServerResponse, folder: string): void {
  const [file = "", query = ""] = (request.url ?? "").split("?");
  const { headers } = request;
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...createGitEnvironment(folder),
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      // Authenticated users may push.
      REMOTE_USER: "ada",
      REQUEST_METHOD: request.method,
      PATH_INFO: file,
      QUERY_STRING: query,
      CONTENT_TYPE: headers["content-type"] ?? "",
      ...(headers["content-length"] ? { CONTENT_LENGTH: headers["content-length"] } : {}),
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => {});
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on("data", (chunk: Buffer) => {
    if (!head) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  backend.once("close", () => response.end());
}
