import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { git } from "../git/repositories.js";
import { branch, startTeam, type Team } from "./drift-hosting.js";
import { expectSuccess, matchText } from "./hosting.js";

/** Returns the write requests to the code host. */
function listWrites({ host }: Team): string[] {
  return host.requests.filter((request) => !request.startsWith("GET") && !request.includes("graphql"));
}

/** Returns everything that git stores in the user's repository. */
function readGitFiles(folder: string) {
  const objects = readdirSync(path.join(folder, ".git/objects"), { recursive: true }).toSorted();
  return {
    ...{ refs: git(folder, "for-each-ref"), head: git(folder, "rev-parse", "HEAD"), objects },
    ...{ status: git(folder, "status", "--porcelain"), config: git(folder, "config", "--list", "--local") },
    fetched: existsSync(path.join(folder, ".git/FETCH_HEAD")),
  };
}

describe.each(["github", "gitlab", "gitea"] as const)("drift --pull-request on %s", (name) => {
  // Only GitHub is tested in every run, because test/review covers the differences between hosts.
  const isAlways = name === "github";
  test("opens a pull request whose merge leaves nothing to plan or apply", {
    tags: isAlways ? [] : "night",
  }, async () => {
    const team = await startTeam(name);
    const { project } = team;
    expect(await team.propose()).toMatchObject({ exit: 0, result: "none" });
    project.emulator.editContext("Support desk", { prompt: "Be very polite." });
    project.emulator.editContext("Sales desk", { opening_text: "Hello!", prompt: "Be briefer." });
    const before = readGitFiles(project.folder);
    const opened = await team.propose();
    expect(opened).toMatchObject({ exit: 2, result: "opened", branch, refused: [], notes: [] });
    expect(opened.written).toEqual([
      { address: "context.sales", field: "prompt", file: "prompts/sales.txt" },
      { address: "context.sales", field: "opening_text", file: "avatarops.yaml" },
      { address: "context.support", field: "prompt", file: "contexts/support.md" },
    ]);
    expect(team.pulls()).toMatchObject([{ head: branch, base: "main", open: true, number: opened.number }]);
    expect(team.file(branch, "contexts/support.md")).toBe("---\nname: Support desk\n---\nBe very polite.");
    expect(team.file(branch, "prompts/sales.txt")).toBe("Be briefer.");
    expect(git(team.origin, "diff", "--name-only", "main", branch).split("\n")).toEqual([
      ...["avatarops.yaml", "contexts/support.md", "prompts/sales.txt"],
    ]);
    expect(readGitFiles(project.folder)).toEqual(before);

    // Unchanged drift causes no push and leaves the pull request unchanged.
    const [commit, writes] = [team.commits(branch), listWrites(team).length];
    expect(await team.propose()).toMatchObject({ exit: 2, result: "unchanged", number: opened.number });
    expect([team.commits(branch), listWrites(team).length]).toEqual([commit, writes]);

    // Adds an edit to another object to the same pull request.
    project.emulator.editContext("Support desk", { name: "Helpdesk" });
    expect(await team.propose()).toMatchObject({ exit: 2, result: "updated", number: opened.number });
    expect(team.file(branch, "contexts/support.md")).toContain("name: Helpdesk");
    expect([team.pulls().length, team.commits(branch).length]).toEqual([1, 1]);

    team.merge(branch);
    await project.expectNothingToDo();
    project.emulator.requests.length = 0;
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await project.avatarops("drift")).toMatchObject({ exit: 0 });
    // Deletes the branch after the merge, when no drift remains.
    expect(await team.propose()).toMatchObject({ exit: 0, result: "none" });
    expect(git(team.origin, "branch", "--list", branch)).toBe("");

    // Reverting the edit in the dashboard closes the pull request and deletes its branch.
    project.emulator.editContext("Helpdesk", { prompt: "Be rude." });
    const { number = 0 } = await team.propose();
    project.emulator.editContext("Helpdesk", { prompt: "Be very polite." });
    expect(await team.propose()).toMatchObject({ exit: 0, result: "closed", number });
    expect(team.pulls().map(({ open }) => open)).toEqual([false, false]);
    expect(git(team.origin, "branch", "--list", branch)).toBe("");
    expect(team.host.world.comments).toMatchObject([
      { pull: number, body: expect.stringContaining("No edits are left to propose") },
    ]);
    expect(team.host.problems).toEqual([]);
  });
});

test("opens a drift pull request for the branch pushed by an earlier run", async () => {
  const team = await startTeam("github");
  team.project.emulator.editContext("Support desk", { prompt: "Be even more polite." });
  team.host.fail({ on: /^POST .*(pulls|merge_requests)/, answer: { status: 403 } });
  expect((await team.run("drift", "--pull-request")).exit).toBe(1);
  const commits = team.commits(branch);
  expect(team.file(branch, "contexts/support.md")).toContain("Be even more polite.");
  expect(await team.propose()).toMatchObject({ result: "opened" });
  expect([team.commits(branch), team.pulls().length]).toEqual([commits, 1]);
});

