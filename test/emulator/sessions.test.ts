import { expect, test } from "vitest";
import { generateDataset, sandboxAvatarId } from "../../src/emulator/index.js";
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
