import { describe, expect, test } from "vitest";
import { type FaultAction, sampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { type Project, type Setting, saying, startProject } from "./hosting.js";

const world = sampleDataset(Date.now());
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id;
const voice = world.voices.find(({ name }) => name === "Mara")?.id;

const yaml = `
service: { sandbox_avatar: ${sandboxAvatarId} }
avatars:
  host: { id: ${avatar}, name: Front desk }
voices:
  mara: { id: ${voice}, name: Mara }
contexts:
  returns: { name: Returns desk, prompt: You help with returns., opening_text: Hello. }
  tours: { name: Tours, prompt: You show people around., opening_text: Hello. }
sessions:
  kiosk: { avatar: host, mode: FULL, persona: { voice: mara, context: returns, language: en } }
  lobby: { avatar: host, mode: FULL, persona: { voice: mara, context: tours, language: en } }
  phone: { mode: LITE, persona: { voice: mara, language: en } }
`;

const typescript = `import { Avatar, Context, Preset, Project, Voice } from "avatarops";
const project = new Project({ service: { sandboxAvatar: "${sandboxAvatarId}" } });
const host = new Avatar(project, "host", { id: "${avatar}", name: "Front desk" });
const mara = new Voice(project, "mara", { id: "${voice}", name: "Mara" });
const desk = { prompt: "You help with returns.", openingText: "Hello." };
const returns = new Context(project, "returns", { name: "Returns desk", ...desk });
const persona = { voice: mara, context: returns, language: "en" };
new Preset(project, "kiosk", { avatar: host, mode: "FULL", persona });
export default project;
`;

/** Answers of the list of active sessions, and of the request for a token. */
const listing = { method: "GET", path: "/v1/sessions" };
const minting = { method: "POST", path: "/v1/sessions/token" };
const empty: FaultAction = {
  kind: "malformed",
  body: JSON.stringify({ code: 100, data: { count: 0, results: [] }, message: "ok" }),
};
const always = Number.POSITIVE_INFINITY;

describe("smoke", () => {
  test("starts a sandbox session with each preset, with the sandbox avatar, and finds it among the active ones", async () => {
    const project = await applied();
    const { exit, stdout, stderr } = await smoke(project);
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

  test("never shows a token, in any format", async () => {
    const project = await applied();
    const tokens = new Set<string>();
    for (const format of ["text", "json", "markdown"]) {
      const { exit, stdout, stderr } = await smoke(project, "--format", format);
      expect(exit).toBe(0);
      expect(stdout + stderr).not.toMatch(/session-token/);
      tokens.add(stdout);
    }
    expect(tokens.size).toBe(3);
  });

  test("checks the named presets only, and names the one that was meant", async () => {
    const project = await applied();
    const { stdout } = await smoke(project, "lobby", "kiosk", "lobby", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      scope: "named",
      checks: [{ preset: "kiosk" }, { preset: "lobby" }],
    });
    expect(await smoke(project, "lobbi")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: saying("did you mean lobby?"),
    });
  });

  test("takes the sandbox avatar of the command line", async () => {
    const project = await applied();
    await project.write("avatarops.yaml", yaml.replace(/^service.*$/m, ""));
    const without = await smoke(project, "kiosk");
    expect(without).toMatchObject({ exit: 1, stdout: saying("set service.sandbox_avatar to its id") });
    expect(await smoke(project, "kiosk", "--sandbox-avatar", sandboxAvatarId)).toMatchObject({ exit: 0 });
    expect(await smoke(project, "--sandbox-avatar", "a b")).toMatchObject({
      exit: 1,
      stderr: saying("is not an id"),
    });
  });

  test("goes on after a preset that failed, fails, and says what to do", async () => {
    const project = await applied();
    const answer: FaultAction = {
      kind: "status",
      status: 400,
      body: { code: 4000, data: null, message: "Voice is gone" },
    };
    project.emulator.addFault({ match: { ...minting, body: '"mode":"LITE"' }, do: answer });
    const { exit, stdout } = await smoke(project);
    expect(exit).toBe(1);
    expect(stdout).toEqual(saying("Voice is gone"));
    expect(stdout).toEqual(saying("Smoke check: 2 passed, 1 failed."));
    expect(stdout).toEqual(saying("`avatarops rollback --to SERIAL` goes back."));
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("fails for a preset that is not applied yet, and asks for no session", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const { exit, stdout } = await smoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      exit: "failed",
      checks: [{ preset: "kiosk", status: "failed", problem: { code: "unresolved-reference" } }],
    });
    expect(project.emulator.requests).toEqual([]);
  });

  test("says so where there is nothing to check", async () => {
    const project = await startProject({ files: { "avatarops.yaml": "contexts: {}\n" } });
    const { exit, stdout } = await smoke(project);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "  Smoke check: there are no presets.\n" });
    expect(project.emulator.requests).toEqual([]);
  });

  test.each<[string, FaultAction, string]>([
    ["is lost", { kind: "drop", when: "after" }, "cut"],
    ["is cut", { kind: "cut", bytes: 90 }, "cut"],
    ["has no token", { kind: "malformed", body: '{"code":100,"data":{"session_id":"s-1"}}' }, "no-token"],
    ["is a page of a proxy", { kind: "malformed", body: "<html><title>Sign in</title></html>" }, "not-json"],
    ["has another shape", { kind: "malformed", body: '{"code":100,"data":["t"]}' }, "wrong-shape"],
    ["is a failure", { kind: "status", status: 500 }, "unavailable"],
    ["is that the key is refused", { kind: "status", status: 401 }, "unauthorized"],
  ])("fails where the answer %s, and asks once", async (_, fault, code) => {
    const project = await applied();
    project.emulator.addFault({ match: minting, do: fault });
    const { exit, stdout } = await smoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).checks).toMatchObject([
      { preset: "kiosk", status: "failed", problem: { code } },
    ]);
    expect(project.emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("waits for a service that limits requests", async () => {
    const project = await applied();
    const limited: FaultAction = { kind: "status", status: 429, headers: { "retry-after": "0" } };
    project.emulator.addFault({ match: minting, do: limited, times: 2 });
    project.emulator.addFault({ match: listing, do: limited, times: 2 });
    expect(await smoke(project)).toMatchObject({ exit: 0, stdout: saying("3 passed.") });
  });
});