test("proposes an edit to a shared prompt for a single environment with --here", async () => {
  const manifest = `contexts:
  desk: { name: Desk, prompt: !file desk.txt }
environments:
  production: { contexts: { desk: { name: Desk (production) } }, state: production.json }
  staging: { contexts: { desk: { name: Desk (staging) } }, state: staging.json }
`;
  const production = ["--env", "production"];
  const team = await startTeam("gitea", {
    files: { "avatarops.yaml": manifest, "desk.txt": "Be kind.\n" },
    apply: [production, ["--env", "staging"]],
  });
  team.project.emulator.editContext("Desk (production)", { prompt: "Be brief." });
  expect(await team.propose(...production)).toMatchObject({
    ...{ written: [{ file: "desk.txt" }], also_changes: ["context.desk.prompt (staging)"] },
  });
  const alone = await team.propose("--here", ...production);
  expect(alone).toMatchObject({ exit: 2, result: "updated", written: [{ file: "avatarops.yaml" }] });
  expect(alone).not.toHaveProperty("also_changes");
  const of = "avatarops/drift/production";
  expect(team.file(of, "desk.txt")).toBe("Be kind.");
  expect(team.file(of, "avatarops.yaml")).toContain("desk: { prompt: Be brief., name: Desk (production) }");

  expect(await team.run("drift", "--here", ...production)).toMatchObject({
    exit: 1,
    stderr: matchText("--here needs --pull-request or --branch"),
  });
});

test.each(["review", "sync"])("rejects --here in %s, which writes no files", async (command) => {
  const team = await startTeam("gitea", { apply: [] });
  expect(await team.run(command, "--here")).toMatchObject({ exit: 1, stderr: matchText("--here") });
});

test("opens a drift pull request in a CI job and plans each environment that it changes", {
  tags: "night",
}, async () => {
  const named = (name: string) => `  ${name}: { name: Desk, prompt: !file ${name}.md }\n`;
  const yaml = `templates: ["*.md"]
contexts:
${named("desk")}environments:
  production: { contexts: { desk: { name: Desk (production) } }, state: git+refs://origin/avatarops/production }
  staging: { contexts: { desk: { name: Desk (staging) } }, state: git+refs://origin/avatarops/staging }
`;
  const team = await startTeam("github", {
    files: { "avatarops.yaml": yaml, "desk.md": "Hello.\n{{> tone}}\n", "partials/tone.md": "Be kind.\n" },
    apply: [],
  });
  const { project, origin, host } = team;
  for (const name of ["production", "staging"])
    expect(await project.avatarops("apply", "-y", "--env", name)).toMatchObject({ exit: 0 });
  project.emulator.editContext("Desk (production)", { prompt: "Hello.\nBe brief." });
  host.before = () => {
    for (const pull of team.pulls()) pull.commit = git(origin, "rev-parse", pull.head);
  };
  const job = { environment: { CI: "true", GITHUB_SHA: git(project.folder, "rev-parse", "HEAD") } };
  const drift = () => team.runWith(job, "drift", "--pull-request", "--env", "production");
  expect(await drift()).toMatchObject({ exit: 2, stderr: matchText("for staging was planned: http") });
  const [pull] = team.pulls();
  expect(
    host.world.statuses.map(({ commit, context, description }) => [commit, context, description]),
  ).toEqual([
    [pull?.commit, "avatarops/production", expect.stringMatching(/^Plan \S+: Nothing to do/)],
    [pull?.commit, "avatarops/staging", expect.stringMatching(/^Plan \S+ list \S+: 1 to update/)],
  ]);
  expect(host.world.comments.map(({ pull: number }) => number)).toEqual([pull?.number, pull?.number]);
  expect(git(project.folder, "worktree", "list").split("\n")).toHaveLength(1);

  // A failed plan causes only a warning.
  host.fail({ on: /^POST .*statuses/, answer: { status: 403 } });
  expect(await drift()).toMatchObject({
    exit: 2,
    stderr: matchText(`Pull request #${pull?.number} for production could not be reviewed`),
  });

  host.before = undefined;
  team.merge(pull?.head ?? "");
  const merged = git(project.folder, "rev-parse", "HEAD");
  Object.assign(pull ?? {}, { merged });
  await expectSuccess(
    team.runWith(
      { environment: { CI: "true", GITHUB_SHA: merged } },
      ...["apply", "--reviewed", "--env", "staging"],
    ),
  );
  expect(project.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual([
    "Hello.\nBe brief.",
    "Hello.\nBe brief.",
  ]);
  expect(host.problems).toEqual([]);
});

test("inlines a partial and keeps its final newline in a drift pull request with --here", async () => {
  const team = await startTeam("gitea", {
    files: {
      "avatarops.yaml":
        "templates: [prompts/*.md]\ncontexts:\n  desk: { name: Desk, prompt: !file prompts/desk.md }\n  night: { name: Night, prompt: !file prompts/night.md }\n",
      "prompts/desk.md": "You help.\n\n{{> tone}}\n",
      "prompts/night.md": "You sleep.\n\n{{> tone}}\n",
      "partials/tone.md": "Be kind. Answer shortly.\n",
    },
    apply: [[]],
  });
  team.project.emulator.editContext("Desk", { prompt: "You help.\n\nBe kind always. Answer shortly." });
  await team.propose("--here");
  expect(git(team.origin, "diff", "--stat", "main", branch)).toContain(
    " 1 file changed, 1 insertion(+), 1 deletion(-)",
  );
  expect(team.file(branch, "prompts/desk.md")).toContain("Be kind always. Answer shortly.");
  expect(team.pulls().at(-1)?.body).toContain("characters in `prompts/desk.md`, line 3");
});

test("neither deletes nor replaces a branch of others that is already merged", async () => {
  const team = await startTeam("github");
  git(team.origin, "branch", "staging", "main");
  const commit = git(team.origin, "rev-parse", "staging");
  expect(await team.propose("--branch", "staging")).toMatchObject({ exit: 0, result: "none" });
  expect(git(team.origin, "rev-parse", "staging")).toBe(commit);
  team.project.emulator.editContext("Support desk", { prompt: "Be very polite." });
  const refused = await team.run("drift", "--pull-request", "--branch", "staging");
  expect(refused).toMatchObject({ exit: 1, stderr: matchText("error[branch-taken]") });
  expect(git(team.origin, "rev-parse", "staging")).toBe(commit);
});
