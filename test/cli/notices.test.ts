/** Checks notices to webhooks about applies, rollbacks, drift and budgets, including undelivered notices. */
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { noticeEvents } from "../../src/core/manifest/index.js";
import { createSampleDataset } from "../../src/emulator/sample-dataset.js";
import { expectDocumented } from "../documents/documented.js";
import { git } from "../git/repositories.js";
import { startProxy } from "../http/proxy.js";
import { matchText, type Project, type ProjectSetup, startProject } from "./hosting.js";
import { createResponder, type Receiver, startReceiver } from "./receiver.js";
import { always, minting, world, yaml } from "./smoke-project.js";

const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const all = "notify:\n  - url: !env HOOK\n    secret: !env HOOK_KEY\n";

async function startWithHook(
  manifest: string,
  given: ProjectSetup = {},
): Promise<{ project: Project; hook: Receiver }> {
  const hook = await startReceiver();
  const project = await startProject({
    ...given,
    files: { "avatarops.yaml": manifest, ...given.files },
    environment: { HOOK: hook.url, HOOK_KEY: whsec, ...given.environment },
  });
  return { project, hook };
}

/** Creates headers that ask for a retry at a time of a day, when the receiver's clock shows midnight. */
const toDates = (time: string) => ({
  date: "Wed, 01 Jan 2031 00:00:00 GMT",
  "retry-after": `Wed, 01 Jan 2031 ${time} GMT`,
});

describe("apply notices", () => {
  test("report a failed smoke check after the applied changes", async () => {
    const { project, hook } = await startWithHook(all + yaml, { world: structuredClone(world) });
    project.emulator.addFault({ match: minting, do: { kind: "status", status: 500 }, times: always });
    const ran = await project.avataropsWith({ pause: async () => {} }, "apply", "-y", "--smoke");
    expect(ran).toMatchObject({ exit: 1, stdout: matchText("Smoke check: 3 failed.") });
    expect(hook.take()).toMatchObject([
      { type: "applied" },
      {
        type: "failed",
        data: {
          title: expect.stringMatching(/^3 of 3 presets failed the smoke check/),
          state_serial: 1,
          problems: [
            { message: expect.stringMatching(/^sessions\.kiosk: .*HTTP 500/) },
            { message: expect.stringMatching(/^sessions\.lobby: /) },
            { message: expect.stringMatching(/^sessions\.phone: /) },
          ],
        },
      },
    ]);
  });

  test("are signed as Standard Webhooks requires, and are not sent if nothing changed", async () => {
    const { project, hook } = await startWithHook(all + desk, {
      environment: { GITHUB_ACTIONS: "true", GITHUB_ACTOR: "anna", GITHUB_RUN_ID: "7" },
    });
    const ci = { environment: { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "t/a" } };
    expect(await project.avataropsWith(ci, "apply", "-y")).toMatchObject({
      exit: 0,
      stderr: expect.not.stringContaining("notice"),
    });
    const [one, ...others] = hook.received;
    expect(others).toEqual([]);
    expect(one?.headers).toMatchObject({ "content-type": "application/json" });
    const verified = new Webhook(whsec).verify(one?.body ?? "", one?.headers as Record<string, string>);
    await expectDocumented(JSON.stringify(verified, null, 2));
    expect(verified).toMatchObject({
      format: "avatarops/notice",
      version: 1,
      type: "applied",
      data: {
        title: expect.stringMatching(/^1 change applied \(avatarops-cli-/),
        ...{ command: "apply", user: "anna", run: "https://github.com/t/a/actions/runs/7", state_serial: 1 },
        objects: [{ address: "context.desk", what: "created" }],
      },
    });
    expect(() =>
      new Webhook(whsec).verify(`${one?.body} `, one?.headers as Record<string, string>),
    ).toThrow();
    hook.take();
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    await project.avatarops("plan");
    await project.avatarops("validate");
    expect(hook.take()).toEqual([]);
  });

  test("report failures and rejections without changing the exit code", async () => {
    const { project, hook } = await startWithHook(
      `${all}thresholds: { max_percent: 10, min_objects: 1 }\n${desk}`,
    );
    project.emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422 } });
    const failed = await project.avatarops("apply", "-y");
    expect(failed.exit).toBe(1);
    expect(hook.take()).toMatchObject([
      {
        type: "failed",
        data: { objects: [{ address: "context.desk", what: "failed", problem: expect.any(String) }] },
      },
    ]);
    await project.avatarops("apply", "-y");
    hook.take();
    await project.write("avatarops.yaml", (await project.read("avatarops.yaml")).replace("kind", "brief"));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 7 });
    expect(hook.take()).toMatchObject([
      { type: "refused", data: { problems: [{ code: "threshold" }], objects: [] } },
    ]);
    await project.avataropsWith({ environment: { AVATAROPS_API_KEY: "wrong" } }, "apply", "-y");
    expect(hook.take()).toMatchObject([{ type: "failed", data: { problems: [{ code: "unauthorized" }] } }]);
    // Command-line errors and declined confirmations cause no notice.
    await project.avatarops("apply", "-y", "--timeout", "1m");
    await project.avataropsWith({ typed: "no\n" }, "apply", "--allow", "threshold");
    expect(hook.take()).toEqual([]);
  });

  test("are sent only for the events that each environment requests", async () => {
    const { project, hook } = await startWithHook(
      `notify:
  - { url: !env HOOK, events: [failed] }
environments:
  production: { notify: [{ url: !env HOOK, format: slack, events: [applied, failed] }] }
${desk}`,
    );
    await project.avatarops("apply", "-y");
    expect(hook.received).toEqual([]);
    await project.write("avatarops.yaml", (await project.read("avatarops.yaml")).replace("kind", "brief"));
    await project.expectDone("state", "replace-project", "-y", "--env", "production");
    await project.avatarops("apply", "-y", "--env", "production");
    expect(hook.received).toHaveLength(1);
    expect(JSON.parse(hook.received[0]?.body ?? "")).toMatchObject({
      text: expect.stringMatching(/^1 change applied \(avatarops-cli-\w+, production\)$/),
    });
    // The notice is unsigned, because no key is set.
    expect(hook.received[0]?.headers["webhook-signature"]).toBeUndefined();
  });
});

