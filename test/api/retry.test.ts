import { expect, test } from "vitest";
import {
  catchFailure,
  context,
  createSuccess,
  openQuickService,
  operations,
  type Reply,
  startRawService,
  startTcpService,
} from "./raw-service.js";

type Method = keyof typeof operations;

const createStatusReply = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { code: 4000, data: null, message: "no" },
  headers,
});
const cut: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"code":100,');
  setTimeout(() => response.destroy(), 5);
};
const truncated: Reply = { status: 200, body: '{"code":100,"data":{"id":"c-' };
const empty: Reply = { status: 200, body: "" };
const hangUp: Reply = (response) => response.destroy();
const signInPage: Reply = {
  status: 200,
  body: "<html><title>Sign in</title>",
  headers: { "content-type": "text/html" },
};

// Columns: fault; number of attempts of GET, PATCH and POST with two retries; error code; outcome of a write.
test.each<[string, Reply, [number, number, number], string, string]>([
  ["a hang-up", hangUp, [3, 3, 1], "no-response", "unknown"],
  ["a truncated response", cut, [3, 3, 1], "cut", "unknown"],
  ["truncated JSON", truncated, [3, 3, 1], "cut", "unknown"],
  ["an empty 200", empty, [3, 3, 1], "cut", "unknown"],
  ["a sign-in page", signInPage, [1, 1, 1], "not-json", "unknown"],
  ["408", createStatusReply(408), [3, 3, 1], "refused", "unknown"],
  ["425", createStatusReply(425), [3, 3, 1], "refused", "refused"],
  ["500", createStatusReply(500), [3, 3, 1], "unavailable", "unknown"],
  ["503", createStatusReply(503), [3, 3, 1], "unavailable", "unknown"],
  [
    "503 with Retry-After",
    createStatusReply(503, { "retry-after": "0" }),
    [3, 3, 3],
    "unavailable",
    "not-sent",
  ],
  ["529", createStatusReply(529), [3, 3, 1], "unavailable", "unknown"],
  ["501", createStatusReply(501), [1, 1, 1], "unavailable", "unknown"],
  ["400", createStatusReply(400), [1, 1, 1], "refused", "refused"],
  ["401", createStatusReply(401), [1, 1, 1], "unauthorized", "refused"],
  ["403", createStatusReply(403), [1, 1, 1], "forbidden", "refused"],
  ["409", createStatusReply(409), [1, 1, 1], "refused", "refused"],
  ["422", createStatusReply(422), [1, 1, 1], "refused", "refused"],
  [
    "302",
    createStatusReply(302, { location: "https://elsewhere.example" }),
    [1, 1, 1],
    "redirected",
    "refused",
  ],
  [
    "200 with another code",
    { status: 200, body: { code: 4001, data: null, message: "no" } },
    [1, 1, 1],
    "refused",
    "refused",
  ],
  ["200 without an envelope", { status: 200, body: [] }, [1, 1, 1], "wrong-shape", "unknown"],
])(
  "classifies the response and retries only if repeating the request is safe: %s",
  async (_name, reply, sends, code, outcome) => {
    const seen = [];
    for (const method of ["GET", "PATCH", "POST"] as const) {
      await using raw = await startRawService([reply]);
      const error = await catchFailure(operations[method](raw.service));
      seen.push({
        sends: raw.heard.length,
        code: error.code,
        outcome: method === "GET" ? "-" : error.outcome,
      });
    }
    expect(seen).toEqual([
      { sends: sends[0], code, outcome: "-" },
      { sends: sends[1], code, outcome },
      { sends: sends[2], code, outcome },
    ]);
  },
);

test.each<[Method, number]>([
  ["GET", 3],
  ["PATCH", 3],
  ["POST", 3],
])("retries a %s if the connection fails", async (method, attempts) => {
  const events: unknown[] = [];
  // Port 1 is reserved and unused.
  const service = openQuickService("http://127.0.0.1:1", {
    onRequest: ({ attempt, error }) => events.push([attempt, error]),
  });
  const error = await catchFailure(operations[method](service));
  expect({ code: error.code, outcome: error.outcome }).toEqual({ code: "unreachable", outcome: "not-sent" });
  expect(events).toEqual(Array.from({ length: attempts }, (_, index) => [index + 1, "unreachable"]));
  await service.close();
});

test("sends no request and does not retry after a failed TLS handshake", async () => {
  let connections = 0;
  await using plain = await startTcpService((socket) => {
    connections++;
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const service = openQuickService(plain.baseUrl.replace("http:", "https:"));
  const error = await catchFailure(operations.POST(service));
  expect({ code: error.code, outcome: error.outcome, connections }).toEqual({
    code: "tls",
    outcome: "not-sent",
    connections: 1,
  });
  await service.close();
});

test("retries a read after temporary failures and reports each attempt once", async () => {
  await using raw = await startRawService([createStatusReply(502), hangUp, createSuccess(context)]);
  expect(await raw.service.contexts.read("c-1")).toEqual(context);
  expect(raw.events.map(({ durationMs: _, ...event }) => event)).toEqual([
    { method: "GET", path: "/v1/contexts/c-1", attempt: 1, status: 502 },
    { method: "GET", path: "/v1/contexts/c-1", attempt: 2, error: "no-response" },
    { method: "GET", path: "/v1/contexts/c-1", attempt: 3, status: 200 },
  ]);
  expect(raw.service.requests).toEqual({ total: 3, throttled: 0 });
});

test("fails at once if Retry-After exceeds `patienceMs`", async () => {
  await using raw = await startRawService([createStatusReply(503, { "retry-after": "60" })], {
    patienceMs: 1000,
  });
  const error = await catchFailure(raw.service.contexts.read("c-1"));
  expect({ sends: raw.heard.length, retryAfterMs: error.retryAfterMs }).toEqual({
    sends: 1,
    retryAfterMs: 60_000,
  });
});

test("classifies an error by its status even if the body is truncated", async () => {
  await using raw = await startRawService([
    (response) => {
      response.writeHead(400, { "content-length": "100" });
      response.write("Bad");
      setTimeout(() => response.destroy(), 5);
    },
  ]);
  const error = await catchFailure(operations.POST(raw.service));
  expect({ code: error.code, outcome: error.outcome, message: error.message }).toEqual({
    code: "refused",
    outcome: "refused",
    message: expect.stringContaining('"Bad"'),
  });
});
