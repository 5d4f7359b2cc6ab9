import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  type CodeHost,
  HostError,
  upsertComment,
  upsertPullRequest,
  withHost,
} from "../../src/review/hosts/index.js";
import {
  guest,
  me,
  type StandIn,
  type StoredPull,
  type StoredStatus,
  standIns,
  startStandIn,
  write,
} from "./stand-in.js";

const marker = { use: "review", about: { project: "avatarops.yaml", environment: "eu--west > 1" } };
const all = async <Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> => {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
};
const kept = { marker, settleMs: 0 };

test("an approval on a GitLab that does not say when counts only if pushes take approvals back", async () => {
  const { world, options, problems } = await startStandIn("gitlab");
  world.writers.push({ id: 60, login: "ada" });
  world.reviews.push({ by: { id: 60, login: "ada" }, commit: "" });
  const coversHead = () =>
    withHost(
      options,
      async (host) => (await host.listApprovals(await host.getPullRequest(7)))[0]?.coversHead,
    );
  expect(await coversHead()).toBe(false);
  world.resetsApprovals = false;
  expect(await coversHead()).toBe(false);
  world.resetsApprovals = true;
  expect(await coversHead()).toBe(true);
  expect(problems).toEqual([]);
});

describe.each(standIns)("%s", (name) => {
  let standIn: StandIn;
  const on = async <Result>(use: (host: CodeHost) => Promise<Result>): Promise<Result> => {
    standIn ??= await startStandIn(name);
    return withHost(standIn.options, use);
  };
  const start = async (
    ...more: Parameters<typeof startStandIn> extends [unknown, ...infer Rest] ? Rest : never
  ) => {
    standIn = await startStandIn(name, ...more);
    return standIn;
  };
  afterEach(() => {
    expect(standIn.problems).toEqual([]);
  });

  test("an approval is of the last commit only if it was given for it, and each person's last verdict counts", async () => {
    const { world } = await start();
    const [ada, ben, cy, dee, app] = ["ada", "ben", "cy", "dee", "app"].map((login, at) => ({
      id: 60 + at,
      login,
    }));
    if (!ada || !ben || !cy || !dee || !app) throw new Error("nobody");
    world.writers.push(ada, ben, cy);
    const head = world.pulls[0]?.commit ?? "";
    world.pushes = [
      { commit: head, at: "2026-01-02T00:00:00.000Z" },
      { commit: "2".repeat(40), at: "2026-01-01T00:00:00.000Z" },
    ];
    const [before, after] = ["2026-01-01T12:00:00.000Z", "2026-01-02T12:00:00.000Z"];
    world.reviews.push(
      { by: ada, commit: head, at: after },
      { by: ada, commit: head, state: "commented" },
      { by: ben, commit: "2".repeat(40), at: before },
      { by: dee, commit: head, at: after },
    );
    // GitLab lists only approvals that stand.
    if (name !== "gitlab")
      world.reviews.push(
        { by: cy, commit: head },
        { by: cy, commit: head, state: "changes" },
        { by: guest, commit: head, state: "dismissed" },
      );
    if (name.startsWith("github")) world.reviews.push({ by: app, commit: head, isOfApp: true });
    const approvals = await on(async (host) => host.listApprovals(await host.getPullRequest(7)));
    expect(approvals).toMatchObject([
      { by: ada, coversHead: true, mayWrite: true },
      { by: ben, coversHead: false, mayWrite: true },
      { by: dee, coversHead: true, mayWrite: false },
    ]);
    expect(await on(async (host) => (await host.getPullRequest(7)).author)).toEqual(guest);
    world.committers[head] = ada;
    Object.assign(world.pulls[0] ?? {}, { earlier: ["2".repeat(40)] });
    const committers = () => on(async (host) => host.listCommitters(await host.getPullRequest(7)));
    expect(await committers()).toEqual(name === "gitlab" ? [] : [ada, ada]);
    world.committers["2".repeat(40)] = ben;
    expect(await committers()).toEqual(name === "gitlab" ? [] : [ben, ben, ada, ada]);
  });

  test("everybody who pushed commits of a pull request is named, or nobody where one of them is not known", async () => {
    const { world } = await start();
    const [ada, ben] = [
      { id: 60, login: "ada" },
      { id: 61, login: "ben" },
    ];
    const at = "2026-01-01T00:00:00.000Z";
    const pushers = () =>
      on(async (host) => (await host.listPushers(await host.getPullRequest(7)))?.map(({ id }) => id));
    const push = { commit: "2".repeat(40), at, by: ben };
    world.pushes = [{ commit: world.pulls[0]?.commit ?? "", at, by: ada }, push];
    const opener = name === "gitea" ? [guest.id] : [];
    expect((await pushers())?.toSorted()).toEqual([...opener, ada.id, ben.id].toSorted());
    world.pushes = [push];
    expect(await pushers()).toBe(undefined);
  });

  test("who may push is told from who may only read, and from who is nobody there", async () => {
    const { world } = await start();
    const mayWrite = (person: typeof guest) => on((host) => host.mayWrite(person));
    const ada = { id: 8, login: "ada" };
    world.writers.push(ada);
    expect([await mayWrite(ada), await mayWrite(guest)]).toEqual([true, false]);
    // A member, with the role Reporter.
    if (name === "gitlab") world.writers.push(guest);
    expect(await mayWrite(guest)).toBe(false);
  });

  test("a comment is created once, then updated in place, and not sent when it is the same", async () => {
    const { world, requests } = await start();
    for (let n = 0; n < 120; n += 1) write(world, guest, `chatter ${n}`);
    await on((host) => upsertComment(host, 7, { ...kept, body: "first" }));
    await on((host) => upsertComment(host, 7, { ...kept, body: "second ✓ 👩‍🚀" }));
    const before = requests.length;
    const same = await on((host) => upsertComment(host, 7, { ...kept, body: "second ✓ 👩‍🚀" }));
    const own = world.comments.filter(({ by }) => by.id === me.id);
    expect(own).toMatchObject([
      { pull: 7, body: expect.stringMatching(/^<!-- avatarops:review .*-->\nsecond ✓ 👩‍🚀$/) },
    ]);
    expect(same).toMatchObject({ id: own[0]?.id, author: me });
    expect(requests.slice(before).filter((one) => !one.startsWith("GET"))).toEqual([]);
  });

  test("a comment of somebody else that has our marker stays as it is", async () => {
    const { world } = await start();
    await on((host) => upsertComment(host, 7, { ...kept, body: "ours" }));
    const [ours] = world.comments;
    const copy = write(world, guest, ours?.body ?? "");
    const quote = write(world, me, `> ${ours?.body}`);
    await on((host) => upsertComment(host, 7, { ...kept, body: "newer" }));
    expect(world.comments.map(({ id, body }) => [id, body.split("\n")[1]])).toEqual([
      [ours?.id, "newer"],
      [copy.id, "ours"],
      [quote.id, "ours"],
    ]);
  });

  test("a comment whose answer was lost is found and not written twice, and written where it did not arrive", async () => {
    const { world, fail } = await start();
    fail({ on: /^POST .*(comments|notes)/, after: true });
    await on((host) => upsertComment(host, 7, { ...kept, body: "once" }));
    expect(world.comments).toHaveLength(1);
    fail({ on: /^POST .*(comments|notes)/, after: true, answer: { status: 502, body: "<html>" } });
    const other = { ...marker, about: { environment: "staging" } };
    await on((host) => upsertComment(host, 7, { marker: other, settleMs: 0, body: "once" }));
    expect(world.comments).toHaveLength(2);
    fail({ on: /^POST .*(comments|notes)/ });
    const third = { ...marker, about: { environment: "test" } };
    await on((host) => upsertComment(host, 7, { marker: third, settleMs: 0, body: "once" }));
    expect(world.comments).toHaveLength(3);
  });

  test("of two runs at the same time, one comment stays", async () => {
    const { world } = await start();
    let posted = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const racing = (host: CodeHost): CodeHost => ({
      ...host,
      async createComment(pull, body) {
        posted += 1;
        if (posted === 2) release();
        await both;
        return host.createComment(pull, body);
      },
    });
    const run = (body: string) => on((host) => upsertComment(racing(host), 7, { ...kept, body }));
    await Promise.all([run("one"), run("two")]);
    await run("three");
    expect(world.comments.map(({ body }) => body.split("\n")[1])).toEqual(["three"]);
  });

  test("a pull request of a branch is created once, then updated in place", async () => {
    const { world, fail } = await start();
    const made = { ...kept, title: "Drift", body: "first", headBranch: "drift", baseBranch: "main" };
    fail({ on: /^POST .*(pulls|merge_requests)/, after: true });
    const first = await on((host) => upsertPullRequest(host, made));
    const second = await on((host) => upsertPullRequest(host, { ...made, body: "second" }));
    expect(second.number).toBe(first.number);
    expect(second).toMatchObject({
      isOpen: true,
      headBranch: "drift",
      baseBranch: "main",
      isFromFork: false,
    });
    expect(world.pulls.map(({ head, body }) => [head, body.split("\n").at(-1)])).toEqual([
      ["change", ""],
      ["drift", "second"],
    ]);
  });

  test("a pull request that somebody else opened for the branch keeps its text", async () => {
    const { world } = await start();
    const given = { ...kept, title: "Drift", body: "ours", headBranch: "change", baseBranch: "main" };
    expect(await on((host) => upsertPullRequest(host, given))).toMatchObject({
      number: 7,
      title: "Change the prompt",
    });
    expect(world.pulls).toMatchObject([{ title: "Change the prompt", body: "" }]);
  });

  test("the statuses that we set are found, newest first, and no others", async () => {
    const { world } = await start();
    const commit = "a".repeat(40);
    const set = (description: string) =>
      on((host) =>
        host.createStatus(commit, { context: "avatarops/production", description, state: "success" }),
      );
    await set("first");
    await set("second");
    world.statuses.push({ ...world.statuses[0], description: "forged", by: guest } as StoredStatus);
    for (let n = 0; n < 120; n += 1)
      world.statuses.push({ commit, context: `ci/${n}`, state: "success", description: "", url: "" });
    const found = await on((host) => all(host.listOwnStatuses(commit)));
    expect(found.filter(({ context }) => context === "avatarops/production")).toEqual([
      { context: "avatarops/production", description: "second", atMs: expect.any(Number) },
      { context: "avatarops/production", description: "first", atMs: expect.any(Number) },
    ]);
    expect(found).toHaveLength(122);
    expect(await on((host) => all(host.listOwnStatuses("b".repeat(40))))).toEqual([]);
  });

  test("the pull request by which a commit came to its branch is found", async () => {
    const { world } = await start();
    const merged = "e".repeat(40);
    Object.assign(world.pulls[0] as StoredPull, { open: false, merged });
    expect(await on((host) => host.listPullRequestsForCommit(merged))).toMatchObject([
      { number: 7, headCommit: "1".repeat(40), isOpen: false },
    ]);
    expect(await on((host) => host.listPullRequestsForCommit("f".repeat(40)))).toEqual([]);
  });

  test("a pull request says its head, and whether it comes from a fork", async () => {
    const { world } = await start();
    world.pulls.push({ ...world.pulls[0], number: 8, fromFork: true } as (typeof world.pulls)[number]);
    expect(await on((host) => host.getPullRequest(7))).toMatchObject({
      ...{ number: 7, headCommit: "1".repeat(40), headBranch: "change", isOpen: true, isFromFork: false },
    });
    expect(await on((host) => host.getPullRequest(8))).toMatchObject({ isFromFork: true });
  });

  test.each([
    [{ status: 401 }, "host-unauthorized", /HOST_TOKEN .*wrong, expired or revoked/],
    [{ status: 403 }, "host-forbidden", /lacks a permission \(403: no\)\. \w+ .*(permissions|scope)/],
    [{ status: 404 }, "host-not-found", /Check the repository and the number/],
    [{ status: 422 }, "host-refused", /the host rejected the request \(422: no\)/],
    [
      { status: 301, headers: { location: "http://127.0.0.1:1/" } },
      "host-refused",
      /redirects to another URL \(301: no\)/,
    ],
    [{ status: 429, headers: { "retry-after": "600" } }, "host-unreachable", /Try again in 600 s/],
    [{ status: 200, body: "<!doctype html>" }, "host-unreachable", /not JSON/],
    [{ status: 200, body: '{"hello":1}' }, "host-unreachable", /does not match the documented API/],
  ] as const)("an answer %o is an error that says what to do", async (answer, code, message) => {
    const { fail } = await start();
    fail({ on: /./, times: 9, answer });
    const failed = on((host) => host.getPullRequest(7));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Cannot read (pull|merge) request 7 /),
    });
    const error = await failed.catch((error: unknown) => error);
    expect(inspect(error, { depth: 9 })).not.toContain("secret-token");
    expect(error).toBeInstanceOf(HostError);
  });

  test("reads are repeated after a lost answer, a 502 and a limit; not for ever", async () => {
    const { fail, requests } = await start();
    fail({ on: /./ });
    fail({ on: /./, answer: { status: 502, body: "<html>" } });
    fail({ on: /./, answer: { status: 403, headers: { "retry-after": "0" } } });
    expect(await on((host) => host.getPullRequest(7))).toMatchObject({ number: 7 });
    expect(requests).toHaveLength(4);
    fail({ on: /./, times: 9, answer: { status: 503 } });
    await expect(on((host) => host.getPullRequest(7))).rejects.toMatchObject({ code: "host-unreachable" });
    expect(requests).toHaveLength(8);
  });

  test("a create is repeated only if the host did not process it", async () => {
    const { fail, requests, world } = await start();
    fail({ on: /^POST/, answer: { status: 429, headers: { "retry-after": "0" } } });
    await on((host) => host.createComment(7, "one"));
    expect([requests.length, world.comments.length]).toEqual([2, 1]);
    fail({ on: /^POST/, answer: { status: 502, body: "" } });
    await expect(on((host) => host.createComment(7, "two"))).rejects.toMatchObject({ outcome: "unknown" });
    expect(requests).toHaveLength(3);
  });

  test("a host that does not answer in time, or at all, is an error with its address", async () => {
    const { fail } = await start({ timeoutMs: 50 });
    fail({ on: /./, times: 9, hangs: true });
    await expect(on((host) => host.getAuthor())).rejects.toMatchObject({ code: "host-unreachable" });
    await expect(
      withHost({ ...standIn.options, webUrl: "http://127.0.0.1:1", apiUrl: "http://127.0.0.1:1" }, (host) =>
        host.getAuthor(),
      ),
    ).rejects.toThrow(/no complete response \(127\.0\.0\.1:1: .*ECONNREFUSED/);
  });

  test("cancelling stops reads and waits", async () => {
    const stop = new AbortController();
    const { fail } = await start({ signal: stop.signal });
    fail({ on: /./, answer: { status: 429, headers: { "retry-after": "30" } } });
    const running = on((host) => host.getPullRequest(7));
    standIn.before = () => setTimeout(() => stop.abort(), 10);
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
  });
});

