import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  isRefName,
  listFiles,
  openGit,
  openRepository,
  readObjects,
  resolveCommit,
  showUrl,
} from "../../src/base/git/index.js";
import { serve } from "../listening.js";
import { createGitEnvironment, git, newFolder, newRepository, write } from "./repositories.js";

test("returns a repository's commit, root, prefix and files", async () => {
  const root = newRepository({ "a.txt": "one\n", "team/avatars/prompt.md": "Hello\n" });
  symlinkSync("prompt.md", path.join(root, "team/avatars/link.md"));
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message=link");
  const folder = path.join(root, "team/avatars");
  const repository = await openRepository({ folder, environment: createGitEnvironment(root) });
  const head = git(root, "rev-parse", "HEAD");
  expect(repository).toMatchObject({ root, prefix: "team/avatars", gitFolder: path.join(root, ".git") });
  expect([await repository.readHead(), await resolveCommit(repository, "HEAD~1^1")]).toEqual([
    head,
    undefined,
  ]);
  expect((await listFiles(repository, head, "")).map((file) => file.path)).toEqual([
    ...["a.txt", "team/avatars/link.md", "team/avatars/prompt.md"],
  ]);
  const files = await listFiles(repository, head, "team/avatars", { sizes: true });
  expect(files).toMatchObject([
    { path: "link.md", isLink: true, mode: "120000", size: 9 },
    { path: "prompt.md", isLink: false, mode: "100644", size: 6 },
  ]);
  expect(await listFiles(repository, head, "*")).toEqual([]);
  const objects = await readObjects(repository, [files[1]?.id ?? "", `${head}:b.txt`, `${head}:a.txt`]);
  expect(objects.map((object) => object && String(object.content))).toEqual(["Hello\n", undefined, "one\n"]);
});

test("finds the repository of the nearest .git, even from a folder structured like a bare repository", async () => {
  const root = newRepository();
  const worktree = path.join(newFolder(), "tree");
  git(root, "worktree", "add", "--quiet", worktree);
  const environment = createGitEnvironment(root);
  expect(await openRepository({ folder: worktree, environment })).toMatchObject({
    root: worktree,
    commonFolder: path.join(root, ".git"),
  });
  const hidden = path.join(root, "prompts");
  git(root, "init", "--quiet", "--bare", hidden);
  git(hidden, "config", "core.bare", "false");
  git(hidden, "config", "core.worktree", "..");
  const around = await openRepository({ folder: hidden, environment });
  expect(around).toMatchObject({ root, prefix: "prompts", gitFolder: path.join(root, ".git") });
  expect(await around.readHead()).toBe(git(root, "rev-parse", "HEAD"));
  const bare = newFolder();
  git(bare, "init", "--quiet", "--bare");
  const nowhere = { code: "not-a-repository", message: expect.stringContaining("in a clone of") };
  await expect(openRepository({ folder: bare, environment })).rejects.toMatchObject(nowhere);
  // Git would ignore the empty .git and use the bare repository around it.
  mkdirSync(path.join(bare, ".git"));
  const damaged = { code: "damaged", message: expect.stringContaining("git status") };
  await expect(openRepository({ folder: bare, environment })).rejects.toMatchObject(damaged);
});

