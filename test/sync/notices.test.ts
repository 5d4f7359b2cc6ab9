// @module-tag ci
/** Checks that sync sends notices about its applies, and reports other events only once. */
import { describe, expect, test } from "vitest";
import { newFolder, runIn } from "../cli/hosting.js";
import { createResponder, type Receiver, startReceiver } from "../cli/receiver.js";
import { git as gitIn } from "../git/repositories.js";
import { followFor, readOutcomes, startTeam, type Team } from "./team.js";

const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const manifest = `notify: [{ url: !env HOOK }]\n${desk}`;

async function startWithHook(
  settings = manifest,
): Promise<{ team: Team; hook: Receiver; types(): string[] }> {
  const hook = await startReceiver();
  const team = await startTeam(settings, { environment: { HOOK: hook.url } });
  return { team, hook, types: () => hook.take().map(({ type }) => type) };
}

test("sends a notice for each apply by sync, but only one for unchanged drift", async () => {
  const { team, hook, types } = await startWithHook();
  const notices: string[][] = [];
  let first: unknown;
  const edit = (prompt: string) => team.emulator.editContext("Desk", { prompt });
  await followFor(team, 9, (cycle) => {
    first ??= hook.received[0] && JSON.parse(hook.received[0].body);
    notices.push(types());
    if (cycle === 2 || cycle === 6) edit("Be quick.");
    if (cycle === 4) edit("Be kind.");
  });
  // Drift that returns after a few minutes is not reported again.
  expect(notices).toEqual([["applied"], [], ["drifted"], [], [], [], [], [], []]);
  expect(first).toMatchObject({
    data: {
      ...{ command: "sync", commit: expect.stringMatching(/^[\da-f]{40}$/), project: "repository" },
      objects: [{ address: "context.desk", what: "created" }],
    },
  });
});

test("sends one notice for each newly edited object and for each rejected commit", async () => {
  const { team, hook, types } = await startWithHook(
    `${manifest}  night: { name: Night, prompt: Be quiet. }\nthresholds: { max_percent: 10, min_objects: 1 }\n`,
  );
  const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
  const change = (prompt: string) =>
    team.commit({
      "avatarops.yaml": `${state}${manifest.replace("kind", prompt)}thresholds: { max_percent: 10, min_objects: 1 }\n`,
    });
  const notices: unknown[] = [];
  await followFor(team, 7, async (cycle) => {
    notices.push(cycle === 5 ? hook.take().map(({ data }) => data.problems) : types());
    if (cycle === 1) team.emulator.editContext("Desk", { prompt: "Be quick." });
    if (cycle === 2) team.emulator.editContext("Night", { prompt: "Be loud." });
    if (cycle === 4) await change("brief");
    if (cycle === 6) await change("brisk");
  });
  expect(notices).toEqual([
    ["applied"],
    ["drifted"],
    ["drifted"],
    [],
    [[expect.objectContaining({ code: "threshold" })]],
    [],
    ["refused"],
  ]);
});

