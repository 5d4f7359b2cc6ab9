import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startGitServer } from "./git-server.js";
import { createAccount, writeContexts } from "./project.js";

/** Creates and commits a project of `count` contexts with the state in one of the stores. Returns its folder. */
export type CreateProject = (count: number) => Promise<string>;

/** Calls a function with the stores to compare: a file, and git over file:// and HTTP (git http-backend). */
export async function withStores<Result>(
  use: (stores: Readonly<Record<string, CreateProject>>) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-bench-stores-"));
  const server = await startGitServer(root);
  const stores: Readonly<Record<string, (bare: string) => string | undefined>> = {
    file: () => undefined,
    "git, file://": (bare) => `file://${bare}`,
    "git, HTTP": (bare) => `${server.url}/${path.basename(bare)}`,
  };
  let projects = 0;
  const create = (findRemote: (bare: string) => string | undefined): CreateProject => {
    return (count) => {
      projects += 1;
      const bare = path.join(root, `${projects}.git`);
      return createProject(count, bare, findRemote(bare));
    };
  };
  try {
    return await use(Object.fromEntries(Object.entries(stores).map(([name, find]) => [name, create(find)])));
  } finally {
    await server.close();
    await rm(root, { recursive: true });
  }
}

async function createProject(count: number, bare: string, remote: string | undefined): Promise<string> {
  const folder = await writeContexts([...createAccount(count, 2_000).contexts]);
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...argv], {
      cwd: folder,
    });
  git("init", "--quiet", "--initial-branch=main");
  if (remote) {
    git("init", "--quiet", "--bare", "--initial-branch=main", bare);
    git("remote", "add", "origin", remote);
    const manifest = "include: [contexts/*.md]\nstate: git+refs://origin/avatarops/production\n";
    await writeFile(path.join(folder, "avatarops.yaml"), manifest);
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", "begin");
  // Pushes to the folder directly, because the HTTP server runs in this process and a blocking push would stop it.
  if (remote) git("push", "--quiet", bare, "HEAD:main");
  return folder;
}
