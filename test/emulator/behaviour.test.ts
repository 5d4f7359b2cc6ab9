import { expect, test } from "vitest";
import {
  type Behaviour,
  defaultBehaviour,
  generateDataset,
  parseBehaviour,
} from "../../src/emulator/index.js";
import { emulatorFor, id, refusal, startTime } from "./asking.js";

const context1 = "30000000-0000-4000-8000-000000000000";

/** The `data` of the answer to one request under a behaviour. */
async function dataUnder(behaviour: Partial<Behaviour>, method: string, path: string, body?: unknown) {
  await using service = await emulatorFor({ behaviour, world: generateDataset({ avatars: 1, contexts: 3 }) });
  const heard = await service.ask(method, path, body);
  return (heard.body as { data: unknown }).data;
}

test("successCode is the code of every success and of no refusal", async () => {
  await using service = await emulatorFor({ behaviour: { successCode: 1000 } });
  expect(await service.ask("GET", "/v1/avatars")).toMatchObject({ status: 200, body: { code: 1000 } });
  expect(await service.ask("GET", "/v1/rooms")).toEqual(refusal(404, "Page not found"));
});

test.each([
  ["replace" as const, ["A2", "new"]],
  ["merge" as const, ["A2", "B", "new"]],
])("links=%s decides about links a PATCH does not mention", async (links, kept) => {
  await using service = await emulatorFor({ behaviour: { links } });
  const link = (faq: string) => ({ url: "https://x.example", faq });
  await service.ask("POST", "/v1/contexts", { name: "c", links: [link("A"), link("B")] });
  await service.ask("PATCH", `/v1/contexts/${id(1)}`, { links: [{ ...link("A2"), id: id(2) }, link("new")] });
  expect(service.emulator.world.contexts[0]?.links.map(({ faq }) => faq)).toEqual(kept);
});

test("contextNames=free lets two contexts have one name", async () => {
  await using service = await emulatorFor({ behaviour: { contextNames: "free" } });
  await service.ask("POST", "/v1/contexts", { name: "twin" });
  await service.ask("POST", "/v1/contexts", { name: "twin" });
  expect(service.emulator.world.contexts.map(({ name }) => name)).toEqual(["twin", "twin"]);
});

test.each([
  ["current" as const, "Ada"],
  ["outdated" as const, "Voice 1"],
])("voiceNames=%s is how avatars show a voice that was renamed", async (voiceNames, shown) => {
  const world = generateDataset({ avatars: 1, voices: 1 });
  await using service = await emulatorFor({ behaviour: { voiceNames }, world });
  const voice = world.voices[0]?.id ?? "";
  for (const rename of [
    () => service.ask("PATCH", `/v1/voices/${voice}`, { name: "Ada" }),
    () => service.emulator.renameVoice(voice, "Ada"),
  ]) {
    await rename();
    expect(service.emulator.world).toMatchObject({
      voices: [{ name: "Ada" }],
      avatars: [{ default_voice: { name: shown } }],
    });
  }
});

test("nulls shows empty optional fields as null", async () => {
  expect(await dataUnder({ nulls: true }, "GET", `/v1/contexts/${context1}`)).toMatchObject({
    opening_text: null,
    links: null,
  });
  expect(await dataUnder({ nulls: true }, "GET", "/v1/avatars")).toMatchObject({
    results: [{ error_message: null, preview_url: null, space_id: null, default_voice: null }],
    next: null,
    previous: null,
  });
  expect(await dataUnder({}, "GET", "/v1/avatars")).toMatchObject({
    results: [expect.not.objectContaining({ default_voice: null })],
  });
});

