import { describe, expect, test } from "vitest";
import { createEmptyDataset, type Session } from "../../src/emulator/index.js";
import { type CommandResult, expectSuccess, matchText, type Setting, startProject } from "./hosting.js";

const formatDesk = (prompt: string, more = "") =>
  `${more}contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`;
const minutes = 60_000;

/**
 * Starts an applied project with a pending edit and a clock that moves only in pauses. `agesMs` contains the ages of
 * the active sessions, which the emulator ends after ten minutes.
 */
async function startEdited({
  agesMs = [],
  session = {},
  settings = "",
}: {
  agesMs?: number[];
  session?: Partial<Session>;
  settings?: string;
} = {}) {
  const clock = { ms: Date.parse("2026-03-01T09:00:00.001Z"), onSleep: (_slept: number) => {} };
  let slept = 0;
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesk("Be kind.", settings) },
    emulator: { now: () => clock.ms },
  });
  const setting: Setting = {
    now: () => clock.ms,
    async pause(ms) {
      clock.ms += ms;
      clock.onSleep(++slept);
    },
  };
  const run = (...argv: string[]) => project.avataropsWith(setting, ...argv);
  expect(await run("apply", "-y", "--no-wait-for-idle")).toMatchObject({ exit: 0 });
  clock.ms += 30 * minutes;
  for (const age of agesMs) talk(age);
  function talk(ageMs = 0) {
    const created_at = new Date(clock.ms - ageMs).toISOString();
    project.emulator.addSession({ created_at, updated_at: created_at, ...session });
  }
  await project.write("avatarops.yaml", formatDesk("Be kinder.", settings));
  project.emulator.requests.splice(0);
  const countLooks = () => project.emulator.requests.filter(({ path }) => path === "/v1/sessions").length;
  const countWrites = () => project.emulator.requests.filter(({ method }) => method !== "GET").length;
  return { project, clock, setting, run, talk, looks: countLooks, writes: countWrites, slept: () => slept };
}

/** Expects that neither the account nor the state was written and that the lock is free. */
async function expectNothingDone({ project, run, writes }: Awaited<ReturnType<typeof startEdited>>) {
  expect(writes()).toBe(0);
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be kind." }]);
  expect(await run("apply", "-y", "--no-wait-for-idle")).toMatchObject({ exit: 0 });
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be kinder." }]);
}

