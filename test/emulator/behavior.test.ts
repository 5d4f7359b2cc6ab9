import { expect, test } from "vitest";
import { type Behavior, generateDataset, parseBehavior } from "../../src/emulator/index.js";
import { startTestEmulator } from "./asking.js";
import { expectResponses } from "./exchanges.js";

test("changes emulator responses as documented for each behavior", () => {
  const world = () => generateDataset({ avatars: 1, voices: 1, contexts: 3 });
  return expectResponses(`${import.meta.dirname}/behavior.txt`, () => ({ world: world() }));
});

test("limits requests to each emulator endpoint in fixed windows of one second with rateLimitPerSecond", async () => {
  await using service = await startTestEmulator({
    behavior: { rateLimitPerSecond: 2 },
  });
  const ask = async (path: string) => (await service.ask("GET", path)).status;
  const [avatars, contexts] = ["/v1/avatars", "/v1/contexts"];
  expect([await ask(avatars), await ask(avatars)]).toEqual([200, 200]);
  const { status, headers } = await service.send("GET", avatars);
  expect([status, headers.get("retry-after"), headers.get("x-ratelimit-reset")]).toEqual([429, "1", "1"]);
  expect(await ask(contexts)).toBe(200);
  service.passMs(999);
  expect(await ask(avatars)).toBe(429);
  service.passMs(1);
  expect(await ask(avatars)).toBe(200);
});

test("limits emulator requests by token bucket with rateLimitBurst, and omits Retry-After with retryAfter=false", async () => {
  await using service = await startTestEmulator({
    behavior: { rateLimitPerSecond: 2, rateLimitBurst: 3, retryAfter: false },
  });
  const ask = async (path = "/v1/avatars") => (await service.ask("GET", path)).status;
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
  expect(await ask("/v1/contexts")).toBe(200);
  service.passMs(499);
  const { status, headers } = await service.send("GET", "/v1/avatars");
  expect([status, headers.get("retry-after"), headers.get("x-ratelimit-reset")]).toEqual([429, null, "1"]);
  service.passMs(1);
  expect([await ask(), await ask()]).toEqual([200, 429]);
  service.passMs(10_000);
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
});

test("returns emulator lists in the order set by listOrder", async () => {
  await using service = await startTestEmulator({ world: generateDataset({ contexts: 40 }) });
  const listed = async (listOrder: Behavior["listOrder"], page = 1) => {
    service.emulator.setBehavior({ listOrder });
    const { body } = await service.ask("GET", `/v1/contexts?page_size=20&page=${page}`);
    return (body as { data: { results: { name: string }[] } }).data.results.map(({ name }) => name);
  };
  const names = (from: number, to: number) =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => `Context ${from + (to > from ? i : -i)}`);
  expect(await listed("created")).toEqual(names(1, 20));
  expect(await listed("updated")).toEqual(names(40, 21));
  service.emulator.editContext("Context 3", { prompt: "edited" });
  expect((await listed("updated")).slice(0, 3)).toEqual(["Context 3", "Context 40", "Context 39"]);
  expect(await listed("newest")).toEqual(names(40, 21));
  const shuffled = [...(await listed("shuffled")), ...(await listed("shuffled", 2))];
  expect(shuffled.toSorted()).toEqual(names(1, 40).toSorted());
  expect(shuffled).not.toEqual(names(1, 40));
  expect(await listed("shuffled")).toEqual(shuffled.slice(0, 20));
});

test("returns overlapping list pages from the emulator with listOrder=reshuffled or listOrder=tied", async () => {
  await using service = await startTestEmulator({ world: generateDataset({ contexts: 40 }) });
  for (const context of service.emulator.world.contexts) context.created_at = "2026-01-01T00:00:00.000Z";
  const read = async (listOrder: Behavior["listOrder"], page: number, size = 20) => {
    service.emulator.setBehavior({ listOrder });
    const { body } = await service.ask("GET", `/v1/contexts?page_size=${size}&page=${page}`);
    return (body as { data: { results: { id: string }[] } }).data.results.map(({ id }) => id);
  };
  const sweep = async (listOrder: Behavior["listOrder"], size = 20) => [
    ...(await read(listOrder, 1, size)),
    ...(await read(listOrder, 2, size)),
  ];
  expect(await read("reshuffled", 1)).not.toEqual(await read("reshuffled", 1));
  expect(new Set(await sweep("reshuffled")).size).toBeLessThan(40);
  const tied = await sweep("tied");
  expect(new Set(tied).size).toBeLessThan(40);
  expect(await sweep("tied")).toEqual(tied);
  expect(await sweep("tied", 19)).not.toEqual(tied.slice(0, 38));
});

test.each([
  ["exact", 3],
  ["absent", undefined],
  ["too-large", 4],
  ["too-small", 2],
] as const)(
  "applies listCount=%s to an emulator list of three contexts and returns the count %s",
  async (listCount, count) => {
    await using service = await startTestEmulator({
      world: generateDataset({ contexts: 3 }),
      behavior: { listCount },
    });
    const { body } = await service.ask("GET", "/v1/contexts");
    expect((body as { data: { count?: number } }).data.count).toBe(count);
  },
);

test.each([
  ["links", '"links" is not a setting. Write name=value, such as links=merge'],
  ["links=keep", "links: must be one of: replace, merge"],
  ["nulls=1", "nulls: must be true or false"],
  ["credits=soon", "credits: must be an integer of at least 0"],
  ["secretTypes=A,", "secretTypes.1: must have at least 1 characters"],
  ["link=merge", "link: is unknown; use one of successCode"],
])("rejects the emulator behavior %s", (line, message) => {
  expect(() => parseBehavior(line)).toThrow(message);
});
