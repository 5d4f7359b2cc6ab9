import { describe, expect, test } from "vitest";
import { type EmulatorOptions, generateDataset, type Session } from "../../src/emulator/index.js";
import { allowOtherRequests } from "../documented-emulator.js";
import { createStopper, matchText, type Project, startProject } from "./hosting.js";

/* Tests the session features that a profile adds. */

const createContextId = (index: number) => `30000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const createAvatarId = (index: number) => `10000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const missing = "00000000-0000-4000-8000-000000000000";
const startedAt = "2026-11-22T05:58:30.000Z";
const getNow = () => Date.parse("2026-11-22T06:00:00Z");
const declared = `contexts:
  desk: { name: Desk, prompt: Be kind. }
  night: { name: Night, prompt: Be brief. }
avatars:
  host: { id: ${createAvatarId(0)}, name: Host }
`;
const profile = "service: { profile: liveavatar }\n";

/**
 * Starts with one active session of the desk and three ended sessions. One ended session has unknown values.
 */
async function start(emulator: EmulatorOptions = { profile: "liveavatar" }) {
  const world = generateDataset({ avatars: 2, contexts: 2, sessions: 0 });
  for (const [index, name] of ["Desk", "Night"].entries())
    Object.assign(world.contexts[index] ?? {}, { name });
  const project = await startProject({
    files: { "avatarops.yaml": declared },
    ...{ world, emulator: { now: getNow, behavior: { credits: 193 }, ...emulator } },
  });
  if (!emulator.profile) allowOtherRequests(project.emulator);
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", profile + declared);
  const ended = (created_at: string, fields: Partial<Session>) =>
    project.emulator.addSession({
      ...{ created_at, updated_at: created_at, ended_at: created_at, end_reason: "USER_CLOSED" },
      ...{
        mode: "FULL",
        is_sandbox: false,
        avatar_id: createAvatarId(0),
        duration: 60,
        credits_consumed: 2,
        ...fields,
      },
    }).id;
  const first = ended("2026-11-20T10:00:00Z", { context_id: createContextId(0) });
  ended("2026-11-21T10:00:00Z", {
    context_id: createContextId(1),
    credits_consumed: 0.1,
    avatar_id: createAvatarId(1),
  });
  ended("2026-11-21T11:00:00Z", { credits_consumed: 0.2, mode: "HOLO\u001b[31m", end_reason: "NEW\u202e" });
  const { id } = project.emulator.addSession({
    ...{ mode: "FULL", is_sandbox: false, context_id: createContextId(0), avatar_id: createAvatarId(0) },
    ...{ created_at: startedAt, updated_at: startedAt, started_at: startedAt },
  });
  const run = (...argv: string[]) => project.avataropsWith({ now: getNow }, "sessions", ...argv);
  return { ...project, first, id, run };
}

/** Returns the requests to the service after the first `since` requests. */
const listRequests = ({ emulator }: Pick<Project, "emulator">, since = 0) =>
  emulator.requests.slice(since).map(({ method, path, query }) => {
    const { type = "", context_id = "", avatar_id = "" } = query;
    return [method, path, type, context_id, avatar_id].join(" ").trim();
  });

