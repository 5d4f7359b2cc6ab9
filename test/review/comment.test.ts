/** `avatarops comment`: what comments on a pull request can do, who can, and how each is answered once. */
import { describe, expect, test } from "vitest";
import { saying } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { ada, answers, merge, prompts, startTeam } from "./change.js";
import { guest } from "./stand-in.js";

const environments = "environments: { staging: { state: s.json }, production: { state: p.json } }\n";

describe.each(isLong ? (["github", "gitlab", "gitea"] as const) : (["gitlab"] as const))("on %s", (name) => {
  test("who may push has an open pull request planned, and after the merge applied, with one answer each", async () => {
    const change = await startTeam(name);
    const planned = await change.comment(ada, "/avatarops plan");
    expect(planned, planned.stderr).toMatchObject({ exit: 0 });
    expect(change.world.statuses).toMatchObject([{ context: "avatarops", state: "success" }]);
    const early = await change.comment(ada, "/avatarops apply");
    expect(early).toMatchObject({ exit: 1, stderr: expect.stringContaining("merge the pull request first") });
    expect(prompts(change)).toEqual([]);
    merge(change);
    const applied = await change.comment(ada, "/avatarops apply\n\nThe key of the vault is right now.");
    expect(applied, applied.stderr).toMatchObject({ exit: 0 });
    expect(prompts(change)).toEqual(["Be kind."]);
    const again = await change.comment(ada, "/avatarops apply");
    expect(again, again.stderr).toMatchObject({ exit: 0 });
    expect(answers(change).map(({ body }) => body.split("\n").slice(1).join("\n").trim())).toEqual([
      expect.stringMatching(/^`\/avatarops plan`\n\nThe plan is \[here\]\(http/),
      expect.stringMatching(/^`\/avatarops apply`\n\n\*\*Refused\.\*\* Only what was merged/),
      expect.stringMatching(/^`\/avatarops apply`\n\n[\s\S]*1 applied/),
      expect.stringMatching(/^`\/avatarops apply`\n\n[\s\S]*Nothing/),
    ]);
    expect(change.problems).toEqual([]);
  });
});

test("what was merged is planned again, and that plan is applied by its digest", async () => {
  const change = await startTeam("github");
  merge(change);
  const unreviewed = await change.comment(ada, "/avatarops apply");
  expect(unreviewed).toMatchObject({ exit: 1, stderr: expect.stringContaining("not-reviewed") });
  await change.comment(ada, "/avatarops plan");
  const [, shown] = answers(change);
  const [line = "", digest = ""] = /\/avatarops apply (\S+)/.exec(shown?.body ?? "") ?? [];
  expect(await change.comment(ada, line.replace(digest, `1:${"A".repeat(22)}`))).toMatchObject({ exit: 5 });
  expect(prompts(change)).toEqual([]);
  const applied = await change.comment(ada, line);
  expect(applied, applied.stderr).toMatchObject({ exit: 0 });
  expect(prompts(change)).toEqual(["Be kind."]);
});

test("a job that runs again answers the same comment in the same place, and applies nothing twice", async () => {
  const change = await startTeam("github");
  await change.review();
  merge(change);
  await change.comment(ada, "/avatarops apply");
  const { id, body } = change.world.comments.find(({ by }) => by.login === "ada") ?? {};
  const { project } = change;
  const { created_at, ...first } = { created_at: "", ...project.emulator.world.contexts[0] };
  await change.comment(guest, "Thanks!", { comment: { id, body } });
  expect(answers(change)).toMatchObject([{ body: expect.stringContaining("Nothing") }]);
  expect(project.emulator.world.contexts).toMatchObject([first]);
});

test.each([
  ["/avatarops", "Write"],
  ["/avatarops destroy", "Write"],
  ["/avatarops apply staging production", "`production` is not understood"],
  ["/avatarops apply --auto-approve", "`--auto-approve` is not understood"],
  ["/avatarops plan --force", "`--force` is not understood"],
  ["/avatarops apply production; rm -rf /", "is not understood"],
  ["/avatarops apply nowhere", "nowhere"],
])("%s is refused, and the answer says what is wrong", async (body, reason) => {
  const change = await startTeam("github");
  merge(change);
  expect(await change.comment(ada, body)).toMatchObject({ exit: 1 });
  expect(answers(change)).toMatchObject([{ body: expect.stringContaining(reason) }]);
  expect(prompts(change)).toEqual([]);
});

test("where the project has environments, one must be named, unless the job is for one", async () => {
  const change = await startTeam("github");
  await change.project.write(
    "avatarops.yaml",
    `${await change.project.read("avatarops.yaml")}${environments}`,
  );
  change.commit();
  const planned = await change.comment(ada, "/avatarops plan");
  expect(planned).toMatchObject({ exit: 1, stderr: saying("name one of staging, production") });
  expect(change.world.statuses).toEqual([]);
  expect(await change.comment(ada, "/avatarops plan staging")).toMatchObject({ exit: 0 });
  merge(change);
  expect(await change.comment(ada, "/avatarops apply")).toMatchObject({ exit: 1 });
  expect(prompts(change)).toEqual([]);
  expect(await change.comment(ada, "/avatarops apply staging")).toMatchObject({ exit: 0 });
  const bodies = answers(change).map(({ body }) => body);
  expect(bodies.map((body) => body.includes("**Refused.** This project has environments"))).toEqual([
    ...[true, false, true, false],
  ]);
  expect(bodies[2]).toContain("`/avatarops apply staging`");
});

test("of a fork, the base says which environments there are, and none of its own files is read", async () => {
  const change = await startTeam("github");
  const { project, world, sha: without } = change;
  await project.write("avatarops.yaml", `contexts: {}\n${environments.replace("staging", "test")}`);
  const withEnvironments = change.commit();
  const secret = `{ secret_name: s, secret_type: LLMPROVIDER_API_KEY, secret_value: !exec [touch, ran] }`;
  await project.write("avatarops.yaml", `secrets: { s: ${secret} }\n${environments}`);
  change.commit();
  const plan = async (baseCommit: string) => {
    Object.assign(world.pulls[0] ?? {}, { fromFork: true, baseCommit });
    await change.comment(ada, "/avatarops plan");
    return answers(change).at(-1)?.body;
  };
  expect(await plan(without)).not.toContain("has environments");
  expect(await plan(withEnvironments)).toContain("name one of test, production");
  expect(project.has("ran")).toBe(false);
});

test("an answer shows a command as text", async () => {
  const change = await startTeam("github");
  await change.comment(ada, "/avatarops <img src=x> @everyone `` ![x](https://example.com/x.png) #1");
  const [answer] = answers(change);
  expect(answer?.body.split("\n").slice(1, 4).join("\n")).toMatchInlineSnapshot(`
    "\`\`\`/avatarops <img src=x> @everyone \`\` ![x](https://example.com/x.png) #1\`\`\`

    **Refused.** Write \`/avatarops plan [ENVIRONMENT]\` or \`/avatarops apply [ENVIRONMENT] [DIGEST] [--force]\`."
  `);
});

test("outside of a job that a comment started, the comment is named", async () => {
  const { project } = await startTeam("github");
  expect(await project.avatarops("comment")).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(/no-comment|--comment/),
  });
});
