// @module-tag ci
/** Tests which servers receive the token for the repository. The real git handles HTTP and redirects. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../listening.js";
import { startHttpBackend } from "../state/git-servers.js";
import { followFor, listPrompts, startTeam } from "./team.js";

const token = "T0KEN-of-the-host";

async function startTokenTeam() {
  const team = await startTeam("contexts:\n  desk: { name: Desk, prompt: Be kind. }\n", {
    environment: { AVATAROPS_GIT_TOKEN: token },
  });
  const folder = path.join(team.repository, ".git");
  return { team, remote: { folder, url: `file://${folder}` } };
}

test("reads a repository over HTTP with the token", async () => {
  const { team, remote } = await startTokenTeam();
  const { url } = await startHttpBackend(remote, `x-access-token:${token}`);
  const { log } = await followFor(team, 1, undefined, "--repo", url);
  expect(log.find(({ msg }) => msg === "cycle")).toMatchObject({ outcome: "applied" });
  expect(listPrompts(team)).toEqual(["Be kind."]);
});

test("sends nothing to the target of a redirect, and asks for the new URL", async () => {
  const { team, remote } = await startTokenTeam();
  const other = await startHttpBackend(remote);
  const moved = await serve((request, response) => {
    response.writeHead(301, { location: new URL(request.url ?? "", other.url).href }).end();
  });
  onTestFinished(moved.close);
  const { log, text } = await followFor(team, 1, undefined, "--repo", `${moved.url}/`);
  expect(other.requests()).toEqual([]);
  expect(log.find(({ msg }) => msg === "cycle")).toMatchObject({
    outcome: "failed",
    problems: [{ code: "unreachable", message: expect.stringMatching(/error: 301.* redirects .*new URL/) }],
  });
  expect(text()).not.toContain(token);
});
