// @module-tag night

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { openGitStore } from "../../src/core/state/stores/git.js";
import { createGitEnvironment, git, newFolder, newRepository, write } from "../git/repositories.js";
import { isHeldLock, listRecords, lock } from "./building.js";
import {
  createMachineIn,
  expectToWork,
  fill,
  formatRecord,
  formatState,
  location,
  newClone,
  newRemote,
  openIn,
  type Remote,
  startGitDaemon,
  startHttpBackend,
  stateRef,
} from "./git-servers.js";

describe("state in git", () => {
  test("supports HTTP with a CI job's authorization header", async () => {
    const remote = newRemote();
    fill(remote);
    const { url, port } = await startHttpBackend(remote, "x-access-token:s3cret");
    const header = `AUTHORIZATION: basic ${Buffer.from("x-access-token:s3cret").toString("base64")}`;
    const clone = () => {
      const folder = newClone(remote.url);
      git(folder, "remote", "set-url", "origin", url);
      return folder;
    };
    const [root, other] = [clone(), clone()];
    // actions/checkout leaves the header in the clone's configuration, or in a file included there.
    git(root, "config", `http.http://127.0.0.1:${port}/.extraheader`, header);
    write(other, ".git/credentials.config", `[http "${url}"]\n\textraheader = ${header}\n`);
    git(other, "config", `includeIf.gitdir:${path.join(other, ".git")}.path`, "credentials.config");
    await expectToWork(root, other);
    const stranger = await openIn(clone());
    await expect(stranger.read()).rejects.toMatchObject({ code: "refused" });
  });

  test("supports ssh", async () => {
    const remote = newRemote();
    fill(remote);
    const root = newClone(remote.url);
    git(root, "remote", "set-url", "origin", `git@host.example:${remote.folder}`);
    // Replaces ssh and sshd. Runs the last argument in a shell, as sshd would.
    write(root, ".git/ssh", '#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n', 0o755);
    await expectToWork(root, root, { GIT_SSH_COMMAND: path.join(root, ".git/ssh"), GIT_SSH_VARIANT: "ssh" });
    git(root, "config", "core.sshCommand", path.join(root, ".git/ssh"));
    git(root, "config", "ssh.variant", "ssh");
    expect(await (await openIn(root)).read()).toMatchObject({ state: formatState(1) });
  });

  test("supports the git protocol and leaves shallow and partial clones unchanged", async () => {
    const remote = newRemote();
    git(remote.folder, "config", "uploadpack.allowFilter", "true");
    fill(remote);
    const url = await startGitDaemon(remote);
    const [shallow, partial] = [
      newClone(url, "--depth=1"),
      newClone(url, "--filter=blob:none", "--no-checkout"),
    ];
    const facts = () => [
      git(partial, "count-objects", "-v"),
      git(shallow, "rev-parse", "--is-shallow-repository"),
      git(shallow, "count-objects", "-v"),
    ];
    const before = facts();
    await expectToWork(shallow, partial);
    expect(facts()).toEqual(before);
  });

  test("supports a remote at a relative path and leaves the full clone unchanged", async () => {
    const remote = newRemote();
    fill(remote);
    const root = newClone(remote.url);
    git(root, "remote", "set-url", "origin", path.relative(root, remote.folder));
    write(root, "avatars/avatarops.yaml", "");
    const trace = path.join(root, ".git/trace");
    for (const hook of ["pre-push", "post-commit", "reference-transaction", "post-rewrite"])
      write(root, `.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${trace}\nexit 1\n`, 0o755);
    const facts = () => [
      git(root, "for-each-ref"),
      git(root, "rev-parse", "--is-shallow-repository"),
      git(root, "status", "--porcelain"),
      git(root, "count-objects"),
      git(root, "config", "--list", "--local"),
      existsSync(path.join(root, ".git/FETCH_HEAD")),
      // Hooks of the user's repository must not run.
      existsSync(trace),
    ];
    const before = facts();
    await expectToWork(root, path.join(root, "avatars"));
    expect(facts()).toEqual(before);
  });

  test("supports worktrees and shares fetched objects between them", async () => {
    const remote = newRemote();
    fill(remote);
    const bare = newFolder();
    git(bare, "clone", "--quiet", "--bare", remote.url, bare);
    const [one, other] = [path.join(newFolder(), "tree"), path.join(newFolder(), "other")];
    git(bare, "worktree", "add", "--quiet", one, "main");
    git(bare, "worktree", "add", "--quiet", "--detach", other, "main");
    await expectToWork(one, other);
    expect(readdirSync(bare)).toContain("avatarops");
  });

  test("supports a branch, for hosts that accept no other refs", async () => {
    const remote = newRemote();
    // Allows only fast-forwards, as shared repositories do.
    git(remote.folder, "config", "receive.denyNonFastForward", "true");
    fill(remote);
    const root = newClone(remote.url);
    const url = new URL("git+refs://origin/heads/avatarops/production");
    const store = await openGitStore(url, createMachineIn(root));
    const hold = await lock(store);
    await hold.append("header\n");
    expect(git(remote.folder, "branch", "--list", "--format=%(refname)")).toContain(
      "refs/heads/avatarops-locks/production",
    );
    await hold.commit({ state: formatState(1), record: formatRecord(1) });
    await hold.release();
    expect(git(remote.folder, "show", "refs/heads/avatarops/production:state.json")).toBe(
      formatState(1).trim(),
    );
  });

  test("supports a server that cannot update two refs atomically", async () => {
    const remote = newRemote();
    git(remote.folder, "config", "receive.advertiseAtomic", "false");
    fill(remote);
    await expectToWork(newClone(remote.url), newClone(remote.url));
  });
});