test.each([
  ["the repository", "", "team/avatars"],
  ["the repository and the folder", "support/", "team/avatars/support"],
])("names %s in notices, regardless of the checkout folder's name", async (_, folder, named) => {
  const manifest = `${folder}avatarops.yaml`;
  const { project, hook } = await startWithHook("contexts: {}\n", { files: { [manifest]: all + desk } });
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", "https://ci:token@git.example.com/team/avatars.git");
  await project.avatarops("apply", "-y", "--file", manifest);
  expect(hook.take()).toMatchObject([{ data: { title: `1 change applied (${named})`, project: named } }]);
});

describe("notices from other commands", () => {
  test("report edits and rotations found by drift, and changes made by rollback", async () => {
    const secret =
      "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n";
    const { project, hook } = await startWithHook(all + desk + secret, { environment: { KEY: "one" } });
    await project.avatarops("apply", "-y");
    await project.write("avatarops.yaml", (all + desk + secret).replace("kind", "brief"));
    await project.avatarops("apply", "-y");
    hook.take();
    expect(await project.avatarops("drift")).toMatchObject({ exit: 0 });
    expect(hook.take()).toEqual([]);
    project.emulator.editContext("Desk", { prompt: "Be quick." });
    await project.avataropsWith({ environment: { KEY: "two" } }, "drift");
    expect(hook.take()).toMatchObject([
      { type: "drifted", data: { objects: [{ address: "context.desk", what: "changed" }] } },
      { type: "rotation_pending", data: { objects: [{ address: "secret.llm", what: "rotated" }] } },
    ]);
    // A skipped edit is not a failure.
    expect((await project.avatarops("apply", "-y")).exit).toBe(0);
    expect(hook.take()).toMatchObject([{ type: "drifted" }]);
    // A conflict means that a file change was not applied.
    await project.write("avatarops.yaml", (all + desk + secret).replace("kind", "exact"));
    expect((await project.avatarops("apply", "-y")).exit).toBe(3);
    expect(hook.take()).toMatchObject([
      { type: "failed", data: { objects: [{ address: "context.desk", what: "drifted" }] } },
    ]);
    await project.avatarops("rollback", "--to", "1", "-y", "--overwrite-drift");
    expect(hook.take()).toMatchObject([{ type: "applied", data: { command: "rollback" } }]);
  });

  test("report a budget exceeded in `sessions report`", async () => {
    const { project, hook } = await startWithHook(all + desk, { world: createSampleDataset(Date.now()) });
    const report = ["sessions", "report", "--since", "2020-01-01", "--budget"];
    expect(await project.avatarops(...report, "99999999")).toMatchObject({ exit: 0 });
    expect(hook.take()).toEqual([]);
    expect(await project.avatarops(...report, "0")).toMatchObject({ exit: 7 });
    expect(hook.take()).toMatchObject([
      { type: "budget_exceeded", data: { title: expect.stringContaining("of 0 credits consumed") } },
    ]);
  });
});

