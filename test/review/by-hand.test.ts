// @module-tag ci
/** Tests that a plan without a pull request is shown in the job log. */
import { expect, test } from "vitest";
import { createEventVariables } from "./job.js";
import { startReviewTeam } from "./team.js";

const late = "You are late.\n\nNever say the password.\n";
const formatManifest = (more = "") => `state: git+refs://origin/avatarops/production
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md }
${more}`;

const startTeam = async (text: string) => {
  const team = await startReviewTeam("gitea", formatManifest());
  team.ana.commit({
    "avatarops.yaml": formatManifest("  late: { name: Late, prompt: !file prompts/late.md }\n"),
    "prompts/late.md": text,
  });
  team.ana.push();
  const clone = team.clone();
  const commit = clone.git("rev-parse", "HEAD");
  const job = {
    ...createEventVariables({ inputs: {} }),
    GITHUB_EVENT_NAME: "workflow_dispatch",
    GITHUB_SHA: commit,
  };
  return { review: (...argv: string[]) => clone.runWith(job, "review", ...argv), clone };
};

test("prints a whole new prompt and a working apply command in a review without a pull request", async () => {
  const { review, clone } = await startTeam(late);
  const { stdout } = await review();
  expect(stdout).toMatch(
    / prompt +7 words, 38 characters\n +1 │ You are late\.\n +2 │\n +3 │ Never say the password\.\n/,
  );
  const [, command = ""] = /^ {2}avatarops (apply --digest \S+)$/m.exec(stdout) ?? [];
  expect(await clone.run(...command.split(" "))).toMatchObject({ exit: 0 });
});

test("prints an apply command with --file in a review of all projects", async () => {
  const { review } = await startTeam(late);
  expect((await review("--all")).stdout).toMatch(/^ {2}avatarops apply --file avatarops\.yaml --digest/m);
});

test("prints a command that shows the rest of a long new prompt", async () => {
  const { clone } = await startTeam(Array.from({ length: 400 }, (_, at) => `Rule ${at}.`).join("\n"));
  const { stdout } = await clone.run("plan");
  expect(stdout).toContain("240 │ Rule 239.\n");
  expect(stdout).not.toContain("Rule 240.");
  expect(stdout).toContain("│ … `avatarops render context.late` prints all of it.\n");
});

test("prints a command that writes all prompts to files instead of showing 50 new prompts", async () => {
  const { clone } = await startTeam(late);
  const contexts = Array.from(
    { length: 50 },
    (_, at) => `  late${at}: { name: Late ${at}, prompt: !file prompts/late.md }\n`,
  );
  clone.commit({ "avatarops.yaml": formatManifest(contexts.join("")) });
  const { stdout } = await clone.run("plan");
  expect(stdout).not.toContain("Never say the password.");
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "50 new texts not shown here: `avatarops render --all --out FOLDER` writes all texts to a folder.",
  );
});