test("quotes the message of a hook that rejects the push", async () => {
  const remote = newRemote();
  const hook = "#!/bin/sh\necho 'No state here, said \u001b[31mthe hook' >&2\nexit 1\n";
  write(remote.folder, "hooks/pre-receive", hook, 0o755);
  const store = await openIn(newClone(remote.url));
  await expect(lock(store)).rejects.toMatchObject({
    code: "refused",
    message: expect.stringMatching(
      /^Cannot write git\+refs:\/\/origin\/avatarops\/production: `git push [^\u001b]*No state here, said [^\u001b]*the hook[^\u001b]* Give the user who runs `avatarops apply` permission to push refs\/avatarops\/production/,
    ),
  });
});

test("fails to lock a state in git if the server hides the lock ref", async () => {
  const remote = newRemote();
  git(remote.folder, "config", "receive.hideRefs", "refs/avatarops-locks");
  const store = await openIn(newClone(remote.url));
  await expect(lock(store)).rejects.toMatchObject({ code: "refused" });
});

test("creates one readable state commit for each apply, authored by the git user or a default author", async () => {
  const remote = newRemote();
  const root = newClone(remote.url);
  const hold = await lock(await openIn(root));
  await hold.append("header\n");
  await hold.commit({ state: formatState(1), record: formatRecord(1) });
  await hold.release();
  const nobody = { ...createMachineIn(root), environment: { PATH: process.env.PATH, HOME: root } };
  const again = await lock(await openGitStore(new URL(location), nobody));
  await again.read();
  await again.commit({ record: "no JSON" });
  await again.release();
  const log = git(remote.folder, "log", "--format=%an <%ae>%n%B%x00", stateRef).split("\0");
  expect(log.map((entry) => entry.trim().split("\n"))).toMatchObject([
    ["avatarops <avatarops@localhost>", "avatarops", "", "Host: runner"],
    ["Ada <ada@example.com>", "avatarops", "", "Host: runner"],
    [""],
  ]);
  expect(git(remote.folder, "ls-tree", "--name-only", stateRef)).toBe("apply.json\nstate.json");
  expect(git(remote.folder, "for-each-ref", "--format=%(refname)")).toBe(stateRef);
  expect(git(remote.folder, "fsck", "--no-dangling")).toBe("");
});

test("needs one git round trip for each state operation, plus one to read a ref that has moved", async () => {
  const remote = newRemote();
  fill(remote);
  const { url, requests } = await startHttpBackend(remote, "ada:s3cret");
  const clone = () => {
    const folder = newClone(remote.url);
    git(folder, "remote", "set-url", "origin", "https://code.example/team/avatars.git");
    git(folder, "config", `url.${url}.insteadOf`, "https://code.example/team/avatars.git");
    git(folder, "config", "credential.helper", "!f() { echo username=ada; echo password=s3cret; }; f");
    return folder;
  };
  const [root, other] = [clone(), clone()];
  const steps: Record<string, number> = {};
  const count = async <Of>(step: string, work: () => Promise<Of>) => {
    requests();
    const result = await work();
    // Each git process sends its first request without credentials and repeats it with them.
    steps[step] = requests().filter((request) => request.startsWith("GET")).length / 2;
    return result;
  };
  const store = await openIn(root);
  const hold = await count("lock", () => lock(store));
  await count("read under the lock", () => hold.read());
  await count("append", () => hold.append("header\none\n"));
  await count("commit", () => hold.commit({ state: formatState(1), record: formatRecord(1) }));
  await count("release", () => hold.release());
  const elsewhere = await openIn(other);
  await count("first read elsewhere", () => elsewhere.read());
  const later = await openIn(other);
  await count("next read by a later run", () => later.read());
  expect(steps).toEqual({
    // Reads the ref and pushes the lock.
    lock: 2,
    "read under the lock": 1,
    append: 1,
    commit: 1,
    release: 1,
    "first read elsewhere": 2,
    "next read by a later run": 1,
  });
});

test("takes over a dead local run's lock and journal", async () => {
  const remote = newRemote();
  const root = newClone(remote.url);
  const machine = {
    ...createMachineIn(root),
    isAlive: (pid: number) => pid !== 7,
    readStart: () => undefined,
  };
  const store = await openGitStore(new URL(location), machine);
  const died = await store.tryLock({ ...machine, id: "died", since: "", command: "avatarops apply" });
  if (isHeldLock(died)) await died.append("header\nintent\n");
  const next = await store.tryLock({ ...machine, id: "next", pid: 8, since: "", command: "avatarops apply" });
  expect(isHeldLock(next) && (await next.read()).journal).toBe("header\nintent\n");
  if (isHeldLock(died)) await expect(died.append("late\n")).rejects.toMatchObject({ code: "lock-lost" });
});

test.each([
  ["git+refs://origin", "must be a remote"],
  ["git+refs://origin/production", "must be a remote"],
  ["git+refs://origin/heads/main", "must be a remote"],
  ["git+refs://origin/avatarops-locks/production", "must be a remote"],
  ["git+refs://origin/avatarops/a..b", "must be a remote"],
  ["git+refs://origin/avatarops/production.lock", "must be a remote"],
  ["git+refs://ada:s3cret@origin/avatarops/production", "must be a remote"],
  ["git+refs://upstream/avatarops/production", 'has no remote "upstream"'],
])("rejects the state location %s and shows the correct form", async (url, message) => {
  const root = newRepository();
  await expect(openGitStore(new URL(url), createMachineIn(root))).rejects.toMatchObject({
    code: "unknown-store",
    message: expect.stringContaining(message),
    file: expect.not.stringContaining("s3cret"),
  });
});

test("rejects a state in git for a project outside a repository", async () => {
  const folder = newFolder();
  const machine = { ...createMachineIn(folder), environment: createGitEnvironment(folder) };
  await expect(openGitStore(new URL(location), machine)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining("not in a git repository"),
  });
});

describe("history in git", () => {
  const count = 150;

  test("fetches and stores nothing if there are no new commits", async () => {
    const { root } = createRemoteWith(count);
    expect(await historyIn(root)).toEqual(recordsDown(count));
    const before = filesIn(root);
    expect(await historyIn(root)).toEqual(recordsDown(count));
    expect(filesIn(root)).toEqual(before);
  });

  test("fetches only new commits, even if the run has read the state before", async () => {
    const { root, remote } = createRemoteWith(count);
    await historyIn(root);
    const before = objectsIn(root);
    addCommits(remote, count, 1);
    const store = await openIn(root);
    await store.read();
    expect(await listRecords(store)).toEqual(recordsDown(count + 1));
    await store.close?.();
    // Expects a commit, its tree and two files.
    expect(objectsIn(root) - before).toBeLessThanOrEqual(4);
    expect(await historyIn(root)).toEqual(recordsDown(count + 1));
  });

  test("fetches only the remaining commits of a partly read history", async () => {
    const { root, remote } = createRemoteWith(count);
    const store = await openIn(root);
    for await (const newest of store.readHistory()) {
      expect(newest).toBe(formatRecord(count));
      break;
    }
    await store.close?.();
    const part = objectsIn(root);
    expect(part).toBeLessThan(4 * 30);
    addCommits(remote, count, 3);
    expect(await historyIn(root)).toEqual(recordsDown(count + 3));
    // Expects each object to be stored only once. Each apply adds a commit, a tree and two files.
    expect(objectsIn(root)).toBeLessThanOrEqual(4 * (count + 3));
  });

  test("is read again if an older state was restored or the cache is damaged", async () => {
    const { root, remote } = createRemoteWith(count);
    await historyIn(root);
    git(remote.folder, "update-ref", stateRef, `${stateRef}~100`);
    expect(await historyIn(root)).toEqual(recordsDown(count - 100));
    const [week = ""] = readdirSync(path.join(root, ".git/avatarops")).filter((name) => /^week/.test(name));
    for (const name of readdirSync(path.join(root, ".git/avatarops", week)))
      if (name.startsWith("history-"))
        write(root, `.git/avatarops/${week}/${name}`, `${"1".repeat(40)} no commit`);
    expect(await historyIn(root)).toEqual(recordsDown(count - 100));
  });

  function createRemoteWith(commits: number) {
    const remote = newRemote();
    addCommits(remote, 0, commits);
    return { remote, root: newClone(remote.url) };
  }

  /** Adds the commits that applies would add. */
  function addCommits(remote: Remote, after: number, more: number): void {
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const commits = Array.from({ length: more }, (_, at) => {
      const serial = after + at + 1;
      const from = serial === 1 || at > 0 ? "" : `from ${stateRef}^0\n`;
      const files = `M 100644 inline state.json\n${data(formatState(serial))}M 100644 inline apply.json\n${data(formatRecord(serial))}`;
      return `commit ${stateRef}\ncommitter A <a@example.com> ${serial} +0000\n${data("An apply")}${from}${files}`;
    });
    execFileSync("git", ["fast-import", "--quiet", "--force"], {
      cwd: remote.folder,
      input: commits.join(""),
    });
  }

  function recordsDown(from: number): string[] {
    return Array.from({ length: from }, (_, at) => formatRecord(from - at));
  }

  async function historyIn(root: string): Promise<string[]> {
    const store = await openIn(root);
    try {
      return await listRecords(store);
    } finally {
      await store.close?.();
    }
  }

  function filesIn(root: string): string[] {
    const folder = path.join(root, ".git/avatarops");
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  }

  /** Counts git objects. An object that is stored twice counts twice. */
  function objectsIn(root: string): number {
    const [objects = ""] = filesIn(root).filter((file) => file.endsWith("/objects"));
    const environment = { ...process.env, GIT_OBJECT_DIRECTORY: objects };
    const counted = execFileSync("git", ["count-objects", "-v"], { cwd: root, env: environment }).toString();
    const number = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(counted)?.[1]);
    return number("count") + number("in-pack");
  }
});

test("keeps git objects for two weeks after fetching them", async () => {
  const root = newClone(newRemote().url);
  const weekMs = 7 * 24 * 3_600_000;
  const now = Date.now();
  for (const later of [0, weekMs, 2 * weekMs])
    await openGitStore(new URL(location), {
      ...createMachineIn(root),
      system: { ...nodeSystem, now: () => now + later },
    });
  expect(readdirSync(path.join(root, ".git/avatarops"))).toEqual(
    [1, 2].map((weeks) => `week-${Math.floor(now / weekMs) + weeks}`),
  );
});
