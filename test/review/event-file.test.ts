/** Tests that a malformed event file of a GitHub job is reported with its path and wrong field. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { matchText } from "../cli/hosting.js";
import { newFolder } from "../git/repositories.js";
import { startReviewTeam } from "./team.js";

const pull = { number: 7, head: { sha: 7, ref: "change" }, base: { repo: { full_name: "team/avatars" } } };

test.for([
  [
    "has a wrong field",
    JSON.stringify({ pull_request: pull }),
    "pull_request.head.sha is wrong: expected string",
  ],
  ["lacks a field", JSON.stringify({ pull_request: { number: 7 } }), "pull_request.head is missing"],
  ["is not JSON", "canary47", "is not JSON"],
  ["does not exist", undefined, "cannot be read"],
] as const)("reports an event file in one message if it %s", async ([, content, problem]) => {
  const team = await startReviewTeam("github", "contexts: { desk: { name: Desk, prompt: Be kind. } }\n");
  const file = path.join(newFolder(), "event.json");
  if (content !== undefined) writeFileSync(file, content);
  const { exit, stdout, stderr } = await team
    .clone()
    .runWith({ GITHUB_EVENT_PATH: file }, "review", "--dry-run");
  expect([exit, stderr]).toEqual([1, matchText(problem)]);
  expect(stderr.replace(/\s+/g, "")).toContain(file);
  expect(stderr).toEqual(matchText("Select the pull request with --repo, --pull-request and --commit."));
  expect(stdout + stderr).not.toMatch(/"code":|canary47/);
});
