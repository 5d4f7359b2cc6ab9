// @module-tag night
/** Tests `review --all` on a branch behind its base. The comment omits changes that others have merged. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { listFirstLines, padText, type ReviewTeam, startReviewTeam } from "./team.js";

const createProject = (name: string, prompt = padText(`${name}.`)) => ({
  [`${name}/avatarops.yaml`]: `state: git+refs://origin/avatarops/${name}\ncontexts: { ${name}: { name: ${name}, prompt: !file p.md } }\n`,
  [`${name}/p.md`]: prompt,
});
const files = { ...createProject("late"), ...createProject("idle"), ...createProject("gone") };

async function startAll(): Promise<ReviewTeam> {
  const team = await startReviewTeam();
  team.ana.commit(files);
  team.ana.push();
  await team.ana.apply("--file", "late/avatarops.yaml");
  return team;
}

test("plans each project's merge result, and applies the plan after the merge", async () => {
  const team = await startAll();
  const { ana, standIn } = team;
  team.propose(7, { "prompts/night.md": padText("Dream."), "late/p.md": padText("Late, and brief.") });
  // On main, changes both projects of the pull request and a third one, adds `fresh` and deletes `gone`.
  const { "late/avatarops.yaml": late = "" } = files;
  ana.git("rm", "-r", "--quiet", "bots/support/gone");
  ana.git("commit", "--quiet", "-m", "Without one");
  const tip = await team.land({
    "prompts/desk.md": padText("Second."),
    "late/avatarops.yaml": late.replace("{ name: late", "{ name: late, opening_text: Hello"),
    "idle/p.md": padText("Idle, and brief."),
    ...createProject("fresh"),
  });
  await ana.apply("--file", "late/avatarops.yaml");
  await expectSuccess(team.review(7, { argv: ["--all"] }));
  const body = team.comment(7);
  expect(body.match(/^## Project .*$|^### Plan.*$/gm)).toEqual([
    "## Project `bots/support/avatarops.yaml`",
    "### Plan: 1 to update; 1 unchanged",
    "## Project `bots/support/late/avatarops.yaml`",
    "### Plan: 1 to update; 0 unchanged",
  ]);
  expect(body).not.toMatch(/Second\.|Hello|Behind|fresh|is deleted/);
  expect(body).toContain("2 skipped");
  expect(body).toContain(`, merged with \`main\` at [\`${tip.slice(0, 10)}\`]`);
  expect(standIn.world.statuses.map(({ context, state }) => [context, state])).toEqual([
    ["avatarops/bots/support/", "success"],
    ["avatarops/bots/support/late/", "success"],
  ]);

  ana.git("fetch", "--quiet", "origin");
  ana.git("merge", "--quiet", "--no-ff", "-m", "Merge", "origin/change-7");
  ana.push();
  Object.assign(standIn.world.pulls[0] ?? {}, { open: false, merged: ana.git("rev-parse", "HEAD") });
  const at = team.clone();
  for (const argv of [[], ["--file", "late/avatarops.yaml"]])
    await expectSuccess(team.applyIn(at, {}, ...argv));
  expect(listFirstLines(team)).toMatchObject({ Desk: "Second.", Night: "Dream.", late: "Late, and brief." });
  expect(standIn.problems).toEqual([]);
});

test("reports a merge conflict in each project's section of the review comment", async () => {
  const team = await startAll();
  team.propose(7, { "prompts/desk.md": padText("Third."), "late/p.md": padText("Late, and brief.") });
  await team.land({ "prompts/desk.md": padText("Second."), "idle/p.md": padText("Idle, and brief.") });
  await expectSuccess(team.review(7, { argv: ["--all"] }));
  const [, support = "", late = ""] = team.comment(7).split("## Project ");
  for (const one of [support, late])
    expect(one).toMatch(
      /\*\*Behind:.*both sides changed the same lines in `bots\/support\/prompts\/desk\.md`\./,
    );
});