describe("apply --wait-for-idle", () => {
  test("waits until the sessions have ended, shows their number and applies", async () => {
    const edited = await startEdited({ agesMs: [3 * minutes, 8 * minutes] });
    const ran = await expectSuccess(edited.run("apply", "-y", "--wait-for-idle"));
    expect(ran.stderr).toEqual(
      matchText(
        "Waiting until no session is active, for up to 10 min: 2 sessions are active, the oldest for 8 min.",
      ),
    );
    expect(ran.stderr).toEqual(matchText("No sessions are active anymore."));
    expect(edited.slept()).toBe(42);
    expect(edited.project.emulator.world.contexts).toMatchObject([{ prompt: "Be kinder." }]);
    await edited.project.expectNothingToDo();
  });

  test("does not wait if only sandbox sessions are active", async () => {
    const edited = await startEdited({ agesMs: [0], session: { is_sandbox: true } });
    const ran = await edited.run("apply", "-y", "--wait-for-idle");
    expect(ran).toMatchObject({ exit: 0 });
    expect(ran.stderr).not.toContain("active");
    expect(edited.slept()).toBe(0);
  });

  test("does not list sessions if the plan updates no existing context", async () => {
    const edited = await startEdited({ agesMs: [0] });
    await edited.project.write(
      "avatarops.yaml",
      `${formatDesk("Be kind.")}  night: { name: Night, prompt: Whisper. }\nsecrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n`,
    );
    const setting = { ...edited.setting, environment: { KEY: "sk-1" } };
    await expectSuccess(edited.project.avataropsWith(setting, "apply", "-y", "--wait-for-idle"));
    expect([edited.writes(), edited.looks(), edited.slept()]).toEqual([2, 0, 0]);
  });

  test("does not wait if apply only skips a dashboard edit", async () => {
    const edited = await startEdited({ agesMs: [0] });
    edited.project.emulator.editContext("Desk", { prompt: "Edited." });
    expect(await edited.run("apply", "-y", "--wait-for-idle")).toMatchObject({ exit: 3 });
    expect([edited.looks(), edited.slept()]).toEqual([0, 0]);
    const overwriting = await edited.run("apply", "-y", "--wait-for-idle", "--overwrite-drift");
    expect(overwriting).toMatchObject({ exit: 0, stderr: matchText("1 session is active") });
  });

  test("gives up after --timeout, writes nothing and returns exit code 7", async () => {
    const edited = await startEdited({ agesMs: [1 * minutes, 2 * minutes] });
    const ran = await edited.run("apply", "-y", "--wait-for-idle", "--timeout", "95s");
    expect(ran).toMatchObject({
      exit: 7,
      stderr: matchText(
        "Nothing was applied: after 1 min 35 s, 2 sessions are active, the oldest for 3 min 35 s, and contexts are not changed during sessions. Retry later, wait longer with --timeout, or apply anyway with --no-wait-for-idle.",
      ),
    });
    expect(edited.slept()).toBe(10);
    await expectNothingDone(edited);
  });

  test("stops on Ctrl-C without writes and releases the lock", async () => {
    const edited = await startEdited({ agesMs: [0] });
    const stops: ((signal: string) => void)[] = [];
    edited.clock.onSleep = (slept) => slept === 3 && stops.at(-1)?.("SIGINT");
    const ran = await edited.project.avataropsWith(
      { ...edited.setting, onStoppable: (stop) => stops.push(stop) },
      ...["apply", "-y", "--wait-for-idle"],
    );
    expect(ran).toMatchObject({ exit: 130, stderr: matchText("Stopped waiting. Nothing was applied.") });
    expect(edited.slept()).toBe(3);
    await expectNothingDone(edited);
  });

  test("returns exit code 5 if the account is edited during the wait", async () => {
    const edited = await startEdited({ agesMs: [8 * minutes] });
    edited.clock.onSleep = (slept) =>
      slept === 2 && edited.project.emulator.editContext("Desk", { prompt: "Edited meanwhile." });
    const ran = await edited.run("apply", "-y", "--wait-for-idle", "--overwrite-drift");
    expect(ran).toMatchObject({ exit: 5, stderr: matchText("context.desk was edited in the account.") });
    expect(edited.writes()).toBe(0);
  });

  test("keeps the lock while waiting", async () => {
    const edited = await startEdited({ agesMs: [8 * minutes] });
    const others: Promise<CommandResult>[] = [];
    edited.clock.onSleep = (slept) => {
      if (slept === 2) others.push(edited.run("apply", "-y", "--no-wait-for-idle"));
    };
    expect(await edited.run("apply", "-y", "--wait-for-idle")).toMatchObject({ exit: 0 });
    expect(await Promise.all(others)).toMatchObject([{ exit: 6 }]);
  });

  test("waits again if a session starts while apply plans again after the wait", async () => {
    const edited = await startEdited({ agesMs: [8 * minutes] });
    const { emulator } = edited.project;
    const isIdle = () => !emulator.world.sessions.some(({ ended_at }) => ended_at === null);
    let came = 0;
    emulator.addFault({
      match: { path: "/v1/contexts" },
      times: Number.POSITIVE_INFINITY,
      do: { kind: "run", run: () => void (isIdle() && came++ === 0 && edited.talk(9 * minutes)) },
    });
    const ran = await expectSuccess(edited.run("apply", "-y", "--wait-for-idle"));
    expect(ran.stderr.match(/No sessions are active anymore/g)).toHaveLength(2);
    expect(edited.slept()).toBe(12 + 6);
  });

  test("counts unreadable sessions as active, and checks only once if the timeout is 0", async () => {
    const edited = await startEdited();
    const entries = [{ created_at: "2026-03-01T09:00:00Z", is_sandbox: true }, "?", { id: 7 }];
    const body = JSON.stringify({ code: 100, data: { count: 4, results: [...entries, { id: "s-1" }] } });
    const match = { path: "/v1/sessions" };
    edited.project.emulator.addFault({ match, times: 100, do: { kind: "malformed", body } });
    const ran = await edited.run("apply", "-y", "--wait-for-idle", "--timeout", "0s", "--format", "json");
    expect([ran.exit, JSON.parse(ran.stdout), edited.slept()]).toMatchObject([
      7,
      {
        ...{ format: "avatarops/error", code: "sessions-active", facts: { sessions: 4 } },
        message: matchText("Nothing was applied: 4 sessions are active,"),
      },
      0,
    ]);
    expect((await edited.run("plan")).stdout).toEqual(matchText("4 sessions are active,"));
    edited.project.emulator.clearFaults();
    await expectNothingDone(edited);
  });

  test.each([
    ["a rejected list", { kind: "status", status: 403 }],
    ["a response of unknown shape", { kind: "malformed", body: '{"code":100,"data":{"sessions":[]}}' }],
  ] as const)("writes nothing after %s", async (_, fault) => {
    const edited = await startEdited();
    edited.project.emulator.addFault({ match: { path: "/v1/sessions" }, times: 2, do: fault });
    const ran = await edited.run("apply", "-y", "--wait-for-idle");
    expect(ran).toMatchObject({
      exit: 1,
      stderr: matchText("Nothing was applied, because it is unknown whether sessions are active."),
    });
    expect(ran.stderr).toEqual(matchText("To apply anyway, use --no-wait-for-idle."));
    expect(edited.slept()).toBe(0);
    edited.project.emulator.clearFaults();
    await expectNothingDone(edited);
  });

  test("retries a failing session list and returns exit code 1 at the timeout", async () => {
    const edited = await startEdited();
    const outage = (times: number) =>
      edited.project.emulator.addFault({
        match: { path: "/v1/sessions" },
        times,
        do: { kind: "status", status: 503 },
      });
    outage(Number.POSITIVE_INFINITY);
    const given = await edited.run("apply", "-y", "--wait-for-idle", "--timeout", "20s");
    expect(given).toMatchObject({ exit: 1, stderr: matchText("it is unknown whether sessions are active") });
    expect([edited.slept(), edited.writes()]).toEqual([2, 0]);
    edited.project.emulator.clearFaults();
    outage(8);
    const ran = await edited.run("apply", "-y", "--wait-for-idle");
    expect(ran).toMatchObject({ exit: 0, stderr: matchText("the number of active sessions is unknown.") });
    expect(edited.project.emulator.world.contexts).toMatchObject([{ prompt: "Be kinder." }]);
  });

  test.each([
    ["no entries", []],
    ["only sandbox sessions", [{ id: "s-1", is_sandbox: true }]],
  ])("does not treat an incomplete list with %s as idle", async (_, results) => {
    const edited = await startEdited();
    const body = JSON.stringify({ code: 100, data: { count: 3, results } });
    edited.project.emulator.addFault({
      match: { path: "/v1/sessions" },
      times: Number.POSITIVE_INFINITY,
      do: { kind: "malformed", body },
    });
    for (const [timeout, pauses] of [
      ["0s", 0],
      ["20s", 2],
    ] as const) {
      const ran = await edited.run("apply", "-y", "--wait-for-idle", "--timeout", timeout);
      expect(ran).toMatchObject({
        exit: 1,
        stderr: matchText(
          "Nothing was applied, because it is unknown whether sessions are active. The list of active sessions may be incomplete, because it kept changing while it was read or its count is wrong",
        ),
      });
      expect([edited.slept(), edited.writes()]).toEqual([pauses, 0]);
    }
    edited.clock.onSleep = () => edited.project.emulator.clearFaults();
    const ran = await expectSuccess(edited.run("apply", "-y", "--wait-for-idle"));
    expect(ran.stderr).toEqual(matchText("the number of active sessions is unknown. The list of active"));
    expect(edited.project.emulator.world.contexts).toMatchObject([{ prompt: "Be kinder." }]);
  });

  test("is required by --timeout", async () => {
    const edited = await startEdited();
    expect(await edited.run("apply", "-y", "--timeout", "30s")).toMatchObject({
      exit: 1,
      stderr: matchText("--timeout requires --wait-for-idle. Add --wait-for-idle, or remove --timeout."),
    });
  });
});

