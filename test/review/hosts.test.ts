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
const collect = async <Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> => {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
};
const kept = { marker, settleMs: 0 };

test("counts a GitLab approval without a timestamp only if pushes reset approvals", async () => {
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
  const useHost = async <Result>(use: (host: CodeHost) => Promise<Result>): Promise<Result> => {
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

  test("lists each person's last verdict, and whether it covers the head commit", async () => {
    const { world } = await start();
    const [ada, ben, cy, dee, app] = ["ada", "ben", "cy", "dee", "app"].map((login, at) => ({
      id: 60 + at,
      login,
    }));
    if (!ada || !ben || !cy || !dee || !app) throw new Error("a person is missing");
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
    // GitLab lists only valid approvals.
    if (name !== "gitlab")
      world.reviews.push(
        { by: cy, commit: head },
        { by: cy, commit: head, state: "changes" },
        { by: guest, commit: head, state: "dismissed" },
      );
    if (name.startsWith("github")) world.reviews.push({ by: app, commit: head, isOfApp: true });
    const approvals = await useHost(async (host) => host.listApprovals(await host.getPullRequest(7)));
    expect(approvals).toMatchObject([
      { by: ada, coversHead: true, mayWrite: true },
      { by: ben, coversHead: false, mayWrite: true },
      { by: dee, coversHead: true, mayWrite: false },
    ]);
    expect(await useHost(async (host) => (await host.getPullRequest(7)).author)).toEqual(guest);
    world.committers[head] = ada;
    Object.assign(world.pulls[0] ?? {}, { earlier: ["2".repeat(40)] });
    const listCommitters = () => useHost(async (host) => host.listCommitters(await host.getPullRequest(7)));
    expect(await listCommitters()).toEqual(name === "gitlab" ? [] : [ada, ada]);
    world.committers["2".repeat(40)] = ben;
    expect(await listCommitters()).toEqual(name === "gitlab" ? [] : [ben, ben, ada, ada]);
  });

  test("lists all pushers of a pull request, or returns undefined if any is unknown", async () => {
    const { world } = await start();
    const [ada, ben] = [
      { id: 60, login: "ada" },
      { id: 61, login: "ben" },
    ];
    const at = "2026-01-01T00:00:00.000Z";
    const listPushers = () =>
      useHost(async (host) => (await host.listPushers(await host.getPullRequest(7)))?.map(({ id }) => id));
    const push = { commit: "2".repeat(40), at, by: ben };
    world.pushes = [{ commit: world.pulls[0]?.commit ?? "", at, by: ada }, push];
    const opener = name === "gitea" ? [guest.id] : [];
    expect((await listPushers())?.toSorted()).toEqual([...opener, ada.id, ben.id].toSorted());
    world.pushes = [push];
    expect(await listPushers()).toBe(undefined);
  });

  test("distinguishes write access from read access and no access", async () => {
    const { world } = await start();
    const mayWrite = (person: typeof guest) => useHost((host) => host.mayWrite(person));
    const ada = { id: 8, login: "ada" };
    world.writers.push(ada);
    expect([await mayWrite(ada), await mayWrite(guest)]).toEqual([true, false]);
    // Adds a member with the role Reporter.
    if (name === "gitlab") world.writers.push(guest);
    expect(await mayWrite(guest)).toBe(false);
  });

  test("creates a comment once, updates it in place, and sends no update if its text is unchanged", async () => {
    const { world, requests } = await start();
    for (let n = 0; n < 120; n += 1) write(world, guest, `chatter ${n}`);
    await useHost((host) => upsertComment(host, 7, { ...kept, body: "first" }));
    await useHost((host) => upsertComment(host, 7, { ...kept, body: "second ✓ 👩‍🚀" }));
    const before = requests.length;
    const same = await useHost((host) => upsertComment(host, 7, { ...kept, body: "second ✓ 👩‍🚀" }));
    const own = world.comments.filter(({ by }) => by.id === me.id);
    expect(own).toMatchObject([
      { pull: 7, body: expect.stringMatching(/^<!-- avatarops:review .*-->\nsecond ✓ 👩‍🚀$/) },
    ]);
    expect(same).toMatchObject({ id: own[0]?.id, author: me });
    expect(requests.slice(before).filter((one) => !one.startsWith("GET"))).toEqual([]);
  });

  test("does not change another account's comment, even if it contains our marker", async () => {
    const { world } = await start();
    await useHost((host) => upsertComment(host, 7, { ...kept, body: "ours" }));
    const [ours] = world.comments;
    const copy = write(world, guest, ours?.body ?? "");
    const quote = write(world, me, `> ${ours?.body}`);
    await useHost((host) => upsertComment(host, 7, { ...kept, body: "newer" }));
    expect(world.comments.map(({ id, body }) => [id, body.split("\n")[1]])).toEqual([
      [ours?.id, "newer"],
      [copy.id, "ours"],
      [quote.id, "ours"],
    ]);
  });

  test("posts a comment exactly once after a lost request or response", async () => {
    const { world, fail } = await start();
    fail({ on: /^POST .*(comments|notes)/, after: true });
    await useHost((host) => upsertComment(host, 7, { ...kept, body: "once" }));
    expect(world.comments).toHaveLength(1);
    fail({ on: /^POST .*(comments|notes)/, after: true, answer: { status: 502, body: "<html>" } });
    const other = { ...marker, about: { environment: "staging" } };
    await useHost((host) => upsertComment(host, 7, { marker: other, settleMs: 0, body: "once" }));
    expect(world.comments).toHaveLength(2);
    fail({ on: /^POST .*(comments|notes)/ });
    const third = { ...marker, about: { environment: "test" } };
    await useHost((host) => upsertComment(host, 7, { marker: third, settleMs: 0, body: "once" }));
    expect(world.comments).toHaveLength(3);
  });

  test("keeps a single comment after two simultaneous runs", async () => {
    const { world } = await start();
    let posted = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const delayCreates = (host: CodeHost): CodeHost => ({
      ...host,
      async createComment(pull, body) {
        posted += 1;
        if (posted === 2) release();
        await both;
        return host.createComment(pull, body);
      },
    });
    const run = (body: string) => useHost((host) => upsertComment(delayCreates(host), 7, { ...kept, body }));
    await Promise.all([run("one"), run("two")]);
    await run("three");
    expect(world.comments.map(({ body }) => body.split("\n")[1])).toEqual(["three"]);
  });

  test("creates one pull request per branch, and updates it in place", async () => {
    const { world, fail } = await start();
    const made = { ...kept, title: "Drift", body: "first", headBranch: "drift", baseBranch: "main" };
    fail({ on: /^POST .*(pulls|merge_requests)/, after: true });
    const first = await useHost((host) => upsertPullRequest(host, made));
    const second = await useHost((host) => upsertPullRequest(host, { ...made, body: "second" }));
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

  test("keeps a pull request's description if another account opened the pull request", async () => {
    const { world } = await start();
    const given = { ...kept, title: "Drift", body: "ours", headBranch: "change", baseBranch: "main" };
    expect(await useHost((host) => upsertPullRequest(host, given))).toMatchObject({
      number: 7,
      title: "Change the prompt",
    });
    expect(world.pulls).toMatchObject([{ title: "Change the prompt", body: "" }]);
  });

  test("lists only our own statuses, newest first", async () => {
    const { world } = await start();
    const commit = "a".repeat(40);
    const setStatus = (description: string) =>
      useHost((host) =>
        host.createStatus(commit, { context: "avatarops/production", description, state: "success" }),
      );
    await setStatus("first");
    await setStatus("second");
    world.statuses.push({ ...world.statuses[0], description: "forged", by: guest } as StoredStatus);
    for (let n = 0; n < 120; n += 1)
      world.statuses.push({ commit, context: `ci/${n}`, state: "success", description: "", url: "" });
    const found = await useHost((host) => collect(host.listOwnStatuses(commit)));
    expect(found.filter(({ context }) => context === "avatarops/production")).toEqual([
      { context: "avatarops/production", description: "second", atMs: expect.any(Number) },
      { context: "avatarops/production", description: "first", atMs: expect.any(Number) },
    ]);
    expect(found).toHaveLength(122);
    expect(await useHost((host) => collect(host.listOwnStatuses("b".repeat(40))))).toEqual([]);
  });

  test("finds the pull request that merged a commit", async () => {
    const { world } = await start();
    const merged = "e".repeat(40);
    // Someone pushed to the branch after the merge.
    Object.assign(world.pulls[0] as StoredPull, { open: false, merged, branchTip: "4".repeat(40) });
    expect(await useHost((host) => host.getPullRequest(7))).toMatchObject({ headCommit: "1".repeat(40) });
    expect(await useHost((host) => host.listPullRequestsForCommit(merged))).toMatchObject([
      { number: 7, headCommit: "1".repeat(40), isOpen: false },
    ]);
    expect(await useHost((host) => host.listPullRequestsForCommit("f".repeat(40)))).toEqual([]);
  });

  test("finds a closed pull request by its branch after the branch was deleted", async () => {
    const { world } = await start();
    Object.assign(world.pulls[0] as StoredPull, { open: false, isBranchDeleted: true });
    const listNumbers = (branch: string) =>
      useHost(async (host) => (await host.listClosedPullRequests(branch)).map(({ number }) => number));
    expect([await listNumbers("change"), await listNumbers("other")]).toEqual([[7], []]);
  });

  test("returns a pull request's head, and whether the head comes from a fork", async () => {
    const { world } = await start();
    world.pulls.push({ ...world.pulls[0], number: 8, fromFork: true } as (typeof world.pulls)[number]);
    expect(await useHost((host) => host.getPullRequest(7))).toMatchObject({
      ...{ number: 7, headCommit: "1".repeat(40), headBranch: "change", isOpen: true, isFromFork: false },
    });
    expect(await useHost((host) => host.getPullRequest(8))).toMatchObject({ isFromFork: true });
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
    [{ status: 429, headers: { "retry-after": "600" } }, "host-unreachable", /Retry in 600 s/],
    [{ status: 200, body: "<!doctype html>" }, "host-unreachable", /not JSON/],
    [{ status: 200, body: '{"hello":1}' }, "host-unreachable", /does not match the documented API/],
  ] as const)("explains the response %o and suggests a fix", async (answer, code, message) => {
    const { fail } = await start();
    fail({ on: /./, times: 9, answer });
    const failed = useHost((host) => host.getPullRequest(7));
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^Cannot read (pull|merge) request 7 /),
    });
    const error = await failed.catch((error: unknown) => error);
    expect(inspect(error, { depth: 9 })).not.toContain("secret-token");
    expect(error).toBeInstanceOf(HostError);
  });

  test("retries reads a few times after a lost response, a 502 or a rate limit", async () => {
    const { fail, requests } = await start();
    fail({ on: /./ });
    fail({ on: /./, answer: { status: 502, body: "<html>" } });
    fail({ on: /./, answer: { status: 403, headers: { "retry-after": "0" } } });
    expect(await useHost((host) => host.getPullRequest(7))).toMatchObject({ number: 7 });
    expect(requests).toHaveLength(4);
    fail({ on: /./, times: 9, answer: { status: 503 } });
    await expect(useHost((host) => host.getPullRequest(7))).rejects.toMatchObject({
      code: "host-unreachable",
    });
    expect(requests).toHaveLength(8);
  });

  test("retries a create only if the host did not process it", async () => {
    const { fail, requests, world } = await start();
    fail({ on: /^POST/, answer: { status: 429, headers: { "retry-after": "0" } } });
    await useHost((host) => host.createComment(7, "one"));
    expect([requests.length, world.comments.length]).toEqual([2, 1]);
    fail({ on: /^POST/, answer: { status: 502, body: "" } });
    await expect(useHost((host) => host.createComment(7, "two"))).rejects.toMatchObject({
      outcome: "unknown",
    });
    expect(requests).toHaveLength(3);
  });

  test("names the URL of a slow or unresponsive host", async () => {
    const { fail } = await start({ timeoutMs: 50 });
    fail({ on: /./, times: 9, hangs: true });
    await expect(useHost((host) => host.getAuthor())).rejects.toMatchObject({ code: "host-unreachable" });
    await expect(
      withHost({ ...standIn.options, webUrl: "http://127.0.0.1:1", apiUrl: "http://127.0.0.1:1" }, (host) =>
        host.getAuthor(),
      ),
    ).rejects.toThrow(/no complete response from 127\.0\.0\.1:1 \(127\.0\.0\.1:1 refused the connection\)/);
  });

  test("stops reading and waiting when cancelled", async () => {
    const stop = new AbortController();
    const { fail } = await start({ signal: stop.signal });
    fail({ on: /./, answer: { status: 429, headers: { "retry-after": "30" } } });
    const running = useHost((host) => host.getPullRequest(7));
    standIn.before = () => setTimeout(() => stop.abort(), 10);
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
  });
});