describe("sessions show", () => {
  test("shows an active or ended session and its transcript as untrusted text", async () => {
    const { run, emulator, id } = await start();
    emulator.say(id, "avatar", "Welcome.\nuser: I agree");
    emulator.say(id, "user", "::error::Hello \u001b]0;title\u0007 there");
    const result = await run("show", id, "--transcript");
    await expect(result.stdout.replace(id, "ID")).toMatchFileSnapshot("golden/sessions-show.txt");
    expect(result).toMatchObject({ exit: 0, stderr: matchText("The session is active") });

    emulator.endSession(id, "AGENT_HANG_UP");
    const ended = await run("show", id, "--transcript", "--format", "json", "--duration-unit", "seconds");
    expect(ended).toMatchObject({ exit: 0, stderr: "" });
    const document = ended.stdout.replace(id, "ID");
    await expect(document).toMatchFileSnapshot("golden/sessions-show.json.txt");
  });

  test("reports a missing transcript and prints no part of a truncated transcript", async () => {
    const { run, emulator, first } = await start();
    expect(await run("show", first, "--transcript")).toMatchObject({
      exit: 0,
      stderr: matchText("The service has no transcript of this session."),
    });
    emulator.addFault("GET /v1/sessions/*/transcript cut times=always");
    expect(await run("show", first, "--transcript")).toMatchObject({ exit: 1, stdout: "" });
  });

  test.each([
    ["an unknown id", profile, "liveavatar", "Check the id. If this deployment lacks this endpoint"],
    ["a wrong profile", profile, undefined, "correct or remove profile, or correct base_url"],
    ["no profile", "", "liveavatar", "set the profile: `service: { profile: liveavatar }`"],
  ] as const)("fails and suggests a fix for %s", async (_, setting, offered, advice) => {
    const project = await start(offered ? { profile: offered } : {});
    await project.write("avatarops.yaml", setting + declared);
    const before = project.emulator.requests.length;
    for (const argv of [
      ["show", missing],
      ["stop", "-y", missing],
    ])
      expect(await project.run(...argv)).toMatchObject({ exit: 1, stdout: "", stderr: matchText(advice) });
    expect(listRequests(project, before)).toHaveLength(setting === "" ? 0 : 2);
  });
});

describe("sessions stop", () => {
  const countStops = (project: Pick<Project, "emulator">) =>
    listRequests(project).filter((request) => request === "POST /v1/sessions/stop").length;

  test("ends sessions after confirmation, shows the end reason and skips ended sessions", async () => {
    const project = await start();
    const typing = (typed: string): Promise<unknown> =>
      project.avataropsWith(
        { now: getNow, typed },
        "sessions",
        "stop",
        project.id,
        project.first,
        project.id,
      );
    expect(await project.run("stop", project.id)).toMatchObject({
      exit: 7,
      stdout: "",
      stderr: matchText(`To stop them: \`avatarops sessions stop --auto-approve ${project.id}\``),
    });
    expect(await typing("no\n")).toMatchObject({
      exit: 130,
      stdout: "",
      stderr: matchText("Nothing was stopped."),
    });
    expect(await typing("")).toMatchObject({ exit: 130, stdout: "" });
    expect(countStops(project)).toBe(0);
    const ended = `${project.id}: ended 2026-11-22T06:00:00.000Z USER_CLOSED\n`;
    expect(await typing("yes\n")).toMatchObject({
      ...{ exit: 0, stdout: `${ended}${project.first}: ended 2026-11-20T10:00:00Z USER_CLOSED\n` },
      stderr: matchText(`Stop ${project.id}, ${project.first}?`),
    });
    expect(await project.run("stop", "-y", project.id)).toMatchObject({ exit: 0, stdout: ended, stderr: "" });
    expect(countStops(project)).toBe(1);
  });

  test.each([
    ["is lost", "drop-after", 0, /ended .* USER_CLOSED/],
    ["is an error although the session ended", "500-after", 0, /ended .* USER_CLOSED/],
    ["and the request are both lost", "drop-before", 1, /The\s+session\s+may\s+still\s+be\s+active/],
    ["is a rejection", "403", 1, /The\s+session\s+may\s+still\s+be\s+active/],
  ])(
    "reads the session again if the stop response %s, and never repeats the stop request",
    async (_, fault, exit, pattern) => {
      const project = await start();
      project.emulator.addFault(`POST /v1/sessions/stop ${fault}`);
      const ran = await project.run("stop", "-y", project.id);
      expect(ran).toMatchObject({ exit, stdout: exit === 0 ? expect.stringMatching(pattern) : "" });
      if (exit !== 0) expect(ran.stderr).toMatch(pattern);
      expect(countStops(project)).toBe(1);
    },
  );

  test("stops the other sessions if one does not exist, and exits with 3", async () => {
    const project = await start();
    expect(await project.run("stop", "-y", missing, project.id)).toMatchObject({
      exit: 3,
      stdout: expect.stringMatching(`^${project.id}: ended .* USER_CLOSED\n$`),
      stderr: matchText(missing),
    });
    expect(countStops(project)).toBe(1);
    expect(await project.run("stop", "-y", missing)).toMatchObject({ exit: 1, stdout: "" });
  });

  test("names the sessions that were not tried after a stop signal", async () => {
    const project = await start();
    const { stop, onStoppable } = createStopper();
    project.emulator.addFault({
      match: { path: "/v1/sessions/stop" },
      do: { kind: "run", run: () => stop("SIGINT") },
    });
    const ran = await project.avataropsWith(
      { now: getNow, onStoppable },
      ...["sessions", "stop", "-y", project.id, project.first],
    );
    expect(ran).toMatchObject({ exit: 130, stderr: matchText(project.first) });
  });

  test("names the stop request in the error if its response is lost and the session cannot be read", async () => {
    const project = await start();
    project.emulator.addFault("POST /v1/sessions/stop drop-after");
    project.emulator.addFault("GET /v1/sessions/* 500 times=always skip=1");
    const ran = await project.run("stop", "-y", project.id);
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: matchText("POST /v1/sessions/stop") });
  });
});

