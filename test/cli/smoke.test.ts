import { describe, expect, test } from "vitest";
import { type Emulator, type Fault, type FaultAction, sandboxAvatarId } from "../../src/emulator/index.js";
import { createStopper, matchText, startProject } from "./hosting.js";
import { always, empty, listing, minting, runSmoke, startAppliedProject, yaml } from "./smoke-project.js";

describe("smoke", () => {
  test("starts a sandbox session for each preset and finds it in the list of active sessions", async () => {
    const project = await startAppliedProject();
    const { exit, stdout, stderr } = await runSmoke(project);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout.replace(/[0-9a-f-]{36}/g, "ID")).toBe(
      [
        "  passed   kiosk  ID",
        "  passed   lobby  ID",
        "  passed   phone  ID",
        "",
        "  Smoke check: 3 passed.",
        "",
      ].join("\n"),
    );
    const bodies = project.emulator.requests
      .filter(({ method }) => method === "POST")
      .map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    for (const body of bodies) expect(body).toMatchObject({ is_sandbox: true, avatar_id: sandboxAvatarId });
    const made = project.emulator.world.sessions.slice(-3);
    expect(made.map(({ credits_consumed, is_sandbox }) => [credits_consumed, is_sandbox])).toEqual([
      [0, true],
      [0, true],
      [0, true],
    ]);
  });

  test("prints no token in any format", async () => {
    const project = await startAppliedProject();
    const tokens = new Set<string>();
    for (const format of ["text", "json", "markdown"]) {
      const { exit, stdout, stderr } = await runSmoke(project, "--format", format);
      expect(exit).toBe(0);
      expect(stdout + stderr).not.toMatch(/session-token/);
      tokens.add(stdout);
    }
    expect(tokens.size).toBe(3);
  });

  test("checks only named presets and suggests a name for an unknown one", async () => {
    const project = await startAppliedProject();
    const { stdout } = await runSmoke(project, "lobby", "kiosk", "lobby", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      scope: "named",
      checks: [{ preset: "kiosk" }, { preset: "lobby" }],
    });
    expect(await runSmoke(project, "lobbi")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("Did you mean lobby?"),
    });
  });

  test("uses the sandbox avatar given on the command line", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", yaml.replace(/^service.*$/m, ""));
    const without = await runSmoke(project, "kiosk");
    expect(without).toMatchObject({ exit: 1, stdout: matchText("set service.sandbox_avatar, because") });
    expect(await runSmoke(project, "kiosk", "--sandbox-avatar", sandboxAvatarId)).toMatchObject({ exit: 0 });
    expect(await runSmoke(project, "--sandbox-avatar", "a b")).toMatchObject({
      exit: 1,
      stderr: matchText("is not an id"),
    });
  });

  test("continues after a failed preset, then fails and suggests a fix", async () => {
    const project = await startAppliedProject();
    const answer: FaultAction = {
      kind: "status",
      status: 400,
      body: { code: 4000, data: null, message: "Voice is gone" },
    };
    project.emulator.addFault({ match: { ...minting, body: '"mode":"LITE"' }, do: answer });
    const { exit, stdout } = await runSmoke(project);
    expect(exit).toBe(1);
    expect(stdout).toEqual(matchText("Voice is gone"));
    expect(stdout).toEqual(matchText("Smoke check: 2 passed, 1 failed."));
    expect(stdout).toEqual(matchText("`avatarops rollback --to SERIAL`."));
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("reports a project without presets", async () => {
    const project = await startProject({ files: { "avatarops.yaml": "contexts: {}\n" } });
    const { exit, stdout } = await runSmoke(project);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "  Smoke check: there are no presets.\n" });
    expect(project.emulator.requests).toEqual([]);
  });
});