test("the token of a job on GitHub may not ask for its user, and learns it another way", async () => {
  for (const name of ["github", "github-enterprise"] as const) {
    const { options, fail, problems } = await startStandIn(name);
    fail({
      on: /^GET .*\/user$/,
      answer: { status: 403, body: '{"message":"Resource not accessible by integration"}' },
    });
    expect(await withHost(options, (host) => host.getAuthor())).toEqual(me);
    expect(problems).toEqual([]);
  }
});

test("a status that a job on Gitea has set names no creator, and is found by jobs alone", async () => {
  const commit = "a".repeat(40);
  const status = { context: "avatarops/production", state: "success" } as const;
  for (const isJobToken of [true, false]) {
    const { options, world, problems } = await startStandIn("gitea", { isJobToken });
    await withHost(options, async (host) => {
      for (const description of ["first", "second"])
        await host.createStatus(commit, { ...status, description });
      world.statuses.push({ ...world.statuses[0], description: "a person's", by: guest } as StoredStatus);
      world.statuses.push({ ...world.statuses[0], description: "a job's", by: null } as StoredStatus);
      const found = (await all(host.listOwnStatuses(commit))).map(({ description }) => description);
      expect(found).toEqual([...(isJobToken ? ["a job's"] : []), "second", "first"]);
    });
    expect(problems).toEqual([]);
  }
});

test("the token of a job on Gitea is known by its fixed account", async () => {
  const { options, fail } = await startStandIn("gitea", { isJobToken: true });
  fail({ on: /^GET .*\/user$/, answer: { status: 403 } });
  expect(await withHost(options, (host) => host.getAuthor())).toMatchObject({ id: -2 });
});

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
