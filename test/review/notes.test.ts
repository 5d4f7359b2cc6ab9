/** Tests review notes about changes in required environments and about other open pull requests for the same objects. */
import { expect, test } from "vitest";
import { expectSuccess, matchText } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import type { StoredPull } from "./stand-in.js";
import { key, padText, startReviewTeam } from "./team.js";

const manifest = `templates: [prompts/desk.md]
variables: { price: 9 EUR }
environments:
  staging: { state: git+refs://origin/avatarops/staging }
  production:
    state: git+refs://origin/avatarops/production
    needs: [staging]
    variables: { price: 10 EUR }
    contexts: { desk: { name: Desk of production }, night: { name: Night of production } }
contexts:
  desk: { name: Desk, prompt: !file prompts/desk.md, opening_text: Hi }
  night: { name: Night, prompt: !file prompts/night.md }
`;
const production = { argv: ["--env", "production"] };

test.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["gitlab", "gitea"] as const))(
  "lists other open pull requests that change the same object on %s",
  async (name) => {
    const team = await startReviewTeam(name);
    const { world, problems, requests, options } = team.standIn;
    team.propose(7, { "prompts/night.md": padText("Dream.") });
    Object.assign(world.pulls[0] ?? {}, { title: "Night @all <img src=x> [a](http://b.example)" });
    team.propose(8, { "prompts/desk.md": padText("Second."), "prompts/night.md": padText("Wake.") });
    team.propose(9, { "prompts/desk.md": padText("Third.") });
    for (const number of [7, 8, 9])
      expect(await team.review(number, { more: key })).toMatchObject({ exit: 0 });
    expect(team.comment(7)).not.toContain("Other open");
    const page = `${options.webUrl}/team/avatars/${name === "gitlab" ? "-/merge_requests" : "pull"}/`;
    expect(team.comment(8)).toContain(
      `\n\nOther open pull requests change the same objects: [#7](<${page}7>) Night \`@all <img src=x> [a](http://b.example)\` (\`context.night\`). After one is merged, the others need a new review.\n\n`,
    );
    expect(team.comment(9)).toContain(
      `change the same objects: [#8](<${page}8>) Change 8 (\`context.desk\`).`,
    );

    // Adds an unreviewed commit to #7, and many other pull requests.
    team.standIn.world.pulls[0] = { ...(world.pulls[0] as StoredPull), commit: "4".repeat(40) };
    for (let number = 100; number < 140; number += 1)
      world.pulls.push({ ...(world.pulls[0] as StoredPull), number, head: `b${number}` });
    const before = requests.length;
    await team.review(8, { more: key });
    expect(requests.length - before).toBeLessThan(35);
    expect(team.comment(8)).not.toContain("#7");
    expect(problems).toEqual([]);
  },
);

test("does not list another pull request whose plan changes an object only because of an unapplied merge", async () => {
  const team = await startReviewTeam();
  team.ana.commit({ "prompts/desk.md": padText("Merged.") });
  team.ana.push();
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.propose(9, { "README.md": "New.\n" });
  for (const number of [7, 9]) await team.review(number);
  expect(team.comment(9)).toContain("`context.desk`");
  expect(team.comment(9)).not.toContain("Other open");
});

test("lists another pull request that edits an object with an unapplied merge, but not one that leaves the object alone", async () => {
  const team = await startReviewTeam();
  team.ana.commit({ "prompts/desk.md": padText("Merged.") });
  team.ana.push();
  team.propose(7, { "README.md": "New.\n" });
  team.propose(8, { "prompts/desk.md": padText("Merged.\nMore.") });
  team.propose(9, { "prompts/desk.md": padText("Merged.\nLess.") });
  for (const number of [7, 8, 9, 7]) await team.review(number);
  expect(team.comment(7)).toContain("`context.desk`");
  expect(team.comment(7)).not.toContain("Other open");
  expect(team.comment(8)).not.toContain("Other open");
  expect(team.comment(9)).toContain("pull/8>) Change 8 (`context.desk`)");
  expect(team.comment(9)).not.toContain("pull/7>");
});

test("posts the review even if other pull requests cannot be listed, and reports the failure", async () => {
  const team = await startReviewTeam();
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  team.standIn.fail({ on: /pulls\?.*sort=updated/, times: 9, answer: { status: 403 } });
  const stderr = matchText("Other open pull requests could not be looked up: Cannot list");
  expect(await team.review(7)).toMatchObject({ exit: 0, stderr });
  expect(team.comment(7)).toContain("### Plan");
  expect(team.comment(7)).toContain(
    "\n\nOther open pull requests could not be checked for the same changes. See the job log.\n\n",
  );
});

test("lists objects whose change is already applied to staging when reviewing production", async () => {
  const team = await startReviewTeam("github", manifest, ["staging", "production"]);
  team.ana.commit({ "prompts/desk.md": padText("It costs {{price}}.") });
  team.ana.push();
  const only = manifest.replace("Night of production", "Night of production, opening_text: Hush");
  team.propose(7, { "avatarops.yaml": only });
  await team.review(7, production);
  expect(team.comment(7)).toContain("2 to update");
  expect(team.comment(7)).not.toContain("Already applied");

  await team.ana.apply("--env", "staging");
  await team.review(7, production);
  // Only production has an opening text.
  expect(team.comment(7)).toContain("\n\nAlready applied to `staging`: `context.desk`.\n\n");

  await team.review(7, { argv: ["--all"] });
  expect(team.standIn.world.comments.at(-1)?.body).toContain("Already applied to `staging`: `context.desk`.");
  expect(team.standIn.problems).toEqual([]);
});

test("posts the review even if a required environment's state is unreadable, and reports the failure", async () => {
  const team = await startReviewTeam("github", manifest, ["staging", "production"]);
  const broken = manifest.replace("origin/avatarops/staging", "nowhere/avatarops/staging");
  team.propose(7, { "avatarops.yaml": broken, "prompts/night.md": padText("Dream.") });
  const ran = await expectSuccess(team.review(7, production));
  expect(ran.stderr).toContain("The changes already applied to staging are unknown: ");
  expect(team.comment(7)).toContain(
    "\n\nThe changes already applied to `staging` are unknown. See the job log.\n\n",
  );
});

test("shows the number of projects omitted from the review comment", async () => {
  const team = await startReviewTeam();
  team.ana.commit({ "other/avatarops.yaml": "contexts: { a: { name: A, prompt: Hi } }\n" });
  team.ana.push();
  team.propose(7, { "prompts/night.md": padText("Dream.") });
  expect(await team.review(7, { argv: ["--all"] })).toMatchObject({ exit: 0 });
  expect(team.comment(7)).toContain("\n1 skipped: the file");
});