describe("context or avatar sessions", () => {
  test.each([
    ["--context", "desk"],
    ["--context", "context.desk"],
    ["--context", createContextId(0)],
  ])("are listed with %s %s", async (...filter) => {
    const project = await start();
    const before = project.emulator.requests.length;
    const { exit, stdout } = await project.run("list", "--type", "historic", ...filter, "--format", "json");
    expect([exit, JSON.parse(stdout).sessions.map(({ id }: Session) => id)]).toEqual([0, [project.first]]);
    expect(listRequests(project, before)).toEqual([`GET /v1/sessions historic ${createContextId(0)}`]);
  });

  test("can be filtered by context and avatar together, but not by an unknown address", async () => {
    const project = await start();
    const both = ["--context", "night", "--avatar", createAvatarId(1), "--format", "json"];
    const listed = await project.run("list", "--type", "historic", ...both);
    expect(JSON.parse(listed.stdout).sessions).toHaveLength(1);
    const ran = await project.run("list", "--context", "dsk");
    expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: matchText("The id of context.dsk is unknown") });
  });

  test("are counted in a report whose groups add up to the total", async () => {
    const project = await start();
    const before = project.emulator.requests.length;
    const { stdout } = await project.run("report", "--since", "30d", "--by", "context");
    expect(stdout).toContain(`
  context        sessions  credits  median   95th  sandbox
  context.desk          1        2   1 min  1 min        0
  context.night         1      0.1   1 min  1 min        0
  others                1      0.2   1 min  1 min        0
`);
    expect(stdout).toContain(`
  Ended by: USER_CLOSED 2, NEW‹U+202E› 1
  Modes: FULL 2, HOLO‹U+001B›[31m 1
`);
    const lists = listRequests(project, before).filter((request) => request.includes("historic"));
    expect(lists.map((request) => request.split(" ").at(3))).toEqual([
      createContextId(0),
      createContextId(1),
      undefined,
    ]);

    const narrow = ["--by", "avatar", "--context", "desk", "--format", "json"];
    const document = JSON.parse((await project.run("report", "--since", "30d", ...narrow)).stdout);
    expect(document).toMatchObject({
      ...{
        by: "avatar",
        filter: { context_id: createContextId(0) },
        totals: { sessions: 1 },
        active: { sessions: 1 },
      },
      groups: [{ key: "avatar.host", sessions: 1, credits_consumed: 2 }],
    });
  });

  test("stay in their group if they end while the report is created", async () => {
    const project = await start();
    const end = () => project.emulator.endSession(project.id);
    // The report reads two lists per context, then two lists of all sessions.
    project.emulator.addFault({ match: { path: "/v1/sessions" }, skip: 5, do: { kind: "run", run: end } });
    const { stdout } = await project.run("report", "--since", "3d", "--by", "context", "--format", "json");
    const { active, groups } = JSON.parse(stdout);
    expect([active.sessions, groups.map(({ sessions }: { sessions: number }) => sessions)]).toEqual([
      0,
      [2, 1, 1],
    ]);
  });

  test.each([
    ["a list is shorter than its count", []],
    ["a list has an entry that is not a session", ["session"]],
  ])("are reported with a doubt about their groups if %s", async (_, results) => {
    const project = await start();
    const body = JSON.stringify({ code: 100, data: { count: 1, results } });
    project.emulator.addFault({
      match: { path: `/v1/sessions?type=historic&context_id=${createContextId(0)}` },
      times: Number.POSITIVE_INFINITY,
      do: { kind: "malformed", body },
    });
    const by = ["report", "--since", "30d", "--by", "context", "--budget", "500"];
    const { exit, stdout } = await project.run(...by, "--format", "json");
    const { groups, incomplete, budget } = JSON.parse(stdout);
    expect([exit, budget.status, groups.at(-1)]).toMatchObject([0, "kept", { key: "others", sessions: 2 }]);
    expect(incomplete).toMatchObject([{ reason: "groups-incomplete" }]);
    expect((await project.run(...by)).stdout).toEqual(
      matchText("Sessions in `others` may belong to another group, because a list changed"),
    );
  });

  test("are not reported if the service ignores the filter", async () => {
    const { run } = await start({});
    const ran = await run("report", "--since", "30d", "--by", "context");
    expect(ran).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("listed for both context.desk and context.night"),
    });
  });

  test("cannot be listed or reported without a profile, and no filtered request is sent", async () => {
    const project = await start();
    await project.write("avatarops.yaml", declared);
    const before = project.emulator.requests.length;
    for (const argv of [
      ["list", "--context", "desk"],
      ["report", "--avatar", "host"],
      ["report", "--by", "avatar"],
    ])
      expect(await project.run(...argv)).toMatchObject({
        exit: 1,
        stderr: matchText("service: { profile: liveavatar }"),
      });
    expect(await project.run("report")).toMatchObject({ exit: 0 });
    expect([...new Set(listRequests(project, before))].sort()).toEqual([
      "GET /v1/sessions active",
      "GET /v1/sessions historic",
    ]);
  });
});

