/** Tests `apply --reviewed --all` after a merge that changes several projects and environments. */
import { expect, test } from "vitest";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { type Change, listOutcomes, merge, startChange } from "./change.js";

const formatDesk = (prompt: string) => `contexts: { desk: { name: Desk, prompt: ${prompt} } }
environments:
  production: { needs: [staging], state: p.json }
  staging: { state: s.json, contexts: { desk: { name: Desk (staging) } } }
`;
const formatBilling = (prompt: string) => `contexts: { bill: { name: Bill, prompt: ${prompt} } }\n`;

/** Applies three projects, then reviews and merges a change to two of them. */
async function startMergedChange(): Promise<Change> {
  const change = await startChange("gitea", {
    ".gitignore": "*.json\n.avatarops/\n",
    "billing/avatarops.yaml": formatBilling("Be exact."),
    "desk/avatarops.yaml": formatDesk("Be kind."),
    "idle/avatarops.yaml": "contexts: { idle: { name: Idle, prompt: Wait. } }\n",
  });
  const { project } = change;
  for (const argv of [
    ["billing/avatarops.yaml"],
    ["desk/avatarops.yaml", "--env", "staging"],
    ["desk/avatarops.yaml", "--env", "production"],
    ["idle/avatarops.yaml"],
  ])
    await project.expectDone("apply", "-y", "--file", ...argv);
  await project.write("billing/avatarops.yaml", formatBilling("Be brief."));
  await project.write("desk/avatarops.yaml", formatDesk("Be warm."));
  change.commit();
  await expectSuccess(change.review({}, "--all"));
  merge(change);
  return change;
}

const listPrompts = ({ project }: Change) =>
  Object.fromEntries(project.emulator.world.contexts.map(({ name, prompt }) => [name, prompt]));

test("applies the reviewed plan of every project and environment with --all, and posts an outcome for each", async () => {
  const change = await startMergedChange();
  const applied = await change.apply({}, "--all");
  expect(applied, applied.stderr).toMatchObject({ exit: 0 });
  expect(listPrompts(change)).toEqual({
    ...{ Bill: "Be brief.", "Desk (staging)": "Be warm.", Desk: "Be warm.", Idle: "Wait." },
  });
  expect(listOutcomes(change.world).map((text) => text.split("\n")[0])).toEqual([
    "### `avatarops/billing/`: 1 applied; 0 unchanged",
    "### `avatarops/desk/staging`: 1 applied; 0 unchanged",
    "### `avatarops/desk/production`: 1 applied; 0 unchanged",
  ]);
  expect(applied.stdout.match(/^Project .*$/gm)).toEqual([
    "Project billing/avatarops.yaml",
    "Project desk/avatarops.yaml (staging)",
    "Project desk/avatarops.yaml (production)",
    "Project idle/avatarops.yaml",
  ]);
  expect(applied.stdout).toMatch(/All projects\n[\s\S]*billing\/avatarops\.yaml +1 applied; 0 unchanged/);
  expect(change.problems).toEqual([]);
});

test("applies the remaining projects with --all if one is rejected, and exits with the most severe code", async () => {
  const change = await startMergedChange();
  await change.project.write("billing/avatarops.yaml", formatBilling("Never reviewed."));
  const { exit, stdout } = await change.apply({}, "--all", "--format", "json");
  const { projects } = JSON.parse(stdout);
  expect([exit, projects]).toMatchObject([
    5,
    [
      { exit: 5, result: { code: "stale-plan" } },
      { environment: "staging", exit: 0, result: { summary: { applied: 1 } } },
      { environment: "production", exit: 0, result: { summary: { applied: 1 } } },
      { exit: 0, counts: "Nothing to do: 1 unchanged" },
    ],
  ]);
  expect(listPrompts(change)).toMatchObject({ Bill: "Be exact.", Desk: "Be warm." });
  expect(listOutcomes(change.world)[0]).toMatch(/^### `avatarops\/billing\/`: nothing was applied\n/);
});

test("skips projects whose files have not changed since the commit given in --changed-since", async () => {
  const change = await startMergedChange();
  const { stdout } = await change.apply({}, "--all", "--changed-since", "HEAD~1", "--format", "json");
  const { projects, unchanged } = JSON.parse(stdout);
  expect(projects).toHaveLength(3);
  expect(unchanged).toMatchObject([{ project: "idle/avatarops.yaml" }]);
});

test("rejects --all without --reviewed or with options for a single project", async () => {
  const change = await startChange("gitea");
  expect(await change.project.avatarops("apply", "--all", "-y")).toMatchObject({
    exit: 1,
    stderr: matchText("Add --reviewed"),
  });
  for (const argv of [
    ["--summary", "summary.md"],
    ["--file", "avatarops.yaml"],
    ["--target", "context.desk"],
    ["--accept-duplicate", "context.desk"],
  ])
    expect(await change.apply({}, "--all", ...argv)).toMatchObject({
      exit: 1,
      stderr: matchText("cannot be used with --all"),
    });
  expect(await change.apply({}, "--path", "desk")).toMatchObject({
    exit: 1,
    stderr: matchText("--path requires --all"),
  });
});
