// @module-tag ci
/**
 * Proposes earlier prompts with `rollback --pull-request`. For behavior shared with drift, see
 * drift-pull-request.test.ts.
 */
import { expect, test } from "vitest";
import { git } from "../git/repositories.js";
import { isLong } from "../real/long.js";
import { pushFile, startTeam, type Team } from "./drift-hosting.js";
import { expectSuccess, matchText } from "./hosting.js";

const branch = "avatarops/rollback/default";
const listPrompts = ({ project }: Team) =>
  Object.fromEntries(project.emulator.world.contexts.map(({ name, prompt }) => [name, prompt]));
const first = { "Support desk": "Be polite.", "Sales desk": "Be brief." };

async function propose(team: Team, ...argv: string[]) {
  const asked = team.project.emulator.requests.length;
  const ran = await expectSuccess(team.run("rollback", "--pull-request", "--format", "json", ...argv));
  expect(team.project.emulator.requests).toHaveLength(asked);
  const { serial, pull_request: pull } = JSON.parse(ran.stdout);
  return { serial, ...pull };
}

/** Starts a team whose second apply changed both prompts, which are also on main. */
async function startSecond(name: Parameters<typeof startTeam>[0] = "github"): Promise<Team> {
  const team = await startTeam(name);
  const clone = team.colleague();
  pushFile(clone, "main", "contexts/support.md", "---\nname: Support desk\n---\nBe rude.\n");
  pushFile(clone, "main", "prompts/sales.txt", "Be long.\n");
  git(team.project.folder, "pull", "--quiet", "origin", "main");
  await expectSuccess(team.project.avatarops("apply", "-y"));
  return team;
}

test.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["gitea"] as const))(
  "proposes restored prompts in a pull request on %s, and apply ends the hold after the merge",
  async (name) => {
    const team = await startSecond(name);
    const rolledBack = await team.project.avatarops("rollback", "-y", "--to", "1");
    expect(rolledBack).toMatchObject({
      exit: 0,
      stderr: matchText("`avatarops rollback --to 1 --pull-request`"),
    });
    const opened = await propose(team, "--to", "1");
    expect(opened).toMatchObject({ serial: 1, result: "opened", branch, refused: [] });
    expect(opened.written).toEqual([
      { address: "context.sales", field: "prompt", file: "prompts/sales.txt" },
      { address: "context.support", field: "prompt", file: "contexts/support.md" },
    ]);
    expect(team.pulls()).toMatchObject([
      { head: branch, base: "main", open: true, title: "Roll back 2 texts to serial 1" },
    ]);
    expect(team.pulls()[0]?.body).toContain("`context.support.prompt` in `contexts/support.md`");
    expect(team.file(branch, "contexts/support.md")).toContain("Be polite.");
    const commits = team.commits(branch);
    expect(await propose(team, "--to", "1")).toMatchObject({ result: "unchanged", number: opened.number });
    expect(team.commits(branch)).toEqual(commits);
    expect(git(team.project.folder, "status", "--porcelain", "contexts", "prompts")).toBe("");

    team.merge(branch);
    const applied = await team.project.avatarops("apply", "-y");
    expect(applied).toMatchObject({ exit: 0, stderr: matchText("has ended") });
    expect(listPrompts(team)).toEqual(first);
    expect(await propose(team, "--to", "1")).toMatchObject({ result: "none", notes: [expect.any(String)] });
    expect(git(team.origin, "branch", "--list", branch)).toBe("");
    expect(team.host.problems).toEqual([]);
  },
);

test("replaces an earlier rollback pull request and leaves the account unchanged", {
  tags: "night",
}, async () => {
  const team = await startSecond();
  const { number } = await propose(team, "--to", "1");
  expect(listPrompts(team)).toEqual({ "Support desk": "Be rude.", "Sales desk": "Be long." });
  expect(await propose(team, "--to", "1", "context.sales")).toMatchObject({
    ...{ result: "updated", number },
    written: [{ address: "context.sales" }],
  });
  expect(team.commits(branch)).toHaveLength(1);
  expect(team.file(branch, "contexts/support.md")).toContain("Be rude.");
  expect(await propose(team, "--to", "2")).toMatchObject({ result: "closed", number });
  expect(team.pulls()).toMatchObject([{ open: false }]);
  expect(team.host.world.comments).toMatchObject([
    {
      pull: number,
      body: expect.stringContaining("The files already contain the texts of serial 2. This is closed."),
    },
  ]);
});

test("rejects rollback --pull-request if --dry-run is given or the files cannot contain the restored prompts", async () => {
  const team = await startSecond();
  const clone = team.colleague();
  const manifest = team.file("main", "avatarops.yaml").replace("!file prompts/sales.txt", "&long Be long.");
  pushFile(clone, "main", "avatarops.yaml", `${manifest}\n  twin: { name: Twin, prompt: *long }\n`);
  expect(await team.run("rollback", "--to", "1", "--pull-request")).toMatchObject({
    exit: 1,
    stderr: matchText("an alias or a merge key shares it"),
  });
  expect([team.pulls(), git(team.origin, "branch", "--list", branch)]).toEqual([[], ""]);
  expect(await team.run("rollback", "--to", "1", "--pull-request", "--dry-run")).toMatchObject({
    exit: 1,
    stderr: matchText("Remove --dry-run"),
  });
});

test("names other environments in a rollback pull request, and changes a single one with --here", async () => {
  const manifest = `contexts:
  desk: { name: Desk, prompt: !file desk.txt }
environments:
  production: { contexts: { desk: { name: Desk (production) } }, state: production.json }
  staging: { contexts: { desk: { name: Desk (staging) } }, state: staging.json }
`;
  const [production, staging] = [
    ["--env", "production"],
    ["--env", "staging"],
  ] as const;
  const files = { "avatarops.yaml": manifest, "desk.txt": "Be brief.\n" };
  const team = await startTeam("gitea", { files, apply: [production, staging] });
  pushFile(team.colleague(), "main", "desk.txt", "Be rude.\n");
  git(team.project.folder, "pull", "--quiet", "origin", "main");
  for (const env of [production, staging])
    expect(await team.project.avatarops("apply", "-y", ...env)).toMatchObject({ exit: 0 });

  const other = "context.desk.prompt (staging)";
  const { number, ...opened } = await propose(team, "--to", "1", ...production);
  expect(opened).toMatchObject({ written: [{ file: "desk.txt" }], also_changes: [other] });
  expect(team.pulls()[0]?.body).toMatch(
    /^[\s\S]*The next apply also changes these texts[\s\S]*`context.desk.prompt \(staging\)`[\s\S]*Merging this rolls them back/,
  );
  const alone = await propose(team, "--to", "1", "--here", ...production);
  expect(alone).toMatchObject({ result: "updated", number, written: [{ file: "avatarops.yaml" }] });
  expect(alone).not.toHaveProperty("also_changes");
  const of = "avatarops/rollback/production";
  expect(team.file(of, "desk.txt")).toBe("Be rude.");
  expect(team.file(of, "avatarops.yaml")).toContain("desk: { prompt: Be brief., name: Desk (production) }");

  expect(await team.run("rollback", "--to", "1", "--here", ...production)).toMatchObject({
    exit: 1,
    stderr: matchText("--here needs --pull-request or --branch"),
  });
});