describe("a session that is not listed as active", () => {
  test("is looked for again, for all presets in the same list", async () => {
    const project = await applied();
    project.emulator.addFault({ match: listing, do: empty, times: 3 });
    expect(await smoke(project)).toMatchObject({ exit: 0, stdout: saying("3 passed.") });
    // Those that are requested while the first list is read are looked for once more.
    const lists = project.emulator.requests.filter(({ method }) => method === "GET").length;
    expect(lists).toBeGreaterThanOrEqual(4);
    expect(lists).toBeLessThanOrEqual(6);
  });

  test("is a warning after a bounded number of looks: the service may list sessions that were joined only", async () => {
    const project = await applied();
    project.emulator.addFault({ match: listing, do: empty, times: always });
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    const { exit, stdout } = await project.avataropsWith({ sleep }, "smoke", "kiosk");
    expect(exit).toBe(0);
    expect(stdout).toEqual(saying("was not among the active ones within 10 s"));
    expect(stdout).toEqual(saying("Smoke check: 1 warned."));
    expect(pauses).toEqual([2_000, 2_000, 2_000, 2_000, 2_000]);
    expect(project.emulator.requests.filter(({ method }) => method === "GET")).toHaveLength(6);
  });

  test("is a failure with --require-listed", async () => {
    const project = await applied();
    project.emulator.addFault({ match: listing, do: empty, times: always });
    const { exit, stdout } = await smoke(
      project,
      "kiosk",
      "--require-listed",
      "--timeout",
      "0s",
      "--format",
      "json",
    );
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).checks).toMatchObject([{ status: "failed", problem: { code: "not-listed" } }]);
    expect(project.emulator.requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  test("cannot be looked for if the answer has no id: a warning", async () => {
    const project = await applied();
    const body = JSON.stringify({ code: 100, data: { session_token: "t" }, message: "ok" });
    project.emulator.addFault({ match: minting, do: { kind: "malformed", body } });
    const { exit, stdout } = await smoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).checks).toMatchObject([
      { status: "warned", problem: { code: "no-session-id" } },
    ]);
  });

  test("is a failure if the list cannot be read", async () => {
    const project = await applied();
    project.emulator.addFault({ match: listing, do: { kind: "status", status: 403 }, times: always });
    const { exit, stdout } = await smoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).checks).toMatchObject([
      { status: "failed", problem: { code: "sessions-unreadable" } },
    ]);
  });

  test("is found after the list could not be read for a while", async () => {
    const project = await applied();
    project.emulator.addFault({ match: listing, do: { kind: "status", status: 403 }, times: 2 });
    expect(await smoke(project, "kiosk")).toMatchObject({ exit: 0, stdout: saying("1 passed.") });
  });

  test("or listed as none of the sandbox is a failure: it may use credits", async () => {
    const project = await applied();
    const run = () => {
      for (const session of project.emulator.world.sessions) session.is_sandbox = false;
    };
    project.emulator.addFault({ match: listing, do: { kind: "run", run } });
    const { exit, stdout } = await smoke(project, "kiosk", "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout).checks).toMatchObject([{ status: "failed", problem: { code: "not-sandbox" } }]);
  });

  test("that two answers name is found for both", async () => {
    const project = await applied();
    const data = {
      session_id: world.sessions.find(({ ended_at }) => ended_at === null)?.id ?? "s-1",
      session_token: "t",
    };
    const body = JSON.stringify({ code: 100, data, message: "ok" });
    project.emulator.addFault({ match: minting, do: { kind: "malformed", body }, times: 2 });
    project.emulator.addFault({ match: listing, do: empty, times: always });
    const { stdout } = await smoke(project, "kiosk", "lobby", "--format", "json");
    expect(JSON.parse(stdout).summary).toMatchObject({ warned: 2 });
  });
});