test("extraFields shows fields and values the document does not know", async () => {
  await using service = await emulatorFor({
    behaviour: { extraFields: true },
    world: generateDataset({ avatars: 1, voices: 1 }),
  });
  const { emulator } = service;
  emulator.addContext({ name: "c", prompt: "Hello ${who}, ${who} and ${what}" });
  emulator.addSession();
  emulator.addSession({ ended_at: startTime, end_reason: "ERROR" });
  const list = async (path: string) =>
    ((await service.ask("GET", path)).body as { data: { results: unknown[] } }).data.results[0];
  expect(await service.ask("GET", "/v1/avatars")).toMatchObject({ body: { request_id: expect.any(String) } });
  expect(await list("/v1/avatars")).toMatchObject({ status: "HIBERNATING", type: "VIDEO", is_1080p: true });
  expect(await list("/v1/contexts")).toMatchObject({ type: "CUSTOM" });
  expect(await list("/v1/sessions?type=active")).toMatchObject({ source: "KIOSK", mode: "HOLOGRAM" });
  expect(await list("/v1/sessions?type=historic")).toMatchObject({ end_at: startTime, end_reason: "ERROR" });
  expect(await service.ask("GET", `/v1/contexts/${emulator.world.contexts[0]?.id}`)).toMatchObject({
    body: { data: { required_dynamic_variables: ["who", "what"] } },
  });
  expect(
    await service.ask("PATCH", `/v1/voices/${emulator.world.voices[0]?.id}`, { name: "v" }),
  ).toMatchObject({
    body: { data: { gender: "neutral", provider: "elsewhere" } },
  });
});

test("promptCutAt cuts a prompt silently, on creation and on update", async () => {
  const cut = { promptCutAt: 5 };
  expect(await dataUnder(cut, "POST", "/v1/contexts", { name: "c", prompt: "123456" })).toMatchObject({
    prompt: "12345",
  });
  expect(await dataUnder(cut, "PATCH", `/v1/contexts/${context1}`, { prompt: "abcdef" })).toMatchObject({
    prompt: "abcde",
  });
});

test("requireAllOnPatch refuses a partial context", async () => {
  await using service = await emulatorFor({
    behaviour: { requireAllOnPatch: true },
    world: generateDataset({ contexts: 1 }),
  });
  const patch = (body: unknown) => service.ask("PATCH", `/v1/contexts/${context1}`, body);
  expect(await patch({ name: "c" })).toEqual(
    refusal(400, "body.prompt: is missing; body.opening_text: is missing"),
  );
  expect(await patch({ name: "c", prompt: "p", opening_text: "" })).toMatchObject({ status: 200 });
});

const problem = "body.name: is missing";
test.each([
  [
    "envelope",
    400,
    { code: 4000, data: null, message: problem },
    { code: 4010, data: null, message: "Invalid API key" },
  ],
  [
    "envelope-list",
    400,
    { code: 4000, data: [{ message: problem }], message: problem },
    { code: 4010, data: [{ message: "Invalid API key" }], message: "Invalid API key" },
  ],
  [
    "detail",
    422,
    { detail: [{ loc: ["body", "name"], msg: "is missing", type: "value_error" }] },
    { detail: "Invalid API key" },
  ],
  [
    "envelope-422",
    422,
    { code: 4000, data: [{ loc: ["body", "name"], message: "is missing" }], message: problem },
    { code: 4010, data: null, message: "Invalid API key" },
  ],
] as const)("errorBodies=%s is the form of refusals", async (errorBodies, status, wrongBody, wrongKey) => {
  await using service = await emulatorFor({ behaviour: { errorBodies } });
  expect(await service.ask("POST", "/v1/contexts", {})).toEqual({ status, body: wrongBody });
  expect(await service.ask("GET", "/v1/contexts", undefined, { "x-api-key": "no" })).toEqual({
    status: 401,
    body: wrongKey,
  });
});

test("rateLimitPerSecond counts by key and endpoint in fixed windows", async () => {
  await using service = await emulatorFor({
    apiKeys: { "test-key": "main", other: "main" },
    behaviour: { rateLimitPerSecond: 2 },
  });
  const ask = async (path: string, key = "test-key") =>
    (await service.ask("GET", path, undefined, { "x-api-key": key })).status;
  const [avatars, contexts] = ["/v1/avatars", "/v1/contexts"];
  expect([await ask(avatars), await ask(avatars), await ask(avatars)]).toEqual([200, 200, 429]);
  expect([await ask(contexts), await ask(avatars, "other")]).toEqual([200, 200]);
  service.passMs(999);
  expect(await ask(avatars)).toBe(429);
  service.passMs(1);
  expect(await ask(avatars)).toBe(200);
});

