import { describe, expect, test } from "vitest";
import { generateDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { createRefusal, startMs, startTestEmulator, startTime } from "./asking.js";

const avatar1 = "10000000-0000-4000-8000-000000000000";
const context1 = "30000000-0000-4000-8000-000000000000";
const nowhere = "00000000-0000-4000-8000-000000000000";
const stockAvatar = "5a3779b1-9e37-4a1b-9c2d-5ee0fe120000";
const full = { avatar_id: avatar1, avatar_persona: { context_id: context1 } };
const lite = { mode: "LITE", avatar_id: avatar1 };
const room = { livekit_url: "wss://room.example", livekit_room: "r", livekit_client_token: "t" };

async function startOffering(credits = 200) {
  const world = generateDataset({ avatars: 2, contexts: 2, sessions: 0 });
  const service = await startTestEmulator({ profile: "liveavatar", world, behavior: { credits } });
  const bearer = (token: string) => ({ "x-api-key": "", authorization: `Bearer ${token}` });
  const data = async (...request: Parameters<typeof service.ask>) =>
    ((await service.ask(...request)).body as { data: Record<string, unknown> }).data;
  return {
    ...service,
    bearer,
    data,
    mint: async (request: object) => {
      const { session_id, session_token } = await data("POST", "/v1/sessions/token", request);
      return { id: `${session_id}`, as: bearer(`${session_token}`) };
    },
    async started(request: object) {
      const session = await this.mint(request);
      expect(await service.ask("POST", "/v1/sessions/start", undefined, session.as)).toMatchObject({
        status: 201,
      });
      return session;
    },
    read: (session: { id: string }) => data("GET", `/v1/sessions/${session.id}`),
    left: async () => (await data("GET", "/v1/users/credits")).credits_left,
    [Symbol.asyncDispose]: () => service.emulator.close(),
  };
}

describe("session under the liveavatar profile", () => {
  test("starts only with its token and returns the connection data", async () => {
    await using service = await startOffering();
    const { port } = service.emulator;
    const session = await service.mint({ ...full, max_session_duration: 120 });
    const start = (headers: Record<string, string>) =>
      service.ask("POST", "/v1/sessions/start", undefined, headers);
    expect(await start({})).toEqual(createRefusal(401, "Invalid session token", 4010));
    expect(await start(session.as)).toEqual({
      status: 201,
      body: {
        code: 1000,
        message: "Success",
        data: {
          session_id: session.id,
          max_session_duration: 120,
          livekit_url: `ws://127.0.0.1:${port}`,
          livekit_client_token: expect.stringMatching(/^livekit-client-token-/),
          livekit_agent_token: expect.stringMatching(/^([\w-]+\.){2}[\w-]+$/),
          ws_url: `ws://127.0.0.1:${port}/v1/ws/${session.id}`,
        },
      },
    });
    expect(await start(session.as)).toEqual(createRefusal(400, "Session has already been started"));
    const own = await service.mint({ ...lite, livekit_config: room });
    expect(await start(own.as)).toMatchObject({ body: { data: { livekit_url: room.livekit_url } } });
  });

  test.each([
    ["POST", "/v1/sessions/stop"],
    ["DELETE", "/v1/sessions"],
  ])("can be stopped, with a reason, by its token or by the API key and its id: %s %s", async (...by) => {
    await using service = await startOffering();
    const [one, other] = [await service.started(full), await service.started(lite)];
    const stop = (body: object | undefined, headers = {}) => service.ask(...by, body, headers);
    expect(await stop(undefined, one.as)).toEqual({
      status: 200,
      body: { code: 1000, data: null, message: "Success" },
    });
    expect(await stop({})).toEqual(createRefusal(400, "session_id is required"));
    expect(await stop({ session_id: other.id, reason: "BORED" })).toMatchObject({ status: 422 });
    expect(await stop({ session_id: other.id }, one.as)).toEqual(createRefusal(404, "Session not found"));
    expect(await stop({ session_id: other.id, reason: "AGENT_HANG_UP" })).toMatchObject({ status: 200 });
    expect(await stop(undefined, one.as)).toEqual(createRefusal(400, "Session is not active"));
    expect([await service.read(one), await service.read(other)]).toMatchObject([
      { end_reason: "USER_CLOSED", end_at: startTime },
      { end_reason: "AGENT_HANG_UP", end_at: startTime },
    ]);
  });

  test("can be read with the API key or its own token, and the token grants no other access", async () => {
    await using service = await startOffering();
    const [one, other] = [await service.started(full), await service.mint(full)];
    const path = `/v1/sessions/${one.id}`;
    const entry = { id: one.id, mode: "FULL", is_sandbox: false, source: "API" };
    expect(await service.ask("GET", path)).toMatchObject({ body: { data: entry } });
    expect(await service.ask("GET", path, undefined, one.as)).toMatchObject({ body: { data: entry } });
    expect(await service.ask("GET", path, undefined, other.as)).toEqual(
      createRefusal(404, "Session not found"),
    );
    expect(await service.ask("GET", `/v1/sessions/${nowhere}`)).toEqual(
      createRefusal(404, "Session not found"),
    );
    expect(await service.ask("POST", "/v1/sessions/token", full, one.as)).toMatchObject({ status: 401 });
    const [, token = ""] = one.as.authorization.split(" ");
    expect(JSON.stringify([service.emulator.requests, service.emulator.world])).not.toContain(token);
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ session_id: one.id, start_session_data: { mode: "FULL", ...full } });
  });

  test("ends after five minutes without a keep-alive", async () => {
    await using service = await startOffering();
    const [one, other] = [await service.started(lite), await service.started(lite)];
    const alive = (body?: object, headers = {}) =>
      service.ask("POST", "/v1/sessions/keep-alive", body, headers);
    service.emulator.passTime(240_000);
    expect(await alive(undefined, one.as)).toMatchObject({ status: 200 });
    service.emulator.passTime(60_000);
    expect([await service.read(one), await service.read(other)]).toMatchObject([
      { duration: 300 },
      { duration: 300, end_reason: "IDLE_TIMEOUT", end_at: "2025-06-21T12:05:00.000Z", credits_consumed: 5 },
    ]);
    expect(await alive({ session_id: other.id })).toEqual(createRefusal(400, "Session is not active"));
    expect(await alive({})).toEqual(createRefusal(400, "session_id is required"));
    expect(await alive({ session_id: one.id })).toMatchObject({ status: 200 });
  });

  test.each([
    [
      "its maximum duration, counted from its start",
      { ...full, max_session_duration: 90 },
      90,
      "MAX_DURATION_REACHED",
      4,
    ],
    [
      "a minute in the sandbox",
      { ...full, avatar_id: sandboxAvatarId, is_sandbox: true },
      60,
      "MAX_DURATION_REACHED",
      0,
    ],
    ["the last credit in mode FULL", full, 120, "NO_CREDITS", 4],
    ["the last credit in mode LITE", lite, 240, "NO_CREDITS", 4],
  ])("ends after %s", async (_, request, seconds, reason, credits) => {
    await using service = await startOffering(4);
    const session = await service.mint(request);
    service.emulator.passTime(30_000);
    await service.ask("POST", "/v1/sessions/start", undefined, session.as);
    service.emulator.passTime(seconds * 1000 - 1);
    expect(await service.read(session)).not.toHaveProperty("end_reason");
    service.emulator.passTime(1);
    const ended = { duration: seconds, end_reason: reason, credits_consumed: credits };
    expect(await service.read(session)).toMatchObject(ended);
    expect(await service.left()).toBe((4 - credits).toFixed(2));
  });

  test("costs nothing and is removed if never started", async () => {
    await using service = await startOffering();
    const session = await service.mint(full);
    service.emulator.passTime(599_999);
    expect(await service.read(session)).toMatchObject({ duration: 0, credits_consumed: 0 });
    service.emulator.passTime(1);
    expect(await service.read(session)).toMatchObject({ duration: 0, end_reason: "ZOMBIE_SESSION_REAP" });
    expect(await service.left()).toBe("200.00");
  });

  test("reserves credits for one minute at its start, and does not start without them", async () => {
    await using service = await startOffering(3);
    await service.started(full);
    expect(await service.left()).toBe("1.00");
    const session = await service.mint(full);
    expect(await service.ask("POST", "/v1/sessions/start", undefined, session.as)).toEqual(
      createRefusal(400, "Not enough credits"),
    );
    await service.started({ ...full, avatar_id: sandboxAvatarId, is_sandbox: true });
    await service.started(lite);
    expect(await service.left()).toBe("0.00");
  });

  test("ends when its avatar is deleted", async () => {
    await using service = await startOffering();
    const session = await service.started(full);
    await service.ask("DELETE", `/v1/avatars/${avatar1}`);
    expect(await service.read(session)).toMatchObject({ end_reason: "AVATAR_DELETED" });
  });
});

