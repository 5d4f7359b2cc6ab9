import { expect, test } from "vitest";
import { withHost } from "../../src/review/hosts/index.js";
import { guest, standIns, startStandIn } from "./stand-in.js";

test.each(standIns)(
  "everybody who pushed commits of a pull request is named, or nobody where one of them is not known: %s",
  async (name) => {
    const { world, options, problems } = await startStandIn(name);
    const [ada, ben] = ["ada", "ben"].map((login, at) => ({ id: 60 + at, login }));
    if (!ada || !ben) throw new Error("nobody");
    const head = world.pulls[0]?.commit ?? "";
    const at = "2026-01-01T00:00:00.000Z";
    const pushers = () =>
      withHost(options, async (host) => (await host.pushers(await host.pullRequest(7)))?.map(({ id }) => id));
    world.pushes = [
      { commit: head, at, by: ada },
      { commit: "2".repeat(40), at, by: ben },
    ];
    expect((await pushers())?.toSorted()).toEqual(
      name === "gitea" ? [guest.id, ben.id, ada.id].toSorted() : [ada.id, ben.id],
    );
    world.pushes = [{ commit: "2".repeat(40), at, by: ben }];
    expect(await pushers()).toBe(undefined);
    expect(problems).toEqual([]);
  },
);
