// @module-tag ci
/** Tests which team members can send or read the runner's keys. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { followFor, startTeam } from "../sync/team.js";
import { formatSecret, manifest, startFork } from "./fork.js";
import { startThief } from "./thief.js";

test("exposes the review key in the plan job to anyone with push access", async () => {
  const team = await startFork();
  const read = path.join(await newFolder(), "read");
  const command = `!exec [sh, -c, 'echo "$AVATAROPS_REVIEW_KEY" > ${read}; echo key']`;
  await team.propose({ "avatarops.yaml": manifest + formatSecret("more", command) });
  const environment = { AVATAROPS_REVIEW_KEY: "a key of twenty characters" };
  await team.avataropsWith({ environment }, "plan");
  expect(readFileSync(read, "utf8")).toBe("a key of twenty characters\n");
});

test("sends the sync key to a URL from a pushed file only with --unpinned", async () => {
  for (const argv of [[], ["--unpinned"]]) {
    const thief = await startThief();
    const desk = "contexts: { desk: { name: Desk, prompt: Hi } }\n";
    const team = await startTeam(`service: { base_url: "${thief.url}" }\n${desk}`, {
      environment: { AVATAROPS_ALLOW_HOSTS: "127.0.0.1" },
    });
    await followFor(team, 1, undefined, ...argv);
    expect(team.emulator.world.contexts).toHaveLength(1 - argv.length);
    expect(thief.heard()).toEqual(argv.length > 0 ? expect.stringContaining("test-key") : "");
  }
});
