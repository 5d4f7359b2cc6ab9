import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openHttpClient } from "../../src/base/http/index.js";
import { authority } from "../artefact/authority.js";
import * as listening from "../listening.js";
import { startProxy } from "./proxy.js";

const maxResponseBytes = 1000;

test("returns an HTTP redirect without following it", async () => {
  await using other = await serve((_, response) => response.end("theirs"));
  await using server = await serve((_, response) => response.writeHead(302, { location: other.url }).end());
  await using client = createClient({ maxResponseBytes });
  const answer = await client.send(server.url, { headers: { authorization: "Bearer canary" } });
  expect(answer).toMatchObject({ status: 302, headers: { location: other.url }, text: "" });
  expect(other.heard).toEqual([]);
});

test("stops reading an HTTP response that exceeds the maximum length", async () => {
  await using server = await serve((_, response) => {
    response.write("x".repeat(2000)); // Leaves the response open.
  });
  await using client = createClient({ maxResponseBytes });
  await expect(client.send(server.url)).rejects.toMatchObject({
    code: "too-long",
    message: "the response is longer than 1000 bytes",
    mayBeSent: true,
  });
});

test("reports an HTTP request as not sent if the connection fails before the first byte", async () => {
  const { port, close } = await listening.listen(createServer((socket) => socket.resetAndDestroy()));
  await using client = createClient({ maxResponseBytes });
  await expect(
    client.send(`https://127.0.0.1:${port}`, { method: "POST", body: "{}" }),
  ).rejects.toMatchObject({
    ...{ code: "no-connection", mayBeSent: false, system: "ECONNRESET" },
  });
  await close();
});

test("trusts the given CA certificate in direct and proxied HTTPS connections", async () => {
  await using server = await serve((_, response) => response.end("{}"), authority.server);
  await using client = createClient({ maxResponseBytes });
  await expect(client.send(server.url)).rejects.toMatchObject({
    code: "no-connection",
    system: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  });
  await using trusting = createClient({ maxResponseBytes, ca: authority.ca });
  expect(await trusting.send(server.url)).toMatchObject({ status: 200, text: "{}" });
  await using proxy = await startProxy();
  await using through = createClient({ maxResponseBytes, ca: authority.ca, proxy: { https: proxy.url } });
  const named = server.url.replace("127.0.0.1", "service.test");
  expect(await through.send(named)).toMatchObject({ status: 200, text: "{}" });
  expect(proxy.received).toEqual([`CONNECT ${new URL(named).host}`]);
});

test.each([
  ["http://service.invalid", "", "proxy"],
  ["http://127.0.0.1:1", "", "server"],
  ["http://127.9.9.9:1", "", "server"],
  ["http://[::1]:1", "", "server"],
  ["http://localhost:1", "", "server"],
  ["http://service.invalid", "service.invalid", "server"],
  ["http://service.invalid", "SERVICE.invalid,", "server"],
  ["http://api.service.invalid", "service.invalid", "server"],
  ["http://api.service.invalid", ".service.invalid", "server"],
  ["http://api.service.invalid", "*.service.invalid", "server"],
  ["http://myservice.invalid", "service.invalid", "proxy"],
  ["http://service.invalid", "*", "server"],
  ["http://service.invalid", "example.com service.invalid", "server"],
  ["http://service.invalid", "service.invalid:80", "server"],
  ["http://service.invalid", "service.invalid:443", "proxy"],
  ["http://192.0.2.7", "192.0.2.7", "server"],
  ["http://192.0.2.7", "192.0.2.0/24", "server"],
  ["http://192.0.2.7", "192.0.3.0/24,0.2.7", "proxy"],
  ["http://192.0.2.7", "192.0.2.0/33,192.0.2.0/x", "proxy"],
  ["http://192.0.2.7", "192.0.2.7:80", "server"],
  ["http://192.0.2.7", "192.0.2.7:81", "proxy"],
  ["http://[2001:db8::7]", "2001:DB8:0::7", "server"],
  ["http://[2001:db8::7]", "2001:db8::/32", "server"],
  ["http://[2001:db8::7]", "[2001:db8::7]:80", "server"],
  ["http://[2001:db8::7]", "2001:db9::/32,0.0.0.0/0", "proxy"],
])("sends a request for %s with NO_PROXY=%j to the %s", async (url, no, receiver) => {
  await using proxy = await startProxy({ user: "nobody:else" });
  const isProxied = receiver === "proxy";
  // On some systems, connecting to an address without a listener takes long to fail.
  const timeoutMs = isProxied ? undefined : 300;
  await using client = createClient({ maxResponseBytes, timeoutMs, proxy: { http: proxy.url, no } });
  const code = isProxied ? "proxy-refused" : expect.not.stringContaining("proxy");
  await expect(client.send(url)).rejects.toMatchObject({ code, mayBeSent: false });
  expect(proxy.received).toHaveLength(isProxied ? 1 : 0);
});

test("decompresses a gzip response that was not requested, and rejects it above the maximum length", async () => {
  const gzipped = { "content-encoding": "gzip" };
  const texts = { "/short": "{}", "/long": "x".repeat(1001) };
  await using server = await serve(({ url }, response) => {
    const text = texts[url as keyof typeof texts];
    response.writeHead(200, gzipped).end(text === undefined ? "{}" : gzipSync(text));
  });
  await using client = createClient({ maxResponseBytes });
  expect(await client.send(`${server.url}/short`)).toMatchObject({ status: 200, text: "{}" });
  await expect(client.send(`${server.url}/long`)).rejects.toMatchObject({ code: "too-long" });
  await expect(client.send(`${server.url}/plain`)).rejects.toMatchObject({
    ...{ code: "connection-lost", mayBeSent: true },
    message: "the response cannot be unpacked with gzip",
  });
});

function createClient(options: Parameters<typeof openHttpClient>[0]) {
  const client = openHttpClient(options);
  return { ...client, [Symbol.asyncDispose]: client.close };
}

async function serve(answer: RequestListener, tls?: { key: string; cert: string }) {
  const heard: string[] = [];
  const { url, close } = await listening.serve((request, response) => {
    heard.push(request.url ?? "");
    answer(request, response);
  }, tls);
  return { heard, url, [Symbol.asyncDispose]: close };
}
