import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { openHttpClient } from "../../src/base/http/index.js";
import { selfSigned } from "../emulator/self-signed.js";
import * as listening from "../listening.js";
import { startTunnel } from "./tunnel.js";

const maxResponseBytes = 1000;

test("a redirect is an answer, and the credentials go nowhere else", async () => {
  await using other = await serve((_, response) => response.end("theirs"));
  await using server = await serve((_, response) => response.writeHead(302, { location: other.url }).end());
  await using client = clientOf({ maxResponseBytes });
  const answer = await client.send(server.url, { headers: { authorization: "Bearer canary" } });
  expect(answer).toMatchObject({ status: 302, headers: { location: other.url }, text: "" });
  expect(other.heard).toEqual([]);
});

test("an answer that is too long is not read to its end", async () => {
  await using server = await serve((_, response) => {
    response.write("x".repeat(2000)); // And never ends.
  });
  await using client = clientOf({ maxResponseBytes });
  await expect(client.send(server.url)).rejects.toMatchObject({
    code: "too-long",
    message: "the answer is longer than 1000 bytes",
    mayBeSent: true,
  });
});

test("what breaks before the first byte of a request was not sent, whatever the system calls it", async () => {
  const { port, close } = await listening.listen(createServer((socket) => socket.resetAndDestroy()));
  await using client = clientOf({ maxResponseBytes });
  await expect(
    client.send(`https://127.0.0.1:${port}`, { method: "POST", body: "{}" }),
  ).rejects.toMatchObject({
    ...{ code: "no-connection", mayBeSent: false, system: "ECONNRESET" },
  });
  await close();
});

test("a server is trusted by the certificates that are given, also through a proxy", async () => {
  await using server = await serve((_, response) => response.end("{}"), selfSigned);
  await using client = clientOf({ maxResponseBytes });
  await expect(client.send(server.url)).rejects.toMatchObject({
    code: "no-connection",
    system: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  await using trusting = clientOf({ maxResponseBytes, ca: selfSigned.cert });
  expect(await trusting.send(server.url)).toMatchObject({ status: 200, text: "{}" });
  await using proxy = await startTunnel();
  await using through = clientOf({ maxResponseBytes, ca: selfSigned.cert, proxy: { https: proxy.url } });
  expect(await through.send(server.url)).toMatchObject({ status: 200, text: "{}" });
  expect(proxy.heard).toEqual([new URL(server.url).host]);
});

function clientOf(options: Parameters<typeof openHttpClient>[0]) {
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