describe("smoke session not listed as active", () => {
  test("is looked up again by one list request for all presets", async () => {
    const project = await startAppliedProject();
    project.emulator.addFault({ match: listing, do: empty, times: 3 });
    expect(await runSmoke(project)).toMatchObject({ exit: 0, stdout: matchText("3 passed.") });
    expect(project.emulator.requests.filter(({ method }) => method === "GET")).toHaveLength(4);
  });

  test("causes a warning after six list requests", async () => {
    const project = await startAppliedProject();
    project.emulator.addFault({ match: listing, do: empty, times: always });
    const pauses: number[] = [];
    const pause = async (ms: number) => void pauses.push(ms);
    const { exit, stdout } = await project.avataropsWith({ pause }, "smoke", "kiosk");
    expect(exit).toBe(0);
    expect(stdout).toEqual(matchText("did not list the session as active within 10 s"));
    expect(stdout).toEqual(matchText("Smoke check: 1 warned."));
    expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
    expect(project.emulator.requests.filter(({ query }) => query.type === "active")).toHaveLength(6);
  });

  test("counts the time of slow list requests toward --timeout", async () => {
    const project = await startAppliedProject();
    let elapsedMs = 0;
    const run = () => {
      elapsedMs += 9_000;
    };
    project.emulator.addFault({ match: listing, do: { kind: "run", run }, times: always });
    project.emulator.addFault({ match: listing, do: empty, times: always });
    const clock = { pause: async () => {}, monotonic: () => elapsedMs };
    const { stdout } = await project.avataropsWith(clock, "smoke", "kiosk");
    expect(stdout).toEqual(matchText("did not list the session as active within 10 s"));
    expect(project.emulator.requests.filter(({ query }) => query.type === "active")).toHaveLength(2);
  });

  test.each([
    ["SERVER_ERROR", "failed", 1],
    ["USER_CLOSED", "warned", 0],
    ["A_REASON_TO_COME", "warned", 0],
  ])("ended with reason %s and is reported as %s", async (reason, status, code) => {
    const project = await startAppliedProject({ behavior: { extraFields: true } });
    const run = () => {
      for (const session of project.emulator.world.sessions.slice(-1))
        Object.assign(session, { ended_at: session.created_at, end_reason: reason });
    };
    project.emulator.addFault({ match: listing, do: { kind: "run", run } });
    const { exit, stdout } = await runSmoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(code);
    expect(JSON.parse(stdout).checks).toMatchObject([{ status, problem: { code: "ended" } }]);
    expect(stdout).toContain(reason);
  });

  const nameless = JSON.stringify({ code: 100, data: { session_token: "t" }, message: "ok" });
  const unreadable: FaultAction = { kind: "status", status: 403 };
  const charged = ({ world: { sessions } }: Emulator) => {
    for (const session of sessions) session.is_sandbox = false;
  };
  const noId: Fault = { match: minting, do: { kind: "malformed", body: nameless } };
  const lists = (what: FaultAction): Fault => ({ match: listing, do: what, times: always });
  const inUse = lists({ kind: "run", run: charged });
  const unflag = ({ world: { sessions } }: Emulator) => {
    for (const session of sessions) Reflect.deleteProperty(session, "is_sandbox");
  };
  const flagless = lists({ kind: "run", run: unflag });
  test.each<[status: string, problem: string, condition: string, Fault, exit: number, string[]?]>([
    ["failed", "not-listed", "--require-listed is given", lists(empty), 1, ["--require-listed"]],
    ["warned", "no-session-id", "the response has no id", noId, 0],
    ["failed", "sessions-unreadable", "the list cannot be read", lists(unreadable), 1],
    ["failed", "not-sandbox", "it is listed outside the sandbox and may use credits", inUse, 1],
    ["warned", "sandbox-unknown", "it is listed without a sandbox flag", flagless, 0],
  ])("is reported as %s (%s) if %s", async (status, problem, _, fault, code, argv = []) => {
    const project = await startAppliedProject();
    project.emulator.addFault(fault);
    const { exit, stdout } = await runSmoke(project, "kiosk", "--timeout", "0s", "--format", "json", ...argv);
    expect(exit).toBe(code);
    expect(JSON.parse(stdout).checks).toMatchObject([{ status, problem: { code: problem } }]);
    const looks = project.emulator.requests.filter(({ query }) => query.type === "active");
    expect(looks).toHaveLength(problem === "no-session-id" ? 0 : 1);
  });

  test("is found after temporary list failures", async () => {
    const project = await startAppliedProject();
    project.emulator.addFault({ match: listing, do: unreadable, times: 2 });
    expect(await runSmoke(project, "kiosk")).toMatchObject({ exit: 0, stdout: matchText("1 passed.") });
  });
});

test("stops a smoke check on Ctrl-C, sends no more requests and prints the results so far", async () => {
  const project = await startAppliedProject();
  const { stop, onStoppable } = createStopper();
  project.emulator.addFault({ match: listing, do: empty, times: always });
  const pause = async () => stop("SIGINT");
  const { exit, stdout } = await project.avataropsWith({ pause, onStoppable }, "smoke", "--format", "json");
  expect(exit).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ exit: "cancelled", summary: { passed: 0, skipped: 3 } });
  expect(project.emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
});
