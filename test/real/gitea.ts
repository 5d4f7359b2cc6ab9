import { spawnSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { downloadGoModule } from "../../scripts/tools/go.js";
import { giteaModule, tools } from "../../scripts/tools.js";
import { findFreePort } from "../stores/starting.js";
import { startChildServer } from "./child-server.js";

/** Running Gitea on this machine with a user who owns an empty repository. */
export interface Gitea {
  /** URL without a final slash. */
  readonly url: string;
  readonly owner: GiteaUser;
  /** Name of the owner's repository. */
  readonly repo: string;
  /** HTTP remote of the repository, with the owner's token. */
  readonly remote: string;
  /** Path to Gitea's SQLite database. */
  readonly database: string;
  /** Creates another user without special permissions. */
  newUser(name: string): GiteaUser;
  /** Calls the API with a path relative to `/api/v1`. @throws Error for a response other than 2xx */
  api<Answer>(user: GiteaUser, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates an empty repository for the user. Returns its remote URL, which contains the user's token. */
  newRepository(user: GiteaUser, name: string): Promise<string>;
  /** Returns a repository's remote over HTTP for this user. */
  remoteOf(user: GiteaUser, repository: string): string;
  /** Merges a pull request in the owner's repository, once Gitea has checked for conflicts. */
  merge(repository: string, pull: number, how?: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

export interface GiteaUser {
  readonly name: string;
  readonly token: string;
}

/** Starts Gitea in a temporary folder on a free port. `npm run test:real` builds Gitea first. */
export async function startGitea(): Promise<Gitea> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-gitea-"));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = path.join(folder, "app.ini");
  const database = path.join(folder, "gitea.db");
  await writeFile(settings, formatSettings(folder, port));
  // Excludes the machine's git settings.
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, GITEA_WORK_DIR: folder } };
  const gitea = (...argv: string[]) => {
    const ran = spawnSync(tools.gitea.path, ["--config", settings, ...argv], {
      ...options,
      encoding: "utf8",
    });
    if (ran.status !== 0)
      throw new Error(`gitea ${argv.join(" ")} failed: ${ran.stdout}${ran.stderr}`, { cause: ran.error });
    // Warnings may precede the result.
    return ran.stdout.trim().split("\n").at(-1) ?? "";
  };
  gitea("migrate");
  const newUser = (name: string, ...flags: string[]): GiteaUser => {
    const mail = ["--email", `${name}@example.com`, "--random-password", "--must-change-password=false"];
    gitea("admin", "user", "create", "--username", name, ...mail, ...flags);
    const token = ["generate-access-token", "--username", name, "--scopes", "all", "--raw"];
    return { name, token: gitea("admin", "user", ...token) };
  };
  const owner = newUser("team", "--admin");

  const server = startChildServer(tools.gitea.path, ["--config", settings, "web"], folder, options.env);
  const { close } = server;

  const api = async <Answer>(user: GiteaUser, method: string, where: string, body?: unknown) => {
    const answer = await fetch(`${url}/api/v1${where}`, {
      method,
      headers: { authorization: `token ${user.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  };
  const remoteOf = ({ name, token }: GiteaUser, repository: string) =>
    `http://${name}:${token}@127.0.0.1:${port}/${repository}.git`;
  const newRepository = async (user: GiteaUser, name: string) => {
    await api(user, "POST", "/user/repos", { name, auto_init: false, default_branch: "main" });
    return remoteOf(user, `${user.name}/${name}`);
  };

  const merge: Gitea["merge"] = async (repository, pull, how) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const where = `/repos/${owner.name}/${repository}/pulls/${pull}/merge`;
        return await api(owner, "POST", where, { Do: "merge", ...how });
      } catch (error) {
        // Gitea checks for conflicts in the background after each push, and rejects merges until then.
        if (attempt === 100 || !String(error).includes("try again later")) throw error;
        await wait(200);
      }
    }
  };

  try {
    await waitUntilResponding(url, server.isAlive);
    const repo = "avatars";
    const remote = await newRepository(owner, repo);
    return { url, owner, repo, remote, database, newUser, api, newRepository, remoteOf, merge, close };
  } catch (cause) {
    const output = await server.readOutput();
    await close();
    throw new Error(`Gitea did not start:\n${output}`, { cause });
  }
}

async function waitUntilResponding(url: string, isAlive: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 300 && isAlive(); attempt += 1) {
    const answer = await fetch(`${url}/api/v1/version`).catch(() => undefined);
    if (answer?.ok) return;
    await wait(100);
  }
  throw new Error(`${url} does not respond.`);
}

function formatSettings(folder: string, port: number): string {
  return `
APP_NAME = Tests
RUN_MODE = prod
WORK_PATH = ${folder}
; Tests run as root in containers; this server is reached from this machine only.
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${downloadGoModule(giteaModule)}
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = ${folder}/gitea.db
[repository]
ROOT = ${folder}/repositories
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
SECRET_KEY = tests-only
[service]
DISABLE_REGISTRATION = true
[webhook]
; Tests listen on this machine.
ALLOWED_HOST_LIST = loopback
[indexer]
REPO_INDEXER_ENABLED = false
[cron]
ENABLED = false
[cron.update_checker]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
`;
}
