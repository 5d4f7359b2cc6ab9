/** When an account may be changed, as Argo CD's sync windows say it. */
import { describe, expect, test } from "vitest";
import { passagesOf } from "../../scripts/docs/passages.js";
import { saying, startProject } from "./hosting.js";

const context = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

/** A project whose clock can be set; what is to be applied is a change. */
async function startWith(windows: string) {
  const project = await startProject({ files: { "avatarops.yaml": context("Be kind.") } });
  expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  await project.write("avatarops.yaml", `windows: ${windows}\n${context("Be brief.")}`);
  const at = (time: string, ...argv: string[]) =>
    project.avataropsWith({ now: () => Date.parse(time) }, ...argv);
  /** When changes are allowed, if not now. */
  const opens = async (time: string) => {
    const { notices } = JSON.parse((await at(time, "plan", "--format", "json")).stdout);
    const [closed] = notices.filter(({ code }: { code: string }) => code === "window-closed");
    return closed && (/allowed from (\S+ \S+) UTC/.exec(closed.message)?.[1] ?? closed.message);
  };
  return { ...project, at, opens };
}

test("an apply outside of the windows is refused with when the next one opens; --ignore-windows applies", async () => {
  const project = await startWith(
    "[{ kind: allow, schedule: 0 8 * * 1-5, duration: 8h, timezone: Europe/Berlin }]",
  );
  // A Friday evening.
  const friday = "2026-11-20T19:00:00Z";
  const plan = await project.at(friday, "plan");
  expect(plan).toMatchObject({ exit: 0, stdout: saying("Apply and sync change nothing before that.") });
  const apply = await project.at(friday, "apply", "-y", "--format", "json");
  expect([apply.exit, JSON.parse(apply.stdout)]).toMatchObject([
    2,
    {
      code: "window-closed",
      message:
        "No allow window is active: this project is only changed within its `windows`. Changes are allowed from 2026-11-23 07:00 UTC (2026-11-23 08:00 in Europe/Berlin). To apply in spite of it: --ignore-windows.",
    },
  ]);
  expect(await project.at(friday, "rollback", "--to", "1", "-y")).toMatchObject({
    exit: 0,
    stdout: saying("Nothing to do"),
  });
  expect(await project.at("2026-11-23T07:00:00Z", "apply", "-y")).toMatchObject({ exit: 0 });
  await project.write("avatarops.yaml", (await project.read("avatarops.yaml")).replace("brief", "frank"));
  expect(await project.at(friday, "rollback", "--to", "1", "-y")).toMatchObject({ exit: 2 });
  expect(await project.at(friday, "rollback", "--to", "1", "-y", "--ignore-windows")).toMatchObject({
    exit: 0,
  });
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be kind." }]);
});

test("a window that closes while an apply waits for sessions stops it", async () => {
  const project = await startWith("[{ kind: deny, schedule: 0 12 * * *, duration: 1h, description: lunch }]");
  project.emulator.addSession();
  let now = Date.parse("2026-11-23T11:59:00Z");
  const sleep = async (ms: number) => {
    now += ms;
    if (now >= Date.parse("2026-11-23T12:01:00Z")) project.emulator.world.sessions.splice(0);
  };
  const ran = await project.avataropsWith({ now: () => now, sleep }, "apply", "-y", "--wait-for-idle");
  expect(ran).toMatchObject({
    exit: 2,
    stderr: saying('error[window-closed] The deny window "lunch" is active'),
  });
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be kind." }]);
});

describe("windows are combined as in Argo CD", () => {
  const allow = "{ kind: allow, schedule: 0 8 * * *, duration: 4h }";
  const deny = "{ kind: deny, schedule: 0 10 * * *, duration: 1h }";
  test.each([
    ["no windows: always", "[]", "2026-03-02T00:00:00Z", undefined],
    ["an allow window that is active", `[${allow}]`, "2026-03-02T08:00:00Z", undefined],
    ["its end is no part of it", `[${allow}]`, "2026-03-02T12:00:00Z", "2026-03-03 08:00"],
    ["a deny window wins", `[${allow}, ${deny}]`, "2026-03-02T10:30:00Z", "2026-03-02 11:00"],
    ["only deny windows: else always", `[${deny}]`, "2026-03-02T12:00:00Z", undefined],
    [
      "openings that overlap stay closed until the last one ends",
      "[{ kind: deny, schedule: 0 8-10 * * *, duration: 90m }]",
      "2026-03-02T08:10:00Z",
      "2026-03-02 11:30",
    ],
    [
      "never",
      "[{ kind: allow, schedule: 0 0 30 2 *, duration: 1h }]",
      "2026-03-02T08:10:00Z",
      expect.stringContaining("None opens in the time to come"),
    ],
  ])("%s", async (_, windows, time, opens) => {
    expect(await (await startWith(windows)).opens(time)).toEqual(opens);
  });

  test("manual_sync frees apply and rollback, if all windows that are in the way have it", async () => {
    const free = "{ kind: deny, schedule: 0 10 * * *, duration: 1h, manual_sync: true }";
    const project = await startWith(`[${free}]`);
    expect((await project.at("2026-03-02T10:30:00Z", "plan")).stdout).toEqual(
      saying("Sync changes nothing before that."),
    );
    expect(await project.at("2026-03-02T10:30:00Z", "apply", "-y")).toMatchObject({ exit: 0 });
    const both = await startWith(`[${free}, ${deny}]`);
    expect(await both.at("2026-03-02T10:30:00Z", "apply", "-y")).toMatchObject({ exit: 2 });
  });
});

