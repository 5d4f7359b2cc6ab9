/** Tests that a review without a connection reports the failed connection, not its consequences. */
import { describe, expect, test } from "vitest";
import { startClones } from "../cli/clones.js";
import { formatManifest } from "../cli/git-team.js";
import { createEventVariables } from "./job.js";
import { startReviewTeam } from "./team.js";

const joinLines = (text: string) => text.replace(/\s+/g, " ");

describe("review without a connection", () => {
  test("names the unreachable code host instead of a missing base", async () => {
    const clone = (await startReviewTeam("github")).clone();
    const job = {
      ...createEventVariables({ issue: { number: 7, pull_request: {} } }),
      GITHUB_EVENT_NAME: "issue_comment",
      GITHUB_API_URL: "http://127.0.0.1:1",
    };
    const { exit, stderr } = await clone.runWith(job, "review");
    expect([exit, joinLines(stderr)]).toEqual([
      1,
      "error[host-unreachable] Cannot read pull request 7 of team/avatars on GitHub: no complete response from 127.0.0.1:1 (127.0.0.1:1 refused the connection). Check the host's URL, the network and the proxy. ",
    ]);
    // With a base, the change is reviewed as a fork's change.
    const withBase = await clone.runWith(job, "review", "--dry-run", "--base", "origin/main");
    expect([withBase.exit, joinLines(withBase.stderr)]).toEqual([
      0,
      expect.stringContaining("because its origin is unknown: Cannot read pull request 7"),
    ]);
  });

  test("names the unreachable remote in a dry run", async () => {
    const clone = (await startClones({ "avatarops.yaml": formatManifest(["desk"]) })).clone();
    clone.git("remote", "set-url", "origin", "/nowhere");
    const ofHost = ["--repo", "https://github.com/team/avatars", "--pull-request", "7"];
    const { exit, stderr } = await clone.run("review", "--dry-run", ...ofHost);
    expect(exit).toBe(1);
    expect(joinLines(stderr)).toMatch(
      /^error\[no-base\] The default branch of origin could not be read\. `git ls-remote .*\/nowhere.* Check the remote's URL \(`git remote -v`\) and the network\. Then try again, or set the base with --base, such as --base origin\/main\. $/,
    );
  });
});
