import { promises } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { startChange } from "./change.js";
import { standIns } from "./stand-in.js";

const desk = "contexts: { desk: { name: Desk, prompt: Be kind. } }\n";

test.each(standIns)(
  "posts a single review comment on %s even if the host's comment list lacks it",
  async (name) => {
    const change = await startChange(name);
    change.fail({ on: /^GET .*(comments|notes)/, times: 10, answer: { status: 200, body: "[]" } });
    expect(await change.review()).toMatchObject({ exit: 0, stdout: expect.stringContaining("/avatars/") });
    expect(change.world.comments).toHaveLength(1);
    expect(change.world.statuses).toHaveLength(1);
  },
);

test("sets a separate commit status for a folder named like an environment", async () => {
  const change = await startChange("gitea", {
    "avatarops.yaml": `${desk}environments: { production: { state: p.json }, a: { state: a.json } }\n`,
    "production/avatarops.yaml": desk.replaceAll("Desk", "Second"),
    "production/a/avatarops.yaml": desk.replaceAll("Desk", "Third"),
  });
  await change.review({}, "--all", "--no-changed-since");
  expect(change.world.statuses.map(({ context }) => context).toSorted()).toEqual([
    "avatarops/a",
    "avatarops/production",
    "avatarops/production/",
    "avatarops/production/a/",
  ]);
});

test("fails validate --all if a folder cannot be listed", async () => {
  const project = await startProject({ files: { "one/avatarops.yaml": desk, "two/avatarops.yaml": desk } });
  const { readdir } = promises;
  onTestFinished(() => {
    promises.readdir = readdir;
    syncBuiltinESMExports();
  });
  const tooMany = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
  promises.readdir = ((folder: string, ...options: never[]) =>
    path.basename(folder) === "two"
      ? Promise.reject(tooMany)
      : readdir(folder, ...options)) as unknown as typeof readdir;
  syncBuiltinESMExports();
  const ran = await project.avatarops("validate", "--all");
  expect(ran).toMatchObject({ exit: 1, stderr: matchText("Cannot search two (EMFILE) for projects.") });
});

test("sorts 60 environments with two dependencies each in validate --all without exponential run time", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `e${at}`);
  const declared = names.map((name, at) => {
    const needs = at < 2 ? "" : `, needs: [e${at - 1 - (at % 2)}, e${at - 2 - (at % 2)}]`;
    return `  ${name}: { state: ${name}.json${needs} }\n`;
  });
  const project = await startProject({
    files: { "desk/avatarops.yaml": `${desk}environments:\n${declared.join("")}` },
  });
  const { projects } = await project.json("validate", "--all");
  expect(projects.map(({ environment }: { environment: string }) => environment)).toEqual(names);
});
