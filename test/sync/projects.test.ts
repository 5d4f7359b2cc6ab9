// @module-tag night
/** Tests one process that follows several projects in a repository. */
import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { followFor, startTeam } from "./team.js";

const formatProject = (name: string, prompt: string, state = encodeURIComponent(name)) =>
  `state: git+refs://origin/avatarops/${state}\ncontexts:\n  desk: { name: ${JSON.stringify(name)}, prompt: ${JSON.stringify(prompt)} }\n`;

test("runs separate sync cycles for each project, even if one fails", async () => {
  const team = await startTeam("contexts: {}\n");
  team.git("config", "receive.denyCurrentBranch", "ignore");
  symlinkSync(path.dirname(team.repository), path.join(team.repository, "outside"));
  await team.commit({
    "наш бот/avatarops.yaml": formatProject("bot", "Be kind."),
    "desk/avatarops.yaml": formatProject("desk", "Be brief."),
    "broken/avatarops.yaml": "contexts: 7\n",
    "twin/avatarops.yaml": formatProject("twin", "Be late.", "desk"),
  });
  const paths = ["broken", "outside", "наш бот", "nowhere", "desk", "twin"];
  let pages: readonly string[] = [];
  const { log, ran } = await followFor(
    team,
    2,
    async (cycle, { log }) => {
      const url = log.find(({ listens_on }) => listens_on)?.listens_on;
      if (cycle === 1) await team.commit({ "desk/avatarops.yaml": formatProject("desk", "Be briefer.") });
      else
        pages = await Promise.all(
          ["metrics", "readyz"].map(async (page) => (await fetch(`${url}/${page}`)).text()),
        );
    },
    ...paths.flatMap((folder) => ["--path", folder]),
  );
  expect(ran, ran.stderr).toMatchObject({ exit: 0 });
  const found = log.filter(({ msg }) => msg === "cycle") as ((typeof log)[number] & { project: string })[];
  const outcomes = paths.map((folder) => [
    folder,
    ...new Set(found.filter((one) => one.project === folder).map(({ outcome }) => outcome)),
  ]);
  expect(outcomes).toEqual([
    ["broken", "invalid"],
    ["outside", "failed"],
    ["наш бот", "applied", "unchanged"],
    ["nowhere", "failed"],
    ["desk", "applied"],
    ["twin", "refused"],
  ]);
  expect(found.find((one) => one.project === "twin")?.problems).toMatchObject([{ code: "other-project" }]);
  expect(team.emulator.world.contexts.map(({ name, prompt }) => [name, prompt])).toEqual([
    ["bot", "Be kind."],
    ["desk", "Be briefer."],
  ]);
  const [metrics, ready] = pages;
  expect(ready).toBe("ready\n");
  expect(metrics).toContain('avatarops_sync_cycles_total{outcome="applied",project="desk"} 2');
  expect(metrics).toContain('avatarops_sync_cycles_total{outcome="failed",project="desk"} 0');
  expect(metrics).toContain('avatarops_sync_cycles_total{outcome="failed",project="nowhere"} 2');
  expect(metrics).toContain('avatarops_sync_last_success_timestamp_seconds{project="broken"} 0');
  expect(metrics?.match(/^avatarops_sync_commit_info\{.*project="desk"\} 1$/gm)).toHaveLength(1);
});