describe("rollback --wait-for-idle", () => {
  test("writes nothing while a session is active", async () => {
    const edited = await startEdited();
    expect(await edited.run("apply", "-y")).toMatchObject({ exit: 0 });
    edited.talk(1 * minutes);
    edited.project.emulator.requests.splice(0);
    const wait = ["rollback", "--to", "1", "-y", "--wait-for-idle"];
    const ran = await edited.run(...wait, "--timeout", "30s");
    expect(ran).toMatchObject({ exit: 7, stderr: matchText("1 session is active, for 1 min 30 s") });
    expect(edited.writes()).toBe(0);
    expect(await edited.run(...wait)).toMatchObject({ exit: 0 });
    expect(edited.project.emulator.world.contexts).toMatchObject([{ prompt: "Be kind." }]);
  });
});

describe("service.wait_for_idle", () => {
  test("makes apply wait unless the command line overrides it", async () => {
    const edited = await startEdited({ agesMs: [0], settings: "service: { wait_for_idle: 30s }\n" });
    expect(await edited.run("apply", "-y")).toMatchObject({ exit: 7, stderr: matchText("for up to 30 s:") });
    expect(edited.slept()).toBe(3);
    expect(await edited.run("apply", "-y", "--timeout", "10s")).toMatchObject({ exit: 7 });
    expect(edited.slept()).toBe(4);
    await expectNothingDone(edited);
  });

  test.each(["10m", "10.0m", "600s"])("accepts %s as ten minutes", async (written) => {
    const edited = await startEdited({ agesMs: [0], settings: `service: { wait_for_idle: ${written} }\n` });
    expect((await edited.run("apply", "-y")).stderr).toEqual(matchText("for up to 10 min: 1 session"));
  });

  test("can be disabled for one environment", async () => {
    const settings =
      "service: { wait_for_idle: 1h }\nenvironments: { test: { service: { wait_for_idle: 0s } } }\n";
    const edited = await startEdited({ agesMs: [0], settings });
    await expectSuccess(edited.run("state", "replace-project", "-y", "--env", "test"));
    expect(await edited.run("apply", "-y", "--env", "test")).toMatchObject({ exit: 0 });
    expect([edited.slept(), edited.writes()]).toEqual([0, 1]);
  });
});

