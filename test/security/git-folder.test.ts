// @module-tag ci
/**
 * A folder of the checkout can have the form of a git folder, with the settings of its author: git, run in it, would obey
 * them. The project lies in such a folder here.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, type Ran, runIn, succeed } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { environmentOf, git, write } from "../git/repositories.js";
import { newClone, newRemote } from "../state/git-servers.js";

const manifest = `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: !file desk.md }
`;

interface Checkout {
  /** The root of the checkout. */
  readonly root: string;
  readonly remote: string;
  readonly base: string;
  /** Runs avatarops in the project's folder. */
  run(...argv: string[]): Promise<Ran>;
  runWith(environment: Readonly<Record<string, string>>, ...argv: string[]): Promise<Ran>;
  /** What a program of the author has written; undefined: none was run. */
  ran(): string | undefined;
}

/** A clone of a team's repository at a proposed commit, in which the project's folder became a git folder. */
async function startCheckout(): Promise<Checkout> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const remote = newRemote();
  const root = newClone(remote.url);
  const environment = {
    ...environmentOf(await newFolder()),
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
  };
  const runWith = (more: Readonly<Record<string, string>>, ...argv: string[]) => {
    let stop = (_: string) => {};
    return runIn(path.join(root, "avatars"), argv, {
      environment: { ...environment, ...more },
      // One cycle of sync.
      onStoppable: (its) => {
        stop = its;
      },
      sleep: async () => stop("SIGTERM"),
    });
  };
  const commit = () => {
    git(root, "add", "--all");
    git(root, "commit", "--quiet", "--message=change");
    git(root, "push", "--quiet", "origin", "HEAD:main");
  };
  git(root, "switch", "--quiet", "--orphan", "main");
  write(root, "avatars/avatarops.yaml", manifest);
  write(root, "avatars/desk.md", "You answer politely.\n");
  commit();
  await succeed(runWith({}, "apply", "--auto-approve"));
  const base = git(root, "rev-parse", "HEAD");

  const trace = path.join(await newFolder(), "ran");
  write(root, "avatars/desk.md", "You answer politely and briefly.\n");
  // A commit that is not there would be fetched, as in a partial clone, with ssh.
  write(root, "avatars/HEAD", "ref: refs/heads/main\n");
  write(root, "avatars/refs/heads/main", `${"1".repeat(40)}\n`);
  write(root, "avatars/objects/info/alternates", "../../.git/objects\n");
  write(
    root,
    "avatars/config",
    `[core]
	repositoryformatversion = 1
	bare = false
	worktree = ..
	sshCommand = "env >> ${trace}; false"
[extensions]
	partialClone = origin
[remote "origin"]
	url = ssh://127.0.0.1/x
	promisor = true
[credential]
	helper = "!env >> ${trace}; false"
`,
  );
  commit();
  return {
    ...{ root, remote: remote.url, base, runWith },
    run: (...argv) => runWith({}, ...argv),
    ran: () => (existsSync(trace) ? readFileSync(trace, "utf8") : undefined),
  };
}

test.each(["plan", "review"])(
  "a folder of a fork that is a git folder is not its repository: %s",
  async (command) => {
    const checkout = await startCheckout();
    const event = path.join(await newFolder(), "event.json");
    const head = { sha: git(checkout.root, "rev-parse", "HEAD"), repo: { full_name: "stranger/avatars" } };
    const base = { sha: checkout.base, repo: { full_name: "team/avatars" } };
    writeFileSync(event, JSON.stringify({ pull_request: { number: 7, head, base } }));
    const job = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "team/avatars", GITHUB_EVENT_PATH: event };
    const options = command === "plan" ? ["--untrusted"] : ["--dry-run"];
    const ran = await checkout.runWith(job, command, ...options);
    expect(checkout.ran()).toBeUndefined();
    expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: expect.stringContaining("briefly") });
  },
);

test.each([
  ["sync", "--path", "avatars"],
  ["apply", "--auto-approve"],
  ["drift"],
  ["drift", "--pull-request", "--host", "github", "--repo", "team/avatars"],
  ["history"],
  ["show", "context.desk", "--at", "1"],
])("a folder that is a git folder runs nothing of its author: %s", async (...argv) => {
  const checkout = await startCheckout();
  const follow = ["--repo", checkout.remote, "--listen", "127.0.0.1:0", "--work-dir", await newFolder()];
  const options = argv[0] === "sync" ? follow : [];
  const { exit, stdout, stderr } = await checkout.runWith(await olderGit(), ...argv, ...options);
  expect(checkout.ran()).toBeUndefined();
  // There is no code host.
  expect([exit, stderr]).toEqual(argv.includes("--host") ? [1, expect.anything()] : [0, expect.anything()]);
  if (argv[0] === "sync") expect(stdout).toContain('"outcome":"applied"');
});

/** A git that does not know `safe.bareRepository`, as before 2.38. */
async function olderGit(): Promise<{ readonly PATH: string }> {
  const bin = await newFolder();
  const script = `#!/bin/sh
for word; do
  shift
  case $word in safe.bareRepository=*) word=safe.unknown=1;; esac
  set -- "$@" "$word"
done
exec /usr/bin/git "$@"
`;
  write(bin, "git", script, 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}
