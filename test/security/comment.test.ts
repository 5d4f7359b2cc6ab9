// @module-tag ci
/** Who can have something done by a comment on a pull request: see docs/security.md. */
import { expect, test } from "vitest";
import { ada, answers, merge, ours, prompts, startTeam } from "../review/change.js";
import { guest } from "../review/stand-in.js";

const hosts = ["github", "gitlab", "gitea"] as const;

test.each(hosts)(
  "a comment by who may not push, an edited one and one of our own account do nothing: %s",
  async (name) => {
    const change = await startTeam(name);
    await change.review();
    merge(change);
    const refused = await change.comment(guest, "/avatarops apply --force");
    expect(refused).toMatchObject({ exit: 1, stderr: expect.stringContaining("Only those who may push") });
    const edit = name === "gitlab" ? { action: "update" } : { action: "edited" };
    expect(await change.comment(ada, "/avatarops apply", edit)).toMatchObject({ exit: 0 });
    expect(await change.comment(change.world.me, "/avatarops apply")).toMatchObject({ exit: 0 });
    expect(await change.comment(ada, "Should we not /avatarops apply this?")).toMatchObject({ exit: 0 });
    expect(prompts(change)).toEqual([]);
    expect(answers(change)).toMatchObject([
      { body: expect.stringContaining("**Refused.** Only those who may push") },
    ]);
    expect(change.problems).toEqual([]);
  },
);

test.each(hosts)("an event that says something else than the comment is not believed: %s", async (name) => {
  const change = await startTeam(name);
  await change.review();
  merge(change);
  const said = "/avatarops apply";
  // The id is that of a comment by somebody who may push, who said something else.
  const harmless = change.world.comments.length;
  const ofAda = await change.comment(ada, "Looks good.");
  expect(ofAda).toMatchObject({ exit: 0 });
  const { id } = change.world.comments[harmless] ?? {};
  const event = name === "gitlab" ? { id, note: said } : { comment: { id, body: said } };
  expect(await change.comment(guest, said, event)).toMatchObject({ exit: 0 });
  // It was edited before the job looked at it.
  const late = name === "gitlab" ? { note: "/avatarops plan" } : undefined;
  expect(
    await change.comment(ada, said, late ?? { comment: { id: (id ?? 0) + 2, body: "/avatarops plan" } }),
  ).toMatchObject({ exit: 1, stderr: expect.stringContaining("edited") });
  expect(prompts(change)).toEqual([]);
});

test.each(hosts)(
  "a fork's change is planned for a comment as a stranger's, and never applied: %s",
  async (name) => {
    const change = await startTeam(name);
    const pull = Object.assign(change.world.pulls[0] ?? {}, { fromFork: true, baseCommit: change.sha });
    const planned = await change.comment(ada, "/avatarops plan");
    expect(planned, planned.stderr).toMatchObject({ exit: 0 });
    expect(ours(change).find(({ body }) => body.startsWith("<!-- avatarops:review "))).toBeDefined();
    Object.assign(pull, { open: false, merged: change.sha });
    const applied = await change.comment(ada, "/avatarops apply");
    expect(applied).toMatchObject({ exit: 1, stderr: expect.stringContaining("not applied by a comment") });
    expect(prompts(change)).toEqual([]);
  },
);
