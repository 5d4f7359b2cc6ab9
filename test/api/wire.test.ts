import { expect, onTestFinished, test } from "vitest";
import { startProxy } from "../http/proxy.js";
import {
  apiKey,
  catchFailure,
  context,
  contextBody,
  createSuccess,
  openQuickService,
  operations,
  type Reply,
  startRawService,
  startTcpService,
} from "./raw-service.js";

test("sends the API key with each request and the JSON content type with each body", async () => {
  await using raw = await startRawService([createSuccess(context)], { version: "1.2.3" });
  await raw.service.contexts.read("c-1");
  await raw.service.contexts.create(contextBody);
  const names = ["x-api-key", "user-agent", "accept", "content-type"];
  expect(raw.heard.map(({ headers }) => names.map((name) => headers[name]))).toEqual([
    [apiKey, "avatarops/1.2.3", "application/json", undefined],
    [apiKey, "avatarops/1.2.3", "application/json", "application/json"],
  ]);
  expect(JSON.parse(raw.heard[1]?.body ?? "")).toEqual(contextBody);
});

test("keeps the base URL's path prefix, and encodes each id as one path segment", async () => {
  await using raw = await startRawService([createSuccess(context)]);
  const service = openQuickService(`${raw.baseUrl}/proxy/v1/`);
  await service.contexts.read("a:b@c");
  expect(raw.heard.map(({ url }) => url)).toEqual(["/proxy/v1/contexts/a%3Ab%40c"]);
  for (const id of ["", ".", "..", "../avatars?x=1#y", "a/b", "a%2fb", "\ud800", "x".repeat(256)])
    await expect(async () => service.contexts.read(id)).rejects.toMatchObject({
      code: "not-an-id",
      outcome: "not-sent",
    });
  expect(raw.heard.length).toBe(1);
  await service.close();
});

const oneConnection = { concurrency: 1 };

/** Responds to the first request on a connection and hangs up at the start of the second. */
function hangsUpOnReuse(requests: string[]) {
  return startTcpService((socket) => {
    let answered = false;
    socket.on("data", (chunk) => {
      requests.push(chunk.toString().split(" ")[0] ?? "");
      if (answered) return socket.destroy();
      answered = true;
      const body = JSON.stringify(createSuccess(context).body);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  }, oneConnection);
}

test("reports an unknown outcome for a create if the keep-alive connection closes", async () => {
  const requests: string[] = [];
  await using raw = await hangsUpOnReuse(requests);
  await raw.service.contexts.read("c-1");
  const error = await catchFailure(raw.service.contexts.create(contextBody));
  expect({ code: error.code, outcome: error.outcome, requests }).toEqual({
    code: "no-response",
    outcome: "unknown",
    requests: ["GET", "POST"],
  });
});

test("retries a read if the keep-alive connection closes", async () => {
  const requests: string[] = [];
  await using raw = await hangsUpOnReuse(requests);
  await raw.service.contexts.read("c-1");
  expect(await raw.service.contexts.read("c-1")).toEqual(context);
  expect(requests).toEqual(["GET", "GET", "GET"]);
});

const keepSilent: Reply = () => {};
const sendHeadersOnly: Reply = (response) => {
  response.writeHead(200, { "content-length": "50" });
  response.write("{");
};

test.each([
  ["no response", keepSilent],
  ["an endless response", sendHeadersOnly],
])("times out on %s and reports an unknown outcome for a create", async (_name, reply) => {
  await using raw = await startRawService([reply], { timeoutMs: 400 });
  const error = await catchFailure(raw.service.contexts.create(contextBody));
  expect({ code: error.code, outcome: error.outcome, sends: raw.heard.length }).toEqual({
    code: "timeout",
    outcome: "unknown",
    sends: 1,
  });
});

test("accepts responses with a byte order mark or invalid UTF-8", async () => {
  const text = JSON.stringify(createSuccess({ ...context, name: "A?B" }).body);
  const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
  bytes[bytes.indexOf("?")] = 0xff;
  await using raw = await startRawService([(response) => response.end(bytes)]);
  expect(await raw.service.contexts.read("c-1")).toEqual({ ...context, name: "A\ufffdB" });
});

test("derives the service's current time from the Date header of its last response", async () => {
  const serverMs = Date.UTC(2031, 0, 1);
  await using raw = await startRawService([
    { ...createSuccess(context), headers: { date: new Date(serverMs).toUTCString() } },
  ]);
  expect(raw.service.getServerTime()).toBeUndefined();
  await raw.service.contexts.read("c-1");
  const first = raw.service.getServerTime() ?? 0;
  expect(first).toBeGreaterThanOrEqual(serverMs);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(raw.service.getServerTime()).toBeGreaterThan(first);
});

test("uses a proxy only if the proxy accepts the password", async () => {
  await using raw = await startRawService([createSuccess(context)]);
  await using proxy = await startProxy({ user: "ada:right" });
  const named = raw.baseUrl.replace("127.0.0.1", "service.test");
  const serviceAs = (user: string) =>
    openQuickService(named, { proxy: { http: `http://${user}@${proxy.address}` } });
  const rejected = serviceAs("ada:wrong");
  const error = await catchFailure(operations.POST(rejected));
  expect({ code: error.code, outcome: error.outcome }).toEqual({ code: "proxy", outcome: "not-sent" });
  expect(proxy.received).toHaveLength(1);
  expect(raw.heard).toEqual([]);
  const accepted = serviceAs("ada:right");
  expect(await accepted.contexts.read("c-1")).toEqual(context);
  for (const service of [rejected, accepted]) await service.close();
});

test("waits for requests in progress when the client is closed, and rejects new requests", async () => {
  await using raw = await startRawService([
    (response) => void setTimeout(() => response.end(JSON.stringify(createSuccess(context).body)), 30),
  ]);
  const reading = raw.service.contexts.read("c-1");
  await expect.poll(() => raw.heard.length).toBe(1);
  await raw.service.close();
  expect(await reading).toEqual(context);
  await expect(raw.service.contexts.read("c-1")).rejects.toThrow("Bug:");
});

test("retries a connection closed during the TLS handshake, then suggests http:// or another port", async () => {
  let connections = 0;
  await using raw = await startTcpService((socket) => {
    connections += 1;
    socket.once("data", () => socket.destroy());
  });
  const address = raw.baseUrl.replace("http:", "https:");
  const service = openQuickService(address);
  onTestFinished(() => service.close());
  const error = await catchFailure(service.contexts.read("c-1"));
  expect(error.message).toBe(
    `GET /v1/contexts/c-1: ${address} closed the connection during the TLS handshake. Check whether base_url needs http:// or another port.`,
  );
  expect(connections).toBeGreaterThan(1);
});