describe("when the clocks change", () => {
  const night = (at: string) => `[{ kind: deny, schedule: ${at}, duration: 4h, timezone: Europe/Berlin }]`;
  test.each([
    // 22:00 in Berlin is 21:00 UTC in winter and 20:00 in summer; a window is as long as it says.
    ["to summer time, during a window", night("0 22 * * *"), "2026-03-28T21:00:00Z", "2026-03-29 01:00"],
    ["the day after", night("0 22 * * *"), "2026-03-29T20:00:00Z", "2026-03-30 00:00"],
    // 02:30 does not exist: 01:30 UTC is 03:30.
    [
      "a time that is skipped is an hour later",
      night("30 2 * * *"),
      "2026-03-29T01:30:00Z",
      "2026-03-29 05:30",
    ],
    ["and not before", night("30 2 * * *"), "2026-03-29T01:29:00Z", undefined],
    // 02:30 is at 00:30 UTC, and again at 01:30 UTC.
    ["a time that comes twice counts once", night("30 2 * * *"), "2026-10-25T00:30:00Z", "2026-10-25 04:30"],
    ["and is over", night("30 2 * * *"), "2026-10-25T04:30:00Z", undefined],
  ])("%s", async (_, windows, time, opens) => {
    expect(await (await startWith(windows)).opens(time)).toEqual(opens);
  });
});

test.each([
  ["kind: maybe, schedule: 0 8 * * *, duration: 1h", 'windows[0].kind does not allow "maybe"'],
  [
    "kind: deny, schedule: 0 8 * *, duration: 1h",
    "windows[0].schedule must be a schedule of cron with five parts",
  ],
  [
    "kind: deny, schedule: 0 8 * * *, duration: 1d",
    "windows[0].duration must be a duration such as 30m or 8h",
  ],
  ["kind: deny, schedule: 0 8 * * *", 'windows[0] has no "duration", which is required'],
  [
    "kind: deny, schedule: 0 8 * * *, duration: 1h, timezone: Berlin",
    "windows[0].timezone must be the name of a time zone, such as Europe/Berlin",
  ],
])("a window that is wrong is refused with its place: %s", async (window, message) => {
  const project = await startProject({
    files: { "avatarops.yaml": `windows: [{ ${window} }]\n${context("Be kind.")}` },
  });
  expect(await project.avatarops("validate")).toMatchObject({ exit: 1, stdout: saying(message) });
});

test("the windows of the documentation are right", async () => {
  const [yaml = ""] = passagesOf("docs/holds.md", "yaml");
  const project = await startProject({ files: { "avatarops.yaml": `${yaml}\n${context("Be kind.")}` } });
  const on = (time: string) => project.avataropsWith({ now: () => Date.parse(time) }, "apply", "-y");
  expect(await on("2026-12-21T08:00:00Z")).toMatchObject({
    exit: 2,
    stderr: saying('"end of the year" is active'),
  });
  expect(await on("2026-12-01T08:00:00Z")).toMatchObject({ exit: 0 });
});

test("an environment has windows of its own, and TypeScript has the same", async () => {
  const closed = "windows: [{ kind: deny, schedule: '* * * * *', duration: 1h }]";
  const project = await startProject({
    files: {
      "avatarops.yaml": `${closed}\nenvironments: { staging: { windows: [] } }\n${context("Be kind.")}`,
      "main.ts": `import { Context, Project } from "avatarops";
const project = new Project({ windows: [{ kind: "deny", schedule: "* * * * *", duration: "1h", manualSync: false }] });
new Context(project, "desk", { name: "Desk", prompt: "Be kind." });
export default project;
`,
    },
  });
  expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 2 });
  expect(await project.avatarops("apply", "-y", "-f", "main.ts")).toMatchObject({
    exit: 2,
    stderr: saying("error[window-closed]"),
  });
  expect(await project.avatarops("apply", "-y", "--env", "staging")).toMatchObject({ exit: 0 });
});
