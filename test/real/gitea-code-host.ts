import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { CodeHost, PullRequest } from "../week/code-host.js";
import type { Gitea } from "./gitea.js";

interface Pull {
  readonly number: number;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly merge_commit_sha: string;
}

/** The team's repository on a real Gitea, where the pipeline is a user of its own. */
export async function giteaCodeHost(gitea: Gitea, within: string): Promise<CodeHost> {
  const { owner, repo, url } = gitea;
  const name = `${owner.name}/${repo}`;
  const repository = `/repos/${name}`;
  const robot = gitea.newUser("robot");
  await gitea.api(owner, "PUT", `${repository}/collaborators/${robot.name}`, { permission: "write" });
  const pullOf = ({ number }: PullRequest) => gitea.api<Pull>(owner, "GET", `${repository}/pulls/${number}`);
  let jobs = 0;

  const host: CodeHost = {
    remote: gitea.remoteOf(robot, name),
    async openPullRequest(branch, title) {
      const made = { head: branch, base: "main", title };
      const { number } = await gitea.api<Pull>(owner, "POST", `${repository}/pulls`, made);
      return { number, branch };
    },
    optionsToApply: () => ["--reviewed"],
    async bringBack(checkout, commit) {
      // The second time there is still one, as it was.
      const seen: string[] = [];
      for (let time = 0; time < 2; time += 1) {
        const ran = await checkout.avataropsIn(await host.jobFor({ commit }), "drift", "--pull-request");
        expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 2 });
        const open = await gitea.api<Pull[]>(owner, "GET", `${repository}/pulls?state=open`);
        expect(open).toHaveLength(1);
        seen.push(...open.map(({ number, head }) => `${number} ${head.sha}`));
      }
      expect(new Set(seen).size).toBe(1);
      const [pull] = await gitea.api<[Pull]>(owner, "GET", `${repository}/pulls?state=open`);
      return { number: pull.number, branch: pull.head.ref };
    },
    async merge(pullRequest) {
      await gitea.merge(repo, pullRequest.number, { delete_branch_after_merge: true });
      return (await pullOf(pullRequest)).merge_commit_sha;
    },
    async jobFor(what) {
      jobs += 1;
      const event = path.join(within, `event-${jobs}.json`);
      const summary = path.join(within, `summary-${jobs}.md`);
      const pull = "number" in what ? await pullOf(what) : undefined;
      writeFileSync(event, JSON.stringify(pull ? { number: pull.number, pull_request: pull } : {}));
      writeFileSync(summary, "");
      return {
        CI: "true",
        GITHUB_ACTIONS: "true",
        GITEA_ACTIONS: "true",
        GITHUB_SERVER_URL: url,
        GITHUB_API_URL: `${url}/api/v1`,
        GITHUB_REPOSITORY: name,
        GITHUB_EVENT_PATH: event,
        GITHUB_EVENT_NAME: pull ? "pull_request" : "push",
        GITHUB_SHA: pull?.head.sha ?? ("commit" in what ? what.commit : ""),
        GITHUB_REF: pull ? `refs/pull/${pull.number}/head` : "refs/heads/main",
        GITHUB_RUN_ID: String(jobs),
        GITHUB_RUN_NUMBER: String(jobs),
        GITHUB_ACTOR: owner.name,
        GITHUB_STEP_SUMMARY: summary,
        GITHUB_TOKEN: robot.token,
      };
    },
    async review(checkout, pullRequest) {
      const ran = await checkout.avataropsIn(await host.jobFor(pullRequest), "review");
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
      const comments = await gitea.api<{ body: string; user: { login: string } }[]>(
        owner,
        "GET",
        `${repository}/issues/${pullRequest.number}/comments`,
      );
      expect(comments.map(({ user }) => user.login)).toEqual(comments.map(() => robot.name));
      const { head } = await pullOf(pullRequest);
      const statuses = await gitea.api<{ context: string; description: string; status: string }[]>(
        owner,
        "GET",
        `${repository}/commits/${head.sha}/statuses`,
      );
      const [, digest = ""] = /^Plan (\S+): /.exec(statuses[0]?.description ?? "") ?? [];
      expect(statuses[0]).toMatchObject({ status: "success", context: expect.stringContaining("avatarops") });
      return { comments: comments.map(({ body }) => body), digest };
    },
  };
  return host;
}