test("filters sessions by context and by avatar under the liveavatar profile", async () => {
  await using service = await startOffering();
  const [one, other] = [
    await service.started(full),
    await service.started({ ...lite, avatar_id: stockAvatar }),
  ];
  const listed = async (query: string) => {
    const { results } = (await service.data("GET", `/v1/sessions?${query}`)) as { results: { id: string }[] };
    return results.map((row) => row.id);
  };
  expect(await listed("type=active")).toEqual([one.id, other.id]);
  expect(await listed(`type=active&context_id=${context1}`)).toEqual([one.id]);
  expect(await listed(`type=active&avatar_id=${stockAvatar}`)).toEqual([other.id]);
  expect(await listed(`type=active&avatar_id=${stockAvatar}&context_id=${context1}`)).toEqual([]);
  await service.ask("POST", "/v1/sessions/stop", undefined, one.as);
  expect(await listed(`type=active&context_id=${context1}`)).toEqual([]);
  expect(await listed(`type=historic&context_id=${context1}`)).toEqual([one.id]);
});

describe("transcript of a session under the liveavatar profile", () => {
  test("contains the opening text and all messages, with the token's variables filled in", async () => {
    await using service = await startOffering();
    service.emulator.editContext(context1, { opening_text: "Hi ${who}, ${what}?" });
    const session = await service.started({ ...full, dynamic_variables: { who: "Anna" } });
    const path = `/v1/sessions/${session.id}/transcript`;
    service.emulator.passTime(4_000);
    service.emulator.say(session.id, "user", "Hello!");
    service.emulator.say(session.id, "avatar", "Go on.");
    const at = startMs / 1000;
    const [opening, hello, goOn] = [
      { role: "avatar", transcript: "Hi Anna, ${what}?", absolute_timestamp: at, relative_timestamp: 0 },
      { role: "user", transcript: "Hello!", absolute_timestamp: at + 4, relative_timestamp: 4 },
      { role: "avatar", transcript: "Go on.", absolute_timestamp: at + 4, relative_timestamp: 4 },
    ];
    expect(await service.data("GET", path)).toEqual({
      session_active: true,
      transcript_data: [opening, hello, goOn],
      next_timestamp: at + 5,
    });
    expect(await service.data("GET", path, undefined, session.as)).toMatchObject({ session_active: true });
    expect(await service.ask("GET", path, undefined, (await service.mint(full)).as)).toEqual(
      createRefusal(404, "Session not found"),
    );
    expect(await service.data("GET", `${path}?start_timestamp=${at + 1}`)).toMatchObject({
      transcript_data: [hello, goOn],
    });
    expect(await service.data("GET", `${path}?end_timestamp=${at + 4}`)).toMatchObject({
      transcript_data: [opening],
    });
    expect(await service.ask("GET", `${path}?start_timestamp=now`)).toMatchObject({ status: 422 });
    await service.ask("POST", "/v1/sessions/stop", undefined, session.as);
    expect(await service.data("GET", `${path}?start_timestamp=${at + 5}`)).toEqual({
      session_active: false,
      transcript_data: [],
      next_timestamp: null,
    });
  });
});