describe("undelivered notice", () => {
  test("is retried twice with the same id and a new signature each time", async () => {
    const { project, hook } = await startWithHook(all + desk);
    hook.answers.push(createResponder(503), createResponder(429, { "retry-after": "0" }));
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 0,
      stderr: expect.not.stringContaining("notice"),
    });
    expect(hook.received).toHaveLength(3);
    expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const { body, headers } of hook.received)
      new Webhook(whsec).verify(body, headers as Record<string, string>);
  });

  test.each([
    ["503", [createResponder(503), createResponder(503), createResponder(503)], 3],
    ["404", [createResponder(404)], 1],
    ["rejects further notices (410)", [createResponder(410)], 1],
    ["responded with 429", [createResponder(429, { "retry-after": "3600" })], 1],
    [
      "responded with 503",
      [createResponder(503, toDates("00:00:00")), createResponder(503, toDates("00:01:00"))],
      2,
    ],
  ])("causes a warning with the reason: %s", async (reason, answers, attempts) => {
    const { project, hook } = await startWithHook(all + desk);
    hook.answers.push(...answers);
    const { exit, stderr } = await project.avatarops("apply", "-y");
    expect(exit).toBe(0);
    expect(stderr).toEqual(
      matchText('The notice "applied" was not delivered to notify[0], environment variable HOOK:'),
    );
    expect(stderr.replace(/\s+/g, " ")).toContain(reason);
    expect(stderr).not.toContain("T0KEN");
    expect(hook.received).toHaveLength(attempts);
  });

  test("delays apply only briefly if the server is slow or unreachable", async () => {
    const { project, hook } = await startWithHook(all + desk);
    for (let n = 0; n < 3; n++) hook.answers.push(() => {});
    const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 1_000, noticeMs: 100 };
    const slow = await project.avataropsWith({ waits }, "apply", "-y");
    // Each attempt times out. On a busy machine, the total limit may be reached first.
    const late = /(no\s+complete\s+response\s+within\s+0\.1|did\s+not\s+respond\s+within\s+0\.4)\s+s/;
    expect(slow).toMatchObject({ exit: 0, stderr: expect.stringMatching(late) });
    // Pauses and slow secret sources count toward the limit.
    hook.take();
    const busy = createResponder(503, { "retry-after": "0.8" });
    hook.answers.splice(0, Number.POSITIVE_INFINITY, busy, busy, busy);
    await project.write("avatarops.yaml", (all + desk).replace("kind", "quick"));
    const paused = await project.avataropsWith({ waits: { ...waits, noticeMs: 250 } }, "apply", "-y");
    expect(paused).toMatchObject({ exit: 0, stderr: matchText("did not respond within 1 s") });
    expect(hook.received.length).toBeLessThan(3);
    await project.write("avatarops.yaml", (all + desk).replace("!env HOOK", "!exec [sleep, '600']"));
    const mute = await project.avataropsWith({ waits }, "apply", "-y");
    expect(mute).toMatchObject({
      exit: 0,
      stderr: matchText("was not delivered to notify[0], command sleep"),
    });
    await project.write("avatarops.yaml", (all + desk).replace("kind", "brief"));
    const closed = { environment: { HOOK: "http://127.0.0.1:1/hook/T0KEN" } };
    const none = await project.avataropsWith(closed, "apply", "-y");
    expect(none).toMatchObject({ exit: 0, stderr: matchText("127.0.0.1:1 cannot be reached") });
    expect(none.stderr).not.toContain("T0KEN");
  });

  test.each([
    ["is not set", { HOOK: undefined }],
    ["is not an HTTP URL", { HOOK: "hooks.example.com/T0KEN" }],
    ["contains a user name or password", { HOOK: "https://a:T0KEN@hooks.example.com/" }],
    ["is not whsec_ followed by 24 to 64 base64-encoded bytes", { HOOK_KEY: "T0KEN" }],
  ])("causes a warning if a notice setting %s", async (problem, environment) => {
    const { project, hook } = await startWithHook(all + desk);
    const { exit, stderr } = await project.avataropsWith({ environment }, "apply", "-y");
    expect([exit, stderr]).toEqual([0, matchText(problem)]);
    expect(stderr).not.toContain("T0KEN");
    expect(hook.received).toEqual([]);
  });
});

test("sends notices through the proxy set in the environment", async () => {
  const { project, hook } = await startWithHook(all + desk);
  await using proxy = await startProxy();
  const url = hook.url.replace("127.0.0.1", "hooks.test");
  await project.avataropsWith({ environment: { HTTP_PROXY: proxy.url, HOOK: url } }, "apply", "-y");
  expect([proxy.received, hook.received.length]).toEqual([[`POST ${url}`], 1]);
});

test("lists every notice event in docs/notices.md", async () => {
  const page = readFileSync("docs/notices.md", "utf8");
  const named = Array.from(page.matchAll(/^\| `(\w+)` \| `[^|]+ \| /gm), ([, name]) => name);
  expect(named).toEqual(Object.keys(noticeEvents));
});