describe("plan that changes a context", () => {
  test("shows the number of active sessions in each format, without changing the digest", async () => {
    const edited = await startEdited();
    const quiet = JSON.parse((await edited.run("plan", "--format", "json")).stdout);
    expect([edited.looks(), quiet.active_sessions, quiet.notices]).toEqual([
      1,
      { count: 0, complete: true },
      [],
    ]);
    edited.talk();
    edited.talk();
    const text = await edited.run("plan");
    const sentence =
      "2 sessions are active, and contexts would change while people are talking. `avatarops apply --wait-for-idle` waits until none is active.";
    expect(text).toMatchObject({ exit: 0, stdout: matchText(sentence) });
    expect((await edited.run("plan", "--format", "markdown")).stdout).toContain("2 sessions are active");
    const document = JSON.parse((await edited.run("plan", "--format", "json")).stdout);
    expect(document).toMatchObject({
      active_sessions: { count: 2, complete: true },
      notices: [{ code: "active-sessions", message: sentence }],
    });
    expect(edited.looks()).toBe(4);
    expect(document.digest).toBe(quiet.digest);
    expect(document.requests).toBe(quiet.requests);
  });

  test("omits the number of active sessions when saved, and apply shows it before its confirmation", async () => {
    const edited = await startEdited({ agesMs: [0] });
    expect(await edited.run("plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    expect(await edited.project.read("plan.json")).not.toContain("active");
    const asked = await edited.project.avataropsWith(
      { ...edited.setting, typed: "no\n" },
      "apply",
      "--wait-for-idle",
    );
    expect(asked).toMatchObject({
      exit: 130,
      stderr: matchText("talking. Apply waits until none is active, for up to 10 min."),
    });
    expect(edited.slept()).toBe(0);
  });

  test("shows that more sessions may exist beyond the first page", async () => {
    const edited = await startEdited({ agesMs: Array.from({ length: 130 }, () => 0) });
    const data = { count: 100, results: Array.from({ length: 100 }, (_, i) => ({ id: `s-${i}` })) };
    const fault = { kind: "status", status: 200, body: { code: 100, data } } as const;
    edited.project.emulator.addFault({ match: { path: "/v1/sessions" }, skip: 1, do: fault });
    for (const looks of [1, 2]) {
      expect((await edited.run("plan")).stdout).toEqual(matchText("100 or more sessions are active"));
      expect(edited.looks()).toBe(looks);
    }
  });

  test("shows that sessions may be active if the first page has only sandbox sessions", async () => {
    const agesMs = Array.from({ length: 130 }, () => 0);
    const edited = await startEdited({ agesMs, session: { is_sandbox: true } });
    const { stdout } = await edited.run("plan");
    expect(stdout).toEqual(
      matchText("Sessions may be active, and contexts would change while people are talking."),
    );
  });

  test.each(["403", "503", "429", "drop-before", "cut"])(
    "reports unknown session activity if the session list fails with %s",
    async (fault) => {
      const edited = await startEdited({ agesMs: [0] });
      edited.project.emulator.addFault(`GET /v1/sessions ${fault} times=100`);
      const { exit, stdout } = await edited.run("plan", "--format", "json");
      expect(exit).toBe(0);
      const document = JSON.parse(stdout);
      expect(document.notices).toMatchObject([
        { code: "active-sessions", message: matchText("It is unknown whether sessions are active.") },
      ]);
      expect(document.active_sessions).toBeUndefined();
      expect(edited.looks()).toBe(1);
    },
  );
});