test.each([
  [true, "1"],
  [false, null],
])(
  "rateLimitRetryAfter=%s decides whether a 429 says when to come back",
  async (rateLimitRetryAfter, retryAfter) => {
    await using service = await emulatorFor({ behaviour: { rateLimitPerSecond: 1, rateLimitRetryAfter } });
    await service.ask("GET", "/v1/avatars");
    const { status, headers } = await service.send("GET", "/v1/avatars");
    expect([status, headers.get("retry-after"), headers.get("x-ratelimit-reset")]).toEqual([
      429,
      retryAfter,
      retryAfter,
    ]);
  },
);

test("latencyMs delays every response", async () => {
  await using service = await emulatorFor({ behaviour: { latencyMs: 60_000 } });
  const first = service.send("GET", "/v1/avatars").catch(() => "never answered");
  await expect.poll(() => service.emulator.requests.length).toBe(1);
  service.emulator.setBehaviour({ latencyMs: 0 });
  expect((await service.send("GET", "/v1/avatars")).status).toBe(200);
  expect(service.emulator.requests.map(({ status }) => status)).toEqual([undefined, 200]);
  await service.emulator.close();
  expect(await first).toBe("never answered");
});

test("listOrder orders lists by creation, either way, by the last update, or by none of these", async () => {
  await using service = await emulatorFor({ world: generateDataset({ contexts: 40 }) });
  const listed = async (listOrder: Behaviour["listOrder"], page = 1) => {
    service.emulator.setBehaviour({ listOrder });
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

test.each([
  [
    "url",
    { next: expect.stringMatching(/^http.*page_size=1&page=3$/), previous: expect.stringMatching(/page=1$/) },
  ],
  ["marker", { next: "page-3", previous: "page-1" }],
  ["null", { next: null, previous: null }],
  ["absent", {}],
] as const)("nextStyle=%s decides how neighbouring pages are named", async (nextStyle, named) => {
  const { count, results, ...neighbours } = (await dataUnder(
    { nextStyle },
    "GET",
    "/v1/contexts?page_size=1&page=2",
  )) as {
    count: number;
    results: unknown[];
  };
  expect([count, results.length, neighbours]).toEqual([3, 1, named]);
});

test.each([
  ["s", "2025-06-21T12:00:00Z"],
  ["ms", "2025-06-21T12:00:00.250Z"],
  ["us", "2025-06-21T12:00:00.250000Z"],
] as const)("timestampPrecision=%s decides how many digits times have", async (timestampPrecision, shown) => {
  await using service = await emulatorFor({ behaviour: { timestampPrecision } });
  service.passMs(250);
  expect(await service.ask("POST", "/v1/contexts", { name: "c" })).toMatchObject({
    body: { data: { created_at: shown, updated_at: shown } },
  });
});

test("secretTypes are the types of secrets accepted", async () => {
  await using service = await emulatorFor({ behaviour: { secretTypes: ["OPENAI_API_KEY"] } });
  const post = (secret_type: string) =>
    service.ask("POST", "/v1/secrets", { secret_name: "n", secret_value: "v", secret_type });
  expect(await post("OPENAI_API_KEY")).toMatchObject({ status: 200 });
  expect(await post("LLMPROVIDER_API_KEY")).toEqual(
    refusal(400, "body.secret_type: must be one of: OPENAI_API_KEY"),
  );
});

test.each<[string, Partial<Behaviour>]>([
  ["links=merge", { links: "merge" }],
  [" nulls = true ", { nulls: true }],
  ["successCode=1000", { successCode: 1000 }],
  ["promptCutAt=65535", { promptCutAt: 65535 }],
  ["promptCutAt=off", { promptCutAt: null }],
  ["secretTypes=A,B", { secretTypes: ["A", "B"] }],
])("parseBehaviour reads %s", (line, read) => {
  expect(parseBehaviour(line)).toEqual(read);
});

test.each([
  ["links", 'behaviour: "links" is not a setting; write name=value, such as links=merge'],
  ["links=keep", "behaviour: links: must be one of: replace, merge"],
  ["nulls=1", "behaviour: nulls: must be true or false"],
  ["latencyMs=off", "behaviour: latencyMs: must be an integer of at least 0"],
  ["secretTypes=A,", "behaviour: secretTypes.1: must have at least 1 characters"],
  ["link=merge", `behaviour: link: is unknown; use one of ${Object.keys(defaultBehaviour).join(", ")}`],
])("parseBehaviour refuses %s", (line, message) => {
  expect(() => parseBehaviour(line)).toThrow(message);
});