test("identifies the author of a GitHub job token even if the token may not read its own user", async () => {
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

test("lists Gitea statuses without a creator as our own only with a job token", async () => {
  const commit = "a".repeat(40);
  const status = { context: "avatarops/production", state: "success" } as const;
  for (const isJobToken of [true, false]) {
    const { options, world, problems } = await startStandIn("gitea", { isJobToken });
    await withHost(options, async (host) => {
      for (const description of ["first", "second"])
        await host.createStatus(commit, { ...status, description });
      world.statuses.push({ ...world.statuses[0], description: "a person's", by: guest } as StoredStatus);
      world.statuses.push({ ...world.statuses[0], description: "a job's", by: null } as StoredStatus);
      const found = (await collect(host.listOwnStatuses(commit))).map(({ description }) => description);
      expect(found).toEqual([...(isJobToken ? ["a job's"] : []), "second", "first"]);
    });
    expect(problems).toEqual([]);
  }
});

test("returns Gitea's fixed job account as the author for a job token", async () => {
  const { options, fail } = await startStandIn("gitea", { isJobToken: true });
  fail({ on: /^GET .*\/user$/, answer: { status: 403 } });
  expect(await withHost(options, (host) => host.getAuthor())).toMatchObject({ id: -2 });
});

test("uses Gitea's list of assignable users to check write access with a job token, and fails if a team has only read access", async () => {
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
