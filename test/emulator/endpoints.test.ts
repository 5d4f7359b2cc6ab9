import fc from "fast-check";
import { expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { createId, startTestEmulator, startTime } from "./asking.js";
import { expectResponses, readExchanges } from "./exchanges.js";

const createSmallWorld = () => generateDataset({ avatars: 2, voices: 1, contexts: 2, sessions: 0 });
const avatar1 = "10000000-0000-4000-8000-000000000000";
const nowhere = "00000000-0000-4000-8000-000000000000";

const secret = { secret_name: "llm", secret_value: "sk-1", secret_type: "LLMPROVIDER_API_KEY" };
const golden = `${import.meta.dirname}/endpoints.txt`;

test("responds as documented at each emulator endpoint", () =>
  expectResponses(golden, () => ({ world: createSmallWorld() })));

test("leaves the emulated account unchanged if a request is rejected", async () => {
  await using service = await startTestEmulator({ world: createSmallWorld() });
  for (const { method, path, body, status } of readExchanges(golden))
    if (status !== 200) await service.ask(method, path, body);
  expect(service.emulator.world).toEqual(createSmallWorld());
});

test("keeps a link's known id in an emulated update, and replaces a missing, unknown or repeated id", async () => {
  await using service = await startTestEmulator();
  const a = { url: "https://a.example", faq: "A" };
  const b = { url: "https://b.example", faq: "B" };
  await service.ask("POST", "/v1/contexts", { name: "c", links: [a, b] });
  const links = [{ ...b, id: createId(3) }, a, { ...a, id: nowhere }, { ...b, id: createId(3) }];
  await service.ask("PATCH", `/v1/contexts/${createId(1)}`, { links });
  expect(service.emulator.world.contexts[0]?.links).toEqual([
    { ...b, id: createId(3) },
    { ...a, id: createId(4) },
    { ...a, id: createId(5) },
    { ...b, id: createId(6) },
  ]);
});

test("stores two emulated secrets with the same name and different values", async () => {
  await using service = await startTestEmulator();
  await service.ask("POST", "/v1/secrets", secret);
  await service.ask("POST", "/v1/secrets", { ...secret, secret_value: "sk-2" });
  const stored = { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", created_at: startTime };
  expect(service.emulator.world.secrets).toEqual([
    { ...stored, id: createId(1) },
    { ...stored, id: createId(2) },
  ]);
  expect([createId(1), createId(2), createId(3)].map(service.emulator.secretValue)).toEqual([
    "sk-1",
    "sk-2",
    undefined,
  ]);
});

test("handles every JSON request body without an internal error in the emulator", async () => {
  await using service = await startTestEmulator({ world: createSmallWorld() });
  const bodies = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.jsonValue(),
        prompt: fc.jsonValue(),
        links: fc.jsonValue(),
        avatar_id: fc.constant(avatar1),
        mode: fc.constant("FULL"),
        avatar_persona: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const paths = ["/v1/contexts", "/v1/secrets", "/v1/sessions/token"];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (path, body) => {
      expect([200, 400]).toContain((await service.ask("POST", path, JSON.stringify(body))).status);
    }),
  );
});
