import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { type Clone, type CloneOptions, cloneOf } from "./clone.js";
import type { CodeHost, PullRequest } from "./code-host.js";

/** A team without a code host: a bare repository, branches in the place of pull requests, and the comment on a terminal. */
export function bareRepository(options: CloneOptions): CodeHost {
  const folder = path.join(options.within, "team.git");
  mkdirSync(folder);
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", folder]);
  const remote = `file://${folder}`;
  const branches: PullRequest[] = [];
  const host: CodeHost = {
    remote,
    async openPullRequest(branch) {
      const made = { number: branches.length + 1, branch };
      branches.unshift(made);
      return made;
    },
    optionsToApply: ({ digest }) => ["--digest", digest],
    async bringBack(checkout) {
      const pulled = await checkout.avatarops("pull");
      expect(pulled, pulled.stderr).toMatchObject({ exit: 0 });
      const branch = "from-the-dashboard";
      const author = ["-c", "user.name=Robot", "-c", "user.email=robot@example.com"];
      await checkout.git(...author, "commit", "--quiet", "--all", "--message", "Bring back an edit");
      await checkout.git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
      return host.openPullRequest(branch, "Bring back an edit");
    },
    async merge({ number, branch }) {
      const clone = await cloneOf(remote, { ...options, name: "Merging" });
      await clone.git("merge", "--quiet", "--no-ff", "--message", `Merge ${branch}`, `origin/${branch}`);
      await clone.git("push", "--quiet", "origin", "main", `:${branch}`);
      branches.splice(
        branches.findIndex((one) => one.number === number),
        1,
      );
      return clone.git("rev-parse", "HEAD");
    },
    async jobFor() {
      return {};
    },
    async review(checkout: Clone) {
      const shown = await checkout.avatarops("review", "--dry-run");
      expect(shown, shown.stderr).toMatchObject({ exit: 0 });
      const planned = await checkout.avatarops("plan", "--format", "json");
      return { comments: [shown.stdout], digest: JSON.parse(planned.stdout).digest };
    },
  };
  return host;
}