test("passes only remote credentials to programs that git starts", async () => {
  const root = newRepository();
  write(root, "ssh", `#!/bin/sh\nenv > ${root}/seen\nexit 1\n`, 0o755);
  const kept = ["SSH_AUTH_SOCK", "HTTPS_PROXY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "CI_JOB_TOKEN"];
  const dropped = [
    "AVATAROPS_API_KEY",
    "VAULT_TOKEN",
    "BAO_TOKEN",
    "VAULT_SECRET_ID",
    "DOPPLER_TOKEN",
  ].concat([
    "OP_CONNECT_TOKEN",
    "OP_SERVICE_ACCOUNT_TOKEN",
    "SOPS_AGE_KEY",
    "PGPASSWORD",
    "TF_HTTP_PASSWORD",
  ]);
  const environment = {
    ...createGitEnvironment(root),
    GIT_SSH_COMMAND: path.join(root, "ssh"),
    ...Object.fromEntries([...kept, ...dropped].map((name) => [name, "set"])),
  };
  const { run } = await openRepository({ folder: root, environment });
  await expect(run(["ls-remote", "--", "git@host:x"])).rejects.toMatchObject({ code: "unreachable" });
  const seen = readFileSync(path.join(root, "seen"), "utf8");
  expect([...kept, ...dropped].filter((name) => seen.includes(`${name}=`))).toEqual(kept);
});

test("runs no hook, filter or other program from the repository's configuration", async () => {
  const root = newRepository({ "a.txt": "one\n", ".gitattributes": "*.txt filter=spy diff=spy\n" });
  const trace = path.join(root, ".git", "trace");
  const spy = `sh -c 'echo "$0" >> ${trace}; cat'`;
  for (const [key, value] of [
    ["core.fsmonitor", `${spy} fsmonitor`],
    ["filter.spy.clean", spy],
    ["filter.spy.process", spy],
    ["filter.spy.required", "true"],
    ["diff.spy.textconv", spy],
    ["diff.external", spy],
    ["diff.spy.command", spy],
    ["core.pager", spy],
    ["core.editor", spy],
    ["commit.gpgSign", "true"],
    ["gpg.program", "/nonexistent"],
  ] as const)
    git(root, "config", key, value);
  for (const hook of ["pre-commit", "post-commit", "reference-transaction", "post-index-change", "pre-push"])
    write(root, `.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >> ${trace}\nexit 1\n`, 0o755);
  write(root, "a.txt", "two\n");
  const repository = await openRepository({ folder: root, environment: createGitEnvironment(root) });
  expect(await repository.readText(["status", "--porcelain"])).toBe(" M a.txt");
  expect(await repository.readText(["diff", "--", "a.txt"])).toContain("+two");
  await repository.run(["commit", "--quiet", "--all", "--message=second"]);
  expect(await repository.readText(["log", "--patch", "-1"])).toContain("+two");
  expect(existsSync(trace)).toBe(false);
  // Runs the same commands without avatarops to prove that the traps work.
  git(root, "config", "--unset", "filter.spy.process");
  git(root, "-c", "core.fsmonitor=false", "hash-object", "a.txt");
  expect(existsSync(trace)).toBe(true);
});

test("ignores the user's git settings but sends CI credentials", async () => {
  const seen: (string | undefined)[] = [];
  const { url: address, close } = await serve((request, response) => {
    seen.push(`${request.headers["x-own"]} ${request.headers.authorization}`);
    response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end();
  });
  onTestFinished(close);
  const url = `${address}/`;
  const root = newRepository();
  git(root, "remote", "add", "origin", "https://code.example/team/avatars.git");
  git(root, "config", `url.${url}.insteadOf`, "https://code.example/");
  git(root, "config", `http.${url}.extraheader`, "AUTHORIZATION: basic c2VjcmV0");
  const elsewhere = newRepository();
  const repository = await openRepository({
    folder: root,
    environment: {
      ...createGitEnvironment(root),
      GIT_DIR: path.join(elsewhere, ".git"),
      SSH_ASKPASS: "/bin/false",
      GIT_TRACE: "1",
    },
    config: [[`http.${url}.extraheader`, "x-own: kept out of the list of processes"]],
  });
  const error = await repository.run(["ls-remote", "origin"]).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "refused", message: expect.stringContaining("git ls-remote origin") });
  expect(seen[0]).toBe("kept out of the list of processes basic c2VjcmV0");
  expect(String(error)).not.toMatch(/trace:|c2VjcmV0/);
});

