/** Who may push to a repository, as the code hosts tell it. */
import { expect, test } from "vitest";
import { withHost } from "../../src/review/hosts/index.js";
import { guest, standIns, startStandIn } from "./stand-in.js";

test.each(standIns)(
  "%s tells who may push from who may only read, and from who is nobody there",
  async (name) => {
    const { options, world, problems } = await startStandIn(name);
    const mayWrite = (person: typeof guest) => withHost(options, (host) => host.mayWrite(person));
    const ada = { id: 8, login: "ada" };
    world.writers.push(ada);
    expect(await mayWrite(ada)).toBe(true);
    expect(await mayWrite(guest)).toBe(false);
    if (name === "gitlab") {
      // A member, with the role Reporter.
      world.writers.push(guest);
      expect(await mayWrite(guest)).toBe(false);
    }
    expect(problems).toEqual([]);
  },
);

test("with the token of a Gitea job, who may push is read off the assignees, unless some of them may only read", async () => {
  const { options, world, problems } = await startStandIn("gitea", { isJobToken: true });
  const ada = { id: 8, login: "ada" };
  world.writers.push(ada);
  const mayWrite = (person: typeof ada) => withHost(options, (host) => host.mayWrite(person));
  expect([await mayWrite(ada), await mayWrite(guest)]).toEqual([true, false]);
  world.teams = ["owner", "write"];
  expect([await mayWrite(ada), await mayWrite(guest)]).toEqual([true, false]);
  world.teams = ["owner", "read"];
  await expect(mayWrite(ada)).rejects.toMatchObject({ code: "host-forbidden" });
  expect(problems).toEqual([]);
});
