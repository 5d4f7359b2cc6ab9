// @module-tag ci
/** Tests a checkout whose files make it a git folder, with git settings that its author chose. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Clone, startClones } from "../cli/clones.js";
import { commitAll, newFolder, write } from "../git/repositories.js";
import { createEventVariables } from "../review/job.js";

interface Checkout extends Clone {
  readonly remote: string;
  readonly base: string;
  /** Output from the author's program, or undefined if the program has not run. */
  ran(): string | undefined;
}

/** Clones a proposed commit that turns the project folder into a git folder. */
async function startCheckout(): Promise<Checkout> {
  const files = {
    "avatarops.yaml": `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: !file desk.md }
`,
    "desk.md": "You answer politely.\n",
  };
  const { first, remote } = await startClones(files, { folder: "avatars" });
  const { inProject } = first;
  await first.apply();
  const base = first.git("rev-parse", "HEAD");
  const trace = path.join(newFolder(), "ran");
  write(inProject, "desk.md", "You answer politely and briefly.\n");
  // Git would fetch a missing commit over ssh, as in a partial clone.
  write(inProject, "HEAD", "ref: refs/heads/main\n");
  write(inProject, "refs/heads/main", `${"1".repeat(40)}\n`);
  write(inProject, "objects/info/alternates", "../../.git/objects\n");
  write(
    inProject,
    "config",
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
  commitAll(first.root);
  first.push();
  return {
    ...{ ...first, remote: remote.url, base },
    ran: () => (existsSync(trace) ? readFileSync(trace, "utf8") : undefined),
  };
}

test.each(["plan", "review"])("does not use a fork's git folder as the repository: %s", async (command) => {
  const checkout = await startCheckout();
  const head = { sha: checkout.git("rev-parse", "HEAD"), repo: { full_name: "stranger/avatars" } };
  const base = { sha: checkout.base, repo: { full_name: "team/avatars" } };
  const event = createEventVariables({ pull_request: { number: 7, head, base } });
  const job = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "team/avatars", ...event };
  const options = command === "plan" ? ["--untrusted"] : ["--dry-run"];
  const ran = await checkout.runWith(job, command, ...options);
  expect(checkout.ran()).toBeUndefined();
  expect(ran, ran.stderr).toMatchObject({ exit: 0, stdout: expect.stringContaining("briefly") });
});

test.each([
  ["sync", "--path", "avatars"],
  ["apply", "--auto-approve"],
  ["drift"],
  ["drift", "--pull-request", "--host", "github", "--repo", "team/avatars"],
  ["history"],
  ["show", "context.desk", "--at", "1"],
])("ignores the settings of a git folder inside the checkout: %s", async (...argv) => {
  const checkout = await startCheckout();
  const follow = ["--repo", checkout.remote, "--listen", "127.0.0.1:0", "--work-dir", newFolder()];
  const options = argv[0] === "sync" ? follow : [];
  const { exit, stdout, stderr } = await checkout.runWith(findOlderGit(), ...argv, ...options);
  expect(checkout.ran()).toBeUndefined();
  // A command that needs the code host fails, because no host is running.
  expect([exit, stderr]).toEqual(argv.includes("--host") ? [1, expect.anything()] : [0, expect.anything()]);
  if (argv[0] === "sync") expect(stdout).toContain('"outcome":"applied"');
});

/** Returns a PATH to a simulated git older than 2.38, which lacks `safe.bareRepository`. */
function findOlderGit(): { readonly PATH: string } {
  const bin = newFolder();
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