test("removes credentials and control characters from the URLs in git errors", async () => {
  const root = newRepository();
  const repository = await openRepository({ folder: root, environment: createGitEnvironment(root) });
  const url = "http://user:se@cret@127.0.0.1:9/x.git";
  const error = await repository.run(["ls-remote", "--", url]).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "unreachable", command: "git ls-remote -- http://127.0.0.1:9/x.git" });
  expect(String(error)).not.toContain("cret");
  expect(showUrl("http://gitlab-ci-token:glcbt-secret@127.0.0.1:9/x.git?private_token=s")).toBe(
    "http://127.0.0.1:9/x.git",
  );
  expect(showUrl("git@host:team/\u001b[31mx.git")).toBe("git@host:team/ [31mx.git");
});

test.each(["ext::sh -c 'touch ran'", "fd::7", "foo::bar"])("rejects the git transport %s", async (url) => {
  const root = newRepository();
  const program = await openGit({ folder: root, environment: createGitEnvironment(root) });
  await expect(program.run(["ls-remote", "--", url])).rejects.toMatchObject({ code: "refused" });
  expect(existsSync(path.join(root, "ran"))).toBe(false);
});

test("runs git's ssh without a terminal, and stops a hung command and its child processes", async () => {
  const root = newRepository();
  write(root, "ssh", '#!/bin/sh\nsh -c "sleep 600" &\necho $! > pid\nwait\n', 0o755);
  const environment = {
    ...createGitEnvironment(root),
    GIT_SSH_COMMAND: path.join(root, "ssh"),
    GIT_SSH_VARIANT: "ssh",
  };
  const slow = await openGit({ folder: root, environment, timeoutMs: 300 });
  await expect(slow.run(["ls-remote", "--", "git@host:x"])).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("did not finish within 0.3 s"),
  });
  const stopping = new AbortController();
  const stopped = await openGit({ folder: root, environment, signal: stopping.signal });
  const running = stopped.run(["ls-remote", "--", "git@host:x"]);
  stopping.abort();
  await expect(running).rejects.toMatchObject({ code: "cancelled" });
  write(root, "ssh", "#!/bin/sh\n: < /dev/tty && echo it has a terminal >&2\nexit 1\n", 0o755);
  await expect(slow.run(["ls-remote", "--", "git@host:x"])).rejects.toMatchObject({
    stderr: expect.not.stringContaining("it has a terminal"),
  });
});

test("stops git if its output is too large", async () => {
  const root = newRepository({ "a.txt": "x".repeat(100_000) });
  const { run } = await openRepository({ folder: root, environment: createGitEnvironment(root) });
  const show = ["cat-file", "blob", "HEAD:a.txt"];
  expect((await run(show, { maxBytes: 100_000 })).stdout).toHaveLength(100_000);
  await expect(run(show, { maxBytes: 99_999 })).rejects.toMatchObject({ code: "too-large" });
});

test("distinguishes a missing git, an old git, a missing folder and a missing repository", async () => {
  const folder = newFolder();
  const environment = createGitEnvironment(folder);
  const missing = openGit({ folder, environment: { ...environment, PATH: folder } });
  await expect(missing).rejects.toMatchObject({ code: "git-missing" });
  await expect(openRepository({ folder: path.join(folder, "x"), environment })).rejects.toMatchObject({
    code: "no-folder",
  });
  await expect(openRepository({ folder, environment })).rejects.toMatchObject({ code: "not-a-repository" });
  write(folder, "bin/git", "#!/bin/sh\necho git version 2.25.1\n", 0o755);
  const old = { ...environment, PATH: `${path.join(folder, "bin")}:${environment.PATH}` };
  await expect(openGit({ folder, environment: old })).rejects.toMatchObject({
    code: "git-too-old",
    message:
      "avatarops needs git 2.32 or later, but found git version 2.25.1. Install a newer version of git.",
  });
});

test.each([
  ["refs/avatarops/production", true],
  ["feature/größer", true],
  ["--upload-pack=sh", false],
  ["a..b", false],
  ["a b", false],
  ["a.lock", false],
  ["a/.b", false],
  ["a@{1}", false],
  ["a\u0000", false],
  ["refs/*", false],
  ["", false],
])("checks whether %j is a ref name: %s", (name, isName) => {
  expect(isRefName(name)).toBe(isName);
});
