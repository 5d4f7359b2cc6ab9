import { expect, test } from "vitest";
import {
  emptyDataset,
  endedSessions,
  generateDataset,
  sandboxAvatarId,
  spreadSessions,
} from "../../src/emulator/index.js";
import { emulatorFor, id, startTime, success } from "./asking.js";

const token = { mode: "FULL", avatar_id: "10000000-0000-4000-8000-000000000000" };
const avatar_persona = { voice_id: "20000000-0000-4000-8000-000000000000", language: "en" };
const sandbox = { mode: "FULL", is_sandbox: true, avatar_id: sandboxAvatarId, avatar_persona };
const shownSession = {
  id: id(1),
  created_at: startTime,
  updated_at: startTime,
  duration: 0,
  source: "API",
  mode: "FULL",
  is_sandbox: false,
  credits_consumed: 0,
};
const listOf = (...results: unknown[]) => success({ count: results.length, results, next: "", previous: "" });

test("a session is active from its token on and historic when its time is over", async () => {
  await using service = await emulatorFor({ world: generateDataset({ avatars: 1 }) });
  await service.ask("POST", "/v1/sessions/token", { ...token, max_session_duration: 300 });
  expect(await service.ask("GET", "/v1/sessions?type=active")).toEqual(listOf(shownSession));
  service.passMs(61_000);
  expect(await service.ask("GET", "/v1/sessions?type=active")).toEqual(
    listOf({ ...shownSession, duration: 61, credits_consumed: 4 }),
  );
  service.passMs(1_000_000);
  const ended = {
    ...shownSession,
    updated_at: "2025-06-21T12:05:00.000Z",
    duration: 300,
    credits_consumed: 10,
  };
  expect(await service.ask("GET", "/v1/sessions?type=active")).toEqual(listOf());
  expect(await service.ask("GET", "/v1/sessions?type=historic")).toEqual(listOf(ended));
});

test("a sandbox session ends after a minute and costs nothing", async () => {
  await using service = await emulatorFor();
  await service.ask("POST", "/v1/sessions/token", { ...sandbox, max_session_duration: 3600 });
  service.passMs(59_999);
  const running = { ...shownSession, is_sandbox: true, duration: 59 };
  expect(await service.ask("GET", "/v1/sessions?type=active")).toEqual(listOf(running));
  service.passMs(1);
  expect(await service.ask("GET", "/v1/sessions?type=historic")).toEqual(
    listOf({ ...running, duration: 60, updated_at: "2025-06-21T12:01:00.000Z" }),
  );
});

test("sessions are listed in pages of each type", async () => {
  await using service = await emulatorFor({ world: generateDataset({ avatars: 1 }) });
  for (let i = 0; i < 5; i++) service.emulator.addSession({ ended_at: i % 2 === 0 ? startTime : null });
  const listed = async (query: string) => {
    const { body } = await service.ask("GET", `/v1/sessions?${query}`);
    const { count, results } = (body as { data: { count: number; results: { id: string }[] } }).data;
    return [count, results.map(({ id }) => id)];
  };
  expect(await listed("type=historic&page_size=2")).toEqual([3, [id(1), id(3)]]);
  expect(await listed("type=historic&page_size=2&page=2")).toEqual([3, [id(5)]]);
  expect(await listed("type=active&page_size=2")).toEqual([2, [id(2), id(4)]]);
});

test("an account of any size has sessions of every end reason, each with an id of its own", () => {
  const sessions = endedSessions(70_000, Date.parse(startTime));
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(70_000);
  expect([...new Set(sessions.map(({ end_reason }) => end_reason))].sort()).toEqual([
    "AGENT_HANG_UP",
    "AVATAR_DELETED",
    "IDLE_TIMEOUT",
    "MAX_DURATION_REACHED",
    "NO_CREDITS",
    "SERVER_ERROR",
    "UNKNOWN",
    "USER_CLOSED",
    "USER_DISCONNECTED",
    "ZOMBIE_SESSION_REAP",
  ]);
});

test("an account of a million sessions holds a few bytes of each, spread over the last 60 days", async () => {
  const nowMs = Date.parse(startTime);
  const before = process.memoryUsage();
  const many = spreadSessions(1_000_000, nowMs);
  await using service = await emulatorFor({ world: { ...emptyDataset(), sessions: many } });
  const { body } = await service.ask("GET", "/v1/sessions?type=historic&page_size=2&page=500000");
  const { count, results } = (body as { data: { count: number; results: { created_at: string }[] } }).data;
  const now = process.memoryUsage();
  expect([count, results.map(({ created_at }) => created_at)]).toEqual([
    1_000_000,
    many.slice(-2).map(({ created_at }) => created_at),
  ]);
  expect(now.heapUsed - before.heapUsed).toBeLessThan(200_000_000);

  const sessions = spreadSessions(6000, nowMs);
  const startsMs = sessions.map(({ created_at }) => Date.parse(created_at));
  expect(startsMs).toEqual(startsMs.toSorted((a, b) => a - b));
  expect(Math.max(...sessions.map(({ ended_at }) => Date.parse(ended_at ?? "")))).toBeLessThanOrEqual(nowMs);
  const days = startsMs.map((ms) => Math.floor((nowMs - ms) / 86_400_000));
  expect(new Set(days).size).toBeGreaterThanOrEqual(60);
  const later = days.filter((day) => day < 30).length;
  expect(later).toBeGreaterThan(6000 - later);
  expect(JSON.parse(JSON.stringify(sessions[0]))).toMatchObject({
    id: sessions[0]?.id,
    end_reason: expect.any(String),
  });
});

test("a session that somebody ends is historic from then on, with the reason", async () => {
  await using service = await emulatorFor({ behaviour: { extraFields: true } });
  const { id } = service.emulator.addSession();
  service.passMs(90_000);
  service.emulator.endSession(id, "USER_CLOSED");
  const { body } = await service.ask("GET", "/v1/sessions?type=historic");
  expect(body).toMatchObject({
    data: { results: [{ id, duration: 90, credits_consumed: 4, end_reason: "USER_CLOSED" }] },
  });
  expect(() => service.emulator.endSession(id)).toThrow(`there is no active session ${id}`);
});

test("oddSessions shows some sessions in shapes that are not documented, the same ones each time", async () => {
  const world = { ...emptyDataset(), sessions: endedSessions(100, Date.parse(startTime)) };
  await using service = await emulatorFor({ world, behaviour: { oddSessions: 4 } });
  const listed = async () => {
    const { body } = await service.ask("GET", "/v1/sessions?type=historic&page_size=100");
    return (body as { data: { results: unknown[] } }).data.results;
  };
  const results = await listed();
  expect(await listed()).toEqual(results);
  const ids = new Set(world.sessions.map(({ id }) => id));
  const fields = (entry: unknown) =>
    typeof entry === "object" ? Object.keys(entry ?? {}).length : typeof entry;
  expect(new Set(results.map(fields))).toEqual(new Set([8, "string", 7, 1, 10]));
  expect(results).toContainEqual(expect.objectContaining({ mode: "HOLOGRAM", source: "PHONE" }));
  expect(results).toContainEqual(expect.objectContaining({ created_at: "yesterday" }));
  expect(results.filter((entry) => typeof entry === "string").every((entry) => ids.has(`${entry}`))).toBe(
    true,
  );
});