test("Ctrl-C ends a check: nothing more is requested, and what is known is shown", async () => {
  const project = await applied();
  let stop: (signal: string) => void = () => {};
  project.emulator.addFault({ match: listing, do: empty, times: always });
  const sleep = async () => stop("SIGINT");
  const onStoppable: Setting["onStoppable"] = (callback) => {
    stop = callback;
  };
  const { exit, stdout } = await project.avataropsWith({ sleep, onStoppable }, "smoke", "--format", "json");
  expect(exit).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ exit: "cancelled", summary: { passed: 0, skipped: 3 } });
  expect(project.emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(3);
});

describe("apply --smoke", () => {
  test("checks the presets that refer to what was applied, in a project of either language", async () => {
    for (const files of [{ "avatarops.yaml": yaml }, { "avatarops.config.ts": typescript }]) {
      const project = await startProject({ files, world: structuredClone(world) });
      const { exit, stdout } = await apply(project, "--format", "json");
      expect(exit, stdout).toBe(0);
      const { smoke: checked, exit: outcome } = JSON.parse(stdout);
      expect(outcome).toBe("done");
      expect(checked).toMatchObject({ scope: "applied", exit: "passed" });
      expect(checked.checks.map(({ preset }: { preset: string }) => preset)).toContain("kiosk");
    }
  });

  test("leaves out presets of which nothing changed, and says so where that is all of them", async () => {
    const project = await applied();
    await project.write("avatarops.yaml", yaml.replace("show people around", "show people the garden"));
    const changed = JSON.parse((await apply(project, "--format", "json")).stdout);
    expect(changed.smoke.checks).toMatchObject([{ preset: "lobby", status: "passed" }]);

    const { exit, stdout } = await apply(project);
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: saying("Smoke check: no preset refers to what was applied."),
    });
    await project.expectNothingToDo();
  });

  test("fails where the check does, with the apply's own outcome as it is, and the command that goes back", async () => {
    const project = await applied();
    await project.write("avatarops.yaml", yaml.replace("show people around", "show people the garden"));
    project.emulator.addFault({ match: minting, do: { kind: "status", status: 500 }, times: always });

    const { exit, stdout } = await apply(project);

    expect(exit).toBe(1);
    expect(stdout).toEqual(saying("1 applied; 3 unchanged"));
    expect(stdout).toEqual(saying("Smoke check: 1 failed."));
    expect(stdout).toEqual(
      saying(
        "The apply stands. Correct the files and apply them again, or go back: `avatarops rollback --to 1`.",
      ),
    );
    project.emulator.clearFaults();
    const back = await project.avatarops("rollback", "--to", "1", "--auto-approve");
    expect(back.exit).toBe(0);
    expect(project.emulator.world.contexts.find(({ name }) => name === "Tours")?.prompt).toContain(
      "people around",
    );
  });

  test("says in JSON that the apply is done and the check failed", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    project.emulator.addFault({ match: minting, do: { kind: "drop", when: "after" }, times: always });
    const { exit, stdout } = await apply(project, "--format", "json");
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      exit: "done",
      smoke: {
        exit: "failed",
        summary: { failed: 3 },
        advice: "The apply stands. Correct the files and apply them again.",
      },
    });
  });

  test("keeps the exit code of an apply that is not done", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const refused: FaultAction = { kind: "status", status: 400 };
    project.emulator.addFault({
      match: { method: "POST", path: "/v1/contexts", body: "Tours" },
      do: refused,
    });
    const { exit, stdout } = await apply(project, "--format", "json");
    expect(exit).toBe(3);
    const { exit: outcome, smoke: checked } = JSON.parse(stdout);
    expect(outcome).toBe("partly");
    expect(checked).toMatchObject({ exit: "failed", summary: { passed: 2, failed: 1 } });
    expect(checked.checks[1]).toMatchObject({ preset: "lobby", problem: { code: "unresolved-reference" } });
  });

  test("puts the check below the outcome in Markdown", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const { stdout } = await apply(project, "--format", "markdown");
    expect(stdout.match(/^### .*$/gm)).toEqual(["### 4 applied; 0 unchanged", "### Smoke check: 3 passed."]);
  });

  test("is what --sandbox-avatar is for", async () => {
    const project = await applied();
    const refused = await project.avatarops(
      "apply",
      "--auto-approve",
      "--sandbox-avatar",
      sandboxAvatarId.replace("d", "e"),
    );
    expect(refused).toMatchObject({ exit: 1, stderr: saying("--sandbox-avatar is for --smoke") });
  });
});

/** A project that is applied, with a fresh log of requests. */
async function applied(): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  project.emulator.requests.length = 0;
  return project;
}

/** Without the pauses between two looks. */
function smoke(project: Project, ...argv: string[]) {
  return project.avataropsWith({ sleep: async () => {} }, "smoke", ...argv);
}

function apply(project: Project, ...argv: string[]) {
  return project.avataropsWith({ sleep: async () => {} }, "apply", "--auto-approve", "--smoke", ...argv);
}
