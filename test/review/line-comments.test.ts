import { expect, test } from "vitest";
import { type CodeHost, withHost } from "../../src/review/hosts/index.js";
import { guest, me, startStandIn } from "./stand-in.js";

const [ada, ben] = [60, 61].map((id) => ({ id, login: `person-${id}` }));

test("reads the pushes and the closer of a Gitea pull request after 170 comments on lines", async () => {
  const { world, options, problems, requests } = await startStandIn("gitea");
  const at = "2026-01-01T00:00:00.000Z";
  const [pull] = world.pulls;
  if (!pull || !ben) throw new Error("Bug: the stand-in is empty");
  Object.assign(world, { lineComments: 170 });
  Object.assign(pull, { open: false, closedBy: ada });
  world.pushes = [
    { at, commit: pull.commit, by: ben },
    { at, commit: "2".repeat(40) },
  ];
  const use = <Result>(work: (host: CodeHost) => Promise<Result>) => withHost(options, work);
  expect(await use((host) => host.findCloser(7))).toEqual(ada);
  const listPushers = () => use(async (host) => host.listPushers(await host.getPullRequest(7)));
  expect(await listPushers()).toEqual([guest, me, ben]);
  world.pushes = world.pushes.slice(1);
  const before = requests.length;
  expect(await listPushers()).toBeUndefined();
  expect(requests.length - before).toBeLessThan(40);
  expect(problems).toEqual([]);
});