test.each([
  ["on a host", () => "https://git.example.com/Team/Avatars.git", "team/avatars/support"],
  ["in a folder", (folder: string) => `file://${folder}`, "repository/support"],
])(
  "uses the same project name in notices from sync and apply for a repository %s",
  async (_, toUrl, named) => {
    const { team, hook } = await startWithHook("contexts: {}\n");
    const url = toUrl(team.repository);
    const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
    await team.commit({ "support/avatarops.yaml": state + manifest });
    const environment = {
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${team.repository}.insteadOf`,
      GIT_CONFIG_VALUE_0: url,
    };
    const follower: Team = {
      ...team,
      follow: (setting, ...argv) => team.follow({ ...setting, environment }, ...argv),
    };
    await followFor(follower, 1, undefined, "--repo", url, "--path", "support");
    const clone = await newFolder();
    gitIn(clone, "clone", "--quiet", team.repository, "checkout");
    gitIn(`${clone}/checkout`, "remote", "set-url", "origin", url);
    const job = { environment: { ...team.environment, HOOK: hook.url } };
    team.emulator.editContext("Desk", { prompt: "Be quick." });
    await runIn(`${clone}/checkout/support`, ["apply", "-y", "--overwrite-drift"], job);
    const title = `1 change applied (${named})`;
    expect(hook.take()).toMatchObject(
      ["sync", "apply"].map((command) => ({ type: "applied", data: { command, project: named, title } })),
    );
  },
);

test("sends one `failed` notice for a conflict and one `drifted` notice for an edit to another object", async () => {
  const more = "  night: { name: Night, prompt: Be quiet. }\n";
  const { team, hook } = await startWithHook(`${manifest}${more}`);
  const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
  const notices: unknown[] = [];
  await followFor(team, 4, async (cycle) => {
    notices.push(...hook.take().map(({ type, data }) => ({ cycle, type, objects: data.objects })));
    if (cycle !== 1) return;
    team.emulator.editContext("Desk", { prompt: "Be quick." });
    team.emulator.editContext("Night", { prompt: "Be loud." });
    await team.commit({ "avatarops.yaml": `${state}${manifest.replace("kind", "brief")}${more}` });
  });
  const named = (...addresses: string[]) => addresses.map((address) => expect.objectContaining({ address }));
  expect(notices).toEqual([
    { cycle: 1, type: "applied", objects: named("context.desk", "context.night") },
    { cycle: 2, type: "failed", objects: named("context.desk") },
    { cycle: 2, type: "drifted", objects: named("context.night") },
  ]);
});

test("sends a standing conflict and a failure that recurs within an hour only once each", async () => {
  const { team, hook } = await startWithHook();
  const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
  const titles: (readonly string[])[] = [];
  await followFor(team, 9, async (cycle) => {
    titles.push(hook.take().map(({ data }) => String(data.title).replace(/ \(.*/, "")));
    if (cycle === 1) {
      team.emulator.editContext("Desk", { prompt: "Be quick." });
      await team.commit({ "avatarops.yaml": state + manifest.replace("kind", "brief") });
    }
    // A failure is reported once its retry has failed too.
    if (cycle === 2 || cycle === 5) await team.setAway(true);
    if (cycle === 4 || cycle === 7) await team.setAway(false);
  });
  const conflict = "files and dashboard both changed an object";
  expect(titles).toEqual([["1 change applied"], [conflict], [], ["sync fails"], [], [], [], [], []]);
});

test("sends a notice about the changes that sync applied before it stopped", async () => {
  const { team, hook } = await startWithHook();
  team.emulator.addFault({
    match: { method: "POST" },
    do: { kind: "run", run: async () => follower.stop() },
  });
  const follower = team.follow({});
  expect(await follower.ended).toMatchObject({ exit: 0 });
  expect(readOutcomes(follower)).toEqual(["stopped"]);
  expect(hook.take()).toMatchObject([
    { type: "applied", data: { objects: [{ address: "context.desk", what: "created" }] } },
  ]);
});

test("sends one notice about invalid files to the receivers of the last good commit", async () => {
  const { team, types } = await startWithHook();
  const notices: string[][] = [];
  await followFor(team, 4, async (cycle) => {
    notices.push(types());
    if (cycle === 1) await team.commit({ "avatarops.yaml": "contexts: [\n" });
  });
  expect(notices).toEqual([["applied"], ["failed"], [], []]);
});

describe("failure notice", () => {
  test("is sent once and followed by a no_run notice, or omitted if a retry succeeds", async () => {
    const { team, types } = await startWithHook();
    const notices: string[][] = [];
    // The delay before the retry of a failed cycle grows up to the interval.
    await followFor(
      team,
      18,
      async (cycle) => {
        notices.push(types());
        if (cycle === 1 || cycle === 3) await team.setAway(true);
        if (cycle === 2) await team.setAway(false);
      },
      "--interval",
      "8h",
    );
    expect(notices.slice(0, 3)).toEqual([["applied"], [], []]);
    expect(notices.flat()).toEqual(["applied", "failed", "no_run"]);
  });

  test("is logged if it cannot be delivered, and sync continues", async () => {
    const { team, hook } = await startWithHook();
    hook.answers.push(createResponder(404));
    const { log, ran, text } = await followFor(team, 2);
    expect(ran.exit).toBe(0);
    expect(log.filter(({ msg }) => msg === "cycle")).toMatchObject([
      { outcome: "applied" },
      { outcome: "unchanged" },
    ]);
    expect(log.filter(({ msg }) => msg === "notice")).toMatchObject([
      {
        level: "warn",
        problem: expect.stringMatching(/^The notice "applied" was not delivered .* responded with 404\.$/),
      },
    ]);
    expect(text()).not.toContain("T0KEN");
  });
});

test.each([
  ["was sent", 0],
  ["got a response", 1],
])(
  "reports a write in the next cycle's notice if the sync cycle failed after the write %s",
  async (_, noted) => {
    const { team, hook, types } = await startWithHook();
    const state = /state: .*\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[0] ?? "";
    const notices: unknown[] = [];
    const sent = () => team.emulator.requests.some(({ method }) => method === "PATCH");
    const { log } = await followFor(team, 4, async (cycle) => {
      notices.push(cycle === 3 ? hook.take().map(({ type, data }) => [type, data.objects]) : types());
      // After the update, the store becomes unavailable, either at once or after it has rejected the commit and accepted
      // the outcome.
      let [isRefused, left] = [noted === 0, noted];
      team.backend.answer = ({ method }) => {
        if (cycle !== 1 || !sent()) return undefined;
        if (method === "POST" && !isRefused) {
          isRefused = true;
          return { status: 403 };
        }
        if (left === 0) return { status: 503 };
        if (method === "POST") left -= 1;
        return undefined;
      };
      if (cycle === 1) await team.commit({ "avatarops.yaml": state + manifest.replace("kind", "brief") });
    });
    const changed = { address: "context.desk", what: "updated" };
    expect(notices).toEqual([["applied"], [], [["applied", [changed]]], []]);
    expect(log.filter(({ outcome }) => outcome === "applied").at(-1)).toMatchObject({
      changes: [{ address: "context.desk", action: "update", status: "applied" }],
    });
  },
);

test("sends one notice about an old lock that sync must not take over", async () => {
  const { team, hook, types } = await startWithHook();
  const lock = { ID: "1", Operation: "apply", Info: "", Who: "ada", Version: "1", Created: "now", Path: "" };
  const notices: string[][] = [];
  let first: unknown;
  await followFor(
    team,
    7,
    async (cycle) => {
      first ??= hook.received.find(({ body }) => body.includes("failed"))?.body;
      notices.push(types());
      const held = team.backend.states.get("/api/v4/projects/1/terraform/state/production");
      if (cycle === 1) Object.assign(held ?? {}, { lock });
      if (cycle === 1) await team.commit({ "contexts.yaml": "" });
    },
    "--take-over-after",
    "3m",
  );
  expect(notices).toEqual([["applied"], [], [], [], ["failed"], [], []]);
  expect(JSON.parse(String(first))).toMatchObject({
    data: { title: expect.stringContaining("lock"), problems: [{ code: "locked" }] },
  });
});

test("sends one notice about a rotation that sync must not apply", async () => {
  const secret =
    "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n";
  const { team, hook } = await startWithHook(
    `${manifest}${secret}thresholds: { max_percent: 10, min_objects: 1 }\n`,
  );
  const withKey = (KEY: string): Team => ({
    ...team,
    follow: (setting, ...argv) => team.follow({ ...setting, environment: { KEY } }, ...argv),
  });
  await followFor(withKey("one"), 1);
  hook.take();
  await followFor(withKey("two"), 3);
  expect(hook.take()).toMatchObject([
    { type: "refused" },
    { type: "rotation_pending", data: { objects: [{ address: "secret.llm" }] } },
  ]);
});

test("sends a notice after a required environment has been behind for five minutes", async () => {
  const { team, hook, types } = await startWithHook(
    `${manifest}environments:\n  staging: { state: git+refs://origin/avatarops/staging }\n  production: { needs: [staging] }\n`,
  );
  team.git("remote", "add", "origin", team.repository);
  const notices: unknown[] = [];
  const { log } = await followFor(
    team,
    5,
    (cycle) => void notices.push(cycle < 4 ? types() : hook.take().map(({ data }) => data.problems)),
    ...["--env", "production", "--unpinned", "--interval", "2m"],
  );
  expect(log.filter(({ msg }) => msg === "cycle")[0]).toMatchObject({
    outcome: "refused",
    problems: [{ code: "needs" }],
  });
  expect(notices).toEqual([[], [], [], [[expect.objectContaining({ code: "needs" })]], []]);
});
