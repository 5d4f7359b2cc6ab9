import { expect, test } from "vitest";
import type { Service } from "../../src/core/api/index.js";
import {
  catchFailure,
  context,
  createSuccess,
  operations,
  type Reply,
  startRawService,
} from "./raw-service.js";

const times = { created_at: "2025-01-01T00:00:00Z", updated_at: "2025-01-02T00:00:00Z" };
const avatar = {
  id: "a-1",
  name: "Host",
  ...times,
  error_message: "",
  space_id: "s",
  status: "TELEPORTING",
  preview_url: "https://example.com/p",
  is_expired: true,
  default_voice: { id: "v-1", name: "Narrator" },
};
const voice = {
  id: "v-1",
  name: "V",
  language: "en",
  gender: "f",
  ...times,
  tags: ["warm"],
  description: "d",
};
const session = {
  id: "s-1",
  ...times,
  duration: 1.5,
  source: "FRIDGE",
  mode: "FULL",
  is_sandbox: true,
  credits_consumed: 0.25,
  end_at: "2025-01-02T00:00:00Z",
  end_reason: "USER",
};

type Read = (service: Service) => Promise<unknown>;
const rename: Read = ({ voices }) => voices.rename("v-1", "V");
const readAvatar: Read = ({ avatars }) => avatars.read("a-1");

test.each<[string, Read, unknown, unknown]>([
  ["an avatar", readAvatar, avatar, avatar],
  [
    "a sparse avatar",
    readAvatar,
    { id: "a-1", name: null, default_voice: null, is_expired: null },
    { ...clearFields(avatar), id: "a-1", is_expired: false, default_voice: undefined },
  ],
  ["a renamed avatar", ({ avatars }) => avatars.rename("a-1", "Host"), avatar, avatar],
  ["a voice", rename, { ...voice, accent: "new field" }, voice],
  ["a sparse voice", rename, { id: "v-1" }, { ...clearFields(voice), id: "v-1", tags: [] }],
  ["a context", operations.GET, { ...context, required_dynamic_variables: [] }, context],
  [
    "a sparse context",
    operations.GET,
    { id: "c-1", prompt: null, links: [{ url: "u" }] },
    { ...clearFields(context), id: "c-1", links: [{ url: "u", faq: "", id: "" }] },
  ],
  ["a session", ({ sessions }) => sessions.read("s-1"), session, session],
  ["credits as a number", ({ sessions }) => sessions.readCredits(), { credits_left: 1.5 }, "1.5"],
  [
    "a transcript without times",
    ({ sessions }) => sessions.readTranscript("s-1"),
    { session_active: null, next_timestamp: null, transcript_data: [{ role: "ghost" }] },
    { session_active: false, transcript_data: [{ role: "ghost", transcript: "" }] },
  ],
  [
    "a token",
    ({ sessions }) => sessions.createToken({ mode: "FULL" }),
    { session_id: "s-1", session_token: "t", url: "u" },
    { session_id: "s-1", session_token: "t", url: "u" },
  ],
  [
    "a secret",
    ({ secrets }) => secrets.create({ secret_name: "n", secret_value: "v", secret_type: "t" }),
    { id: "x", secret_name: "n", created: 1 },
    { id: "x", secret_name: "n" },
  ],
])("converts the service's response to %s", async (_name, read, data, expected) => {
  await using raw = await startRawService([createSuccess(data)]);
  expect(await read(raw.service)).toEqual(expected);
});

function clearFields<T extends object>(whole: T): Record<string, unknown> {
  return Object.fromEntries(Object.keys(whole).map((key) => [key, ""]));
}

test.each<[string, unknown, string]>([
  ["no data", null, "data"],
  ["no id", { ...context, id: undefined }, "data.id"],
  ["an empty id", { ...context, id: "" }, "data.id"],
  ["a prompt that is a number", { ...context, prompt: 5 }, "data.prompt"],
  ["no prompt, as in a list", { ...context, prompt: undefined }, "data.prompt"],
  ["links that are not a list", { ...context, links: {} }, "data.links"],
])("reports the invalid field of a context with %s", async (_name, data, at) => {
  await using raw = await startRawService([createSuccess(data)]);
  const error = await catchFailure(operations.GET(raw.service));
  expect(error.code).toBe("wrong-shape");
  expect(error.message).toContain(` at ${at}:`);
});

test.each([100, 1000])("accepts response code %d as success by default", async (code) => {
  await using raw = await startRawService([{ status: 201, body: { code, data: context } }]);
  expect(await operations.GET(raw.service)).toEqual(context);
});

test("rejects a response if its code is not a configured success code", async () => {
  await using raw = await startRawService([{ status: 200, body: { code: 100, data: context } }], {
    successCodes: [7],
  });
  expect((await catchFailure(operations.GET(raw.service))).code).toBe("refused");
});

test.each<[string, Reply]>([
  ["404 with an envelope", { status: 404, body: { code: 4004, data: null, message: "Not found" } }],
  ["404 with a detail", { status: 404, body: { detail: "Not found" } }],
  ["404 without a body", { status: 404, body: "" }],
  ["410", { status: 410 }],
])("returns undefined for an unknown object: %s", async (_name, reply) => {
  await using raw = await startRawService([reply]);
  expect(await raw.service.contexts.read("c-1")).toBeUndefined();
  expect(await raw.service.avatars.read("a-1")).toBeUndefined();
  expect((await catchFailure(operations.PATCH(raw.service))).code).toBe("not-found");
});

test("fails to read an object if a proxy returns a 404 page, because the object may exist", async () => {
  await using raw = await startRawService([{ status: 404, body: "<html><title>nginx</title>" }]);
  expect((await catchFailure(raw.service.contexts.read("c-1"))).code).toBe("not-found");
});
