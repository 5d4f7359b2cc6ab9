import { afterEach, describe, expect, test } from "vitest";
import { upsertPullRequest, withHost } from "../../src/review/hosts/index.js";
import { type StandIn, type StoredPull, standIns, startStandIn } from "./stand-in.js";

const marker = { use: "drift", about: { project: "desks", environment: "eu--west > 1" } };
const given = { marker, settleMs: 0, headBranch: "drift", baseBranch: "main" };

describe.each(standIns)("%s", (name) => {
  let standIn: StandIn;
  const upsert = (title: string, body: string) =>
    withHost(standIn.options, (host) => upsertPullRequest(host, { ...given, title, body }));
  const findPull = () => standIn.world.pulls.at(-1) as StoredPull;
  afterEach(() => expect(standIn.problems).toEqual([]));

  test("keeps the edited title of a pull request, and the text around our part of the description", async () => {
    standIn = await startStandIn(name);
    await upsert("Two texts", "one\r\ntwo\n");
    expect(await upsert("Three texts", "one")).toMatchObject({ title: "Three texts", kept: [] });
    const pull = findPull();
    pull.title = "Ada's texts";
    pull.body = `above ${pull.body} below`;
    const kept = [
      "The title was edited, so it is kept.",
      "The description was edited, so only the part by avatarops is updated.",
    ];
    expect(await upsert("Four texts", "two")).toMatchObject({ title: "Ada's texts", kept });
    expect(pull.body).toMatch(/^above\n\n<!-- avatarops:drift [^\n]* -->\ntwo\n\n below$/);
    const { length } = standIn.requests;
    expect(await upsert("Four texts", "two")).toMatchObject({ kept });
    expect(standIn.requests.slice(length).filter((request) => /^(PATCH|PUT)/.test(request))).toEqual([]);
  });

  test("keeps an edited description once, above the new one", async () => {
    standIn = await startStandIn(name);
    await upsert("Texts", "one\ntwo");
    const pull = findPull();
    pull.body = pull.body.replace("one", "one, as Ada wanted");
    for (const body of ["three", "four"]) {
      expect(await upsert("Texts", body)).toMatchObject({
        kept: [expect.stringMatching(/^The description/)],
      });
      expect(pull.body.split(/<!-- .* -->/)).toEqual(["one, as Ada wanted\ntwo\n\n", `\n${body}`]);
    }
  });
});
