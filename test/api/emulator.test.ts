import { afterEach, expect, test } from "vitest";
import { openService, type Service } from "../../src/core/api/index.js";
import {
  type Emulator,
  type EmulatorOptions,
  generateDataset,
  startEmulator,
} from "../../src/emulator/index.js";
import { contextBody, failureOf } from "./raw-service.js";

let open: { emulator: Emulator; service: Service } | undefined;

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options);
  const service = openService({ baseUrl: emulator.url, apiKey: "test-key", backoffMs: 1 });
  open = { emulator, service };
  return open;
}

afterEach(async () => {
  await open?.service.close();
  await open?.emulator.close();
  open = undefined;
});

test.each([
  ["the document to the letter", {}],
  [
    "a deployment",
    {
      successCode: 1000,
      nulls: true,
      extraFields: true,
      nextStyle: "null" as const,
      listOrder: "shuffled" as const,
    },
  ],
])("against %s, every operation works", async (_name, behaviour) => {
  const { service, emulator } = await start({
    behaviour,
    world: generateDataset({ avatars: 130, voices: 2, contexts: 250 }),
  });
  const avatars = await service.avatars.list();
  expect({ ...avatars, entries: avatars.entries.length }).toEqual({
    entries: 130,
    count: 130,
    complete: true,
    pages: 2,
  });
  const [host] = avatars.entries;
  if (!host) throw new Error("There is no avatar");
  expect(await service.avatars.read(host.id)).toEqual(host);
  expect(await service.avatars.rename(host.id, "Renamed")).toMatchObject({ id: host.id, name: "Renamed" });
  const voiceId = host.default_voice?.id ?? "";
  expect(await service.voices.rename(voiceId, "Narrator")).toMatchObject({ id: voiceId, name: "Narrator" });

  const made = await service.contexts.create({
    ...contextBody,
    links: [{ url: "https://example.com", faq: "Q" }],
  });
  expect(made).toMatchObject({
    ...contextBody,
    links: [{ url: "https://example.com", faq: "Q", id: expect.any(String) }],
  });
  expect(await service.contexts.read(made.id)).toEqual(made);
  const changed = await service.contexts.update(made.id, { ...contextBody, opening_text: "" });
  expect(changed).toMatchObject({ ...contextBody, opening_text: "" });
  expect((await service.contexts.list()).entries.length).toBe(251);

  const secret = { secret_name: "llm", secret_value: "v", secret_type: "LLMPROVIDER_API_KEY" };
  expect(await service.secrets.create(secret)).toEqual({ id: expect.any(String), secret_name: "llm" });
  expect((await service.sessions.page("active", 1, 100)).entries).toEqual([]);
  expect(service.serverTime()).toBeGreaterThan(0);
  expect(service.requests.total).toBe(emulator.requests.length);
});

test("what is not there is undefined, and a name that is taken is told", async () => {
  const { service } = await start();
  expect(await service.contexts.read("30000000-0000-4000-8000-999999999999")).toBeUndefined();
  await service.contexts.create(contextBody);
  expect((await failureOf(service.contexts.create(contextBody))).code).toBe("name-taken");
});

test.each(["envelope", "envelope-list", "detail"] as const)(
  "refusals are read in the form %s",
  async (errorBodies) => {
    const { service } = await start({ behaviour: { errorBodies } });
    const error = await failureOf(
      service.secrets.create({ secret_name: "", secret_value: "some-long-value", secret_type: "NONE" }),
    );
    expect(error).toMatchObject({ code: "refused", outcome: "refused" });
    expect(error.message).toContain("secret_name");
  },
);

test("a create whose answer is lost is left unknown, and exists once", async () => {
  const { service } = await start({ faults: [{ do: { kind: "drop", when: "after" } }] });
  expect(await failureOf(service.contexts.create(contextBody))).toMatchObject({
    code: "cut",
    outcome: "unknown",
  });
  expect((await service.contexts.list()).entries.map(({ name }) => name)).toEqual(["Support"]);
});

test("a burst against a rate limit goes through whole, once each", async () => {
  const { service } = await start({ behaviour: { rateLimitPerSecond: 40 } });
  const names = Array.from({ length: 60 }, (_, index) => `Context ${index}`);
  await Promise.all(names.map((name) => service.contexts.create({ ...contextBody, name })));
  const listed = (await service.contexts.list()).entries.map(({ name }) => name);
  expect(listed.sort()).toEqual(names.sort());
});