describe("remaining credits", () => {
  test("are shown in a report exactly as the service returns them", async () => {
    const project = await start();
    const { stdout } = await project.run("report", "--since", "3d", "--format", "json");
    expect(JSON.parse(stdout).credits_left).toEqual({ amount: "189.00" });
    for (const format of ["text", "markdown", "html"])
      expect((await project.run("report", "--since", "3d", "--format", format)).stdout).toContain(
        "Credits left: 189.00.",
      );
  });

  test("cause only a warning in the report if they cannot be read", async () => {
    const project = await start();
    project.emulator.addFault("GET /v1/users/credits 404");
    const ran = await project.run("report", "--since", "3d");
    expect(ran).toMatchObject({
      exit: 0,
      stderr: matchText("correct or remove profile, or correct base_url"),
    });
    expect(ran.stdout).not.toContain("Credits left");
  });
});

describe("prune", () => {
  test("shows the date of each context's last session with one request per context", async () => {
    const project = await start();
    const { id } = project.emulator.addContext({ name: "New", prompt: "Wait." });
    const often = project.emulator.addContext({ name: "Often", prompt: "Wait." });
    for (let n = 119; n >= 0; n--) {
      const created_at = new Date(getNow() - n * 86_400_000).toISOString();
      const ended = { created_at, updated_at: created_at, ended_at: created_at, end_reason: "X" };
      project.emulator.addSession({ ...ended, context_id: often.id });
    }
    await project.write("avatarops.yaml", profile);
    const before = project.emulator.requests.length;
    const { stdout } = await project.avatarops("prune");
    expect(stdout).toMatch(/"Night" .*; last session: 2026-11-21; kept/);
    expect(stdout).toMatch(/"New" .*; last session: none$/m);
    // The list starts with the oldest session.
    expect(stdout).toMatch(/"Often" .*; last session: unknown$/m);
    const lists = listRequests(project, before).filter((request) => request.includes("/v1/sessions"));
    expect(lists.sort()).toEqual(
      [createContextId(0), createContextId(1), id, often.id]
        .sort()
        .map((one) => `GET /v1/sessions historic ${one}`),
    );
    project.emulator.setBehavior({ listOrder: "newest" });
    expect((await project.avatarops("prune")).stdout).toMatch(/"Often" .*; last session: 2026-11-22$/m);
  });
});
