import { expect, test } from "vitest";
import {
  createEmptyDataset,
  createSampleDataset,
  generateDataset,
  sandboxAvatarId,
} from "../../src/emulator/index.js";
import { createRefusal, startMs, startTestEmulator } from "./asking.js";
import { expectResponses, readExchanges } from "./exchanges.js";

const createSmallWorld = () => ({
  ...generateDataset({ avatars: 2, voices: 1, contexts: 2, sessions: 0 }),
  secrets: [
    { id: "sec-old", secret_name: "llm", secret_type: "LLM_API_KEY", created_at: "2025-01-01T00:00:00.000Z" },
  ],
});
const avatar1 = "10000000-0000-4000-8000-000000000000";
const voice1 = "20000000-0000-4000-8000-000000000000";

const golden = `${import.meta.dirname}/profile.txt`;

test("responds as documented at the liveavatar profile's emulator endpoints", () =>
  expectResponses(golden, () => ({ profile: "liveavatar", world: createSmallWorld() })));

test("emulates the profile's endpoints, codes and statuses only if the profile is set", async () => {
  await using service = await startTestEmulator({ world: createSmallWorld() });
  for (const { method, path, body, status } of readExchanges(golden)) {
    const heard = await service.ask(method, path, body);
    if (method === "DELETE" || /llm|voices/.test(path))
      expect([method, path, heard.status]).toEqual([
        method,
        path,
        method === "PATCH" ? 404 : expect.toSatisfy((one) => one === 404 || one === 405),
      ]);
    if (status === 422) expect(heard.status).not.toBe(422);
  }
  expect(await service.ask("PATCH", `/v1/avatars/${avatar1}`, { default_voice_id: voice1 })).toEqual(
    createRefusal(400, "body.name: is missing"),
  );
  expect(await service.ask("GET", "/v1/avatars/public")).toEqual(createRefusal(404, "Avatar not found"));
  expect(await service.ask("POST", "/v1/contexts", { name: "alone" })).toMatchObject({ body: { code: 100 } });
});

test("lists the emulator's stock avatars in pages without an API key, and omits the account's own avatars", async () => {
  await using service = await startTestEmulator({
    profile: "liveavatar",
    world: createSampleDataset(startMs, "liveavatar"),
  });
  const none = { "x-api-key": "" };
  const listed = async (path: string) =>
    (await service.ask("GET", path, undefined, none)).body as {
      data: { count: number; results: { id: string; status: string }[] };
    };
  const { count, results } = (await listed("/v1/avatars/public?page_size=100")).data;
  expect(count).toBe(results.length);
  expect(results.length).toBeGreaterThan(20);
  expect((await listed("/v1/avatars/public?page=2")).data.results).toEqual(results.slice(20, 40));
  const stock = results.map((one) => one.id);
  expect(stock).toContain(sandboxAvatarId);
  const own = service.emulator.world.avatars.map((one) => one.id);
  expect([own.length, own.filter((one) => stock.includes(one))]).toEqual([5, []]);
  expect(await service.ask("GET", "/v1/avatars", undefined, none)).toMatchObject({ status: 401 });
});

test("overrides the emulator profile's behavior with explicit settings", async () => {
  await using service = await startTestEmulator({
    profile: "liveavatar",
    behavior: { successCode: 7 },
    world: createEmptyDataset(),
  });
  expect(await service.ask("GET", "/v1/contexts")).toMatchObject({ body: { code: 7 } });
});
