import { inspect } from "node:util";
import { expect, test } from "vitest";
import { ServiceError } from "../../src/core/api/index.js";
import {
  apiKey,
  catchFailure,
  contextBody,
  operations,
  type Reply,
  secretValue,
  startRawService,
  startTcpService,
} from "./raw-service.js";

async function catchCreateError(reply: Reply) {
  await using raw = await startRawService([reply]);
  return await catchFailure(raw.service.contexts.create(contextBody));
}

test("quotes the error message in a service response, if there is one", async () => {
  const envelope = (code: number, data: unknown, message: string) => ({ code, data, message });
  const detail = [{ loc: ["body", "links", 0, "url"], msg: "not a URL", type: "x", input: "zzz" }];
  const page = "<!DOCTYPE html><html><title>\u001b[31m502 Bad\nGateway</title>";
  const cases: readonly (readonly [what: string, status: number, body: unknown])[] = [
    ["a list of details", 422, { detail }],
    ["one detail", 422, { detail: "no" }],
    ["a list of messages", 400, envelope(4000, [{ message: "name is empty" }], "Bad input")],
    ["one message", 400, envelope(4000, null, "Bad input")],
    ["a key it does not accept", 401, envelope(4010, null, "Invalid API key")],
    ["an HTML page", 502, page],
    ["plain text", 400, "Bad\u0007 \u202eidea"],
    ["nothing", 400, ""],
    ["a novel", 400, "x".repeat(1000)],
  ];
  const messages: string[] = [];
  for (const [what, status, body] of cases)
    messages.push(`${what}\n  ${(await catchCreateError({ status, body })).message}\n`);
  await expect(messages.join("")).toMatchFileSnapshot("refusals.txt");
});

test("exposes the details of a service error as properties", async () => {
  const { stack: _, ...error } = await catchCreateError({
    status: 422,
    body: { detail: [{ loc: ["body", "name"], msg: "too long", type: "x" }] },
  });
  expect(error).toEqual({
    name: "ServiceError",
    code: "refused",
    method: "POST",
    path: "/v1/contexts",
    outcome: "refused",
    status: 422,
    details: [{ loc: "body.name", msg: "too long" }],
    retryAfterMs: undefined,
    fromProxy: false,
  });
});

test.each([400, 409, 422])("detects a taken name from a response with status %d", async (status) => {
  const body = { code: 4000, data: null, message: "Context with this name already exists" };
  expect(await catchCreateError({ status, body })).toMatchObject({ code: "name-taken", outcome: "refused" });
});

test("names the invalid field of a malformed response", async () => {
  const data = { id: "c-1", name: "n", prompt: "p", links: [{ url: "u" }, { url: 3 }] };
  await using raw = await startRawService([{ status: 200, body: { code: 100, data } }]);
  const error = await catchFailure(operations.GET(raw.service));
  expect(error.code).toBe("wrong-shape");
  expect(error.message).toContain(" at data.links[1].url:");
  expect(error.message).toMatch(
    /^GET \/v1\/contexts\/c-1: the response differs from the documentation at data\.links\[1\]\.url: /,
  );
});

const echoBroken: Reply = (response, { body }) => {
  response.writeHead(200, { "content-length": "9999" });
  response.write(`{"code":100,"data":${body}`);
  setTimeout(() => response.destroy(), 5);
};

// test/failures/secrecy.test.ts covers error messages that repeat secrets.
test("keeps the API key and the secret value out of the error if a truncated response echoes them", async () => {
  await using raw = await startRawService([echoBroken], { timeoutMs: 100 });
  const error = await catchFailure(
    raw.service.secrets.create({
      secret_name: "llm",
      secret_type: "LLMPROVIDER_API_KEY",
      secret_value: secretValue,
    }),
  );
  expect(error).toBeInstanceOf(ServiceError);
  const shown =
    inspect(error, { depth: 20, showHidden: true }) + error.stack + JSON.stringify([error, raw.events]);
  expect(shown).not.toMatch(/CANARY/);
  expect(shown).toContain("/v1/secrets");
});

test("does not quote a non-HTTP response in the error", async () => {
  await using raw = await startTcpService(
    (socket) => void socket.once("data", (chunk) => socket.end(`CANARY ${chunk}`)),
  );
  const error = await catchFailure(operations.POST(raw.service));
  expect({ code: error.code, outcome: error.outcome }).toEqual({ code: "no-response", outcome: "unknown" });
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
});

test.each([
  ["seconds", { "retry-after": "7" }, 7000],
  [
    "a date on the service's clock",
    { "retry-after": "Wed, 01 Jan 2031 00:00:09 GMT", date: "Wed, 01 Jan 2031 00:00:00 GMT" },
    9000,
  ],
  ["a date in the past", { "retry-after": "Wed, 01 Jan 2020 00:00:00 GMT" }, 0],
  ["nonsense", { "retry-after": "soon" }, undefined],
])("parses Retry-After: %s", async (_name, headers, retryAfterMs) => {
  expect((await catchCreateError({ status: 400, headers })).retryAfterMs).toBe(retryAfterMs);
});
