import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import type { LoggedRequest } from "../../src/emulator/index.js";
import { createRefusal, startMs, startTestEmulator } from "./asking.js";

test.each([
  ["no key", { "x-api-key": "" }],
  ["another key", { "x-api-key": "guessed" }],
  ["a key named like an inherited property", { "x-api-key": "constructor" }],
])("rejects an emulator request with %s", async (_, headers) => {
  await using service = await startTestEmulator();
  expect(await service.ask("GET", "/v1/avatars", undefined, headers)).toEqual(
    createRefusal(401, "Invalid API key", 4010),
  );
});

test("rejects a JSON request to the emulator if its content type is not application/json", async () => {
  await using service = await startTestEmulator();
  expect(await service.ask("POST", "/v1/contexts", { name: "c" }, { "content-type": "text/plain" })).toEqual(
    createRefusal(415, "Content-Type must be application/json"),
  );
});

test("sends Content-Type, Content-Length and the emulator's date with every response", async () => {
  await using service = await startTestEmulator();
  for (const path of ["/v1/avatars", "/v1/nothing", "/v1/avatars?page=0"]) {
    const { headers } = await service.send("GET", path);
    expect([headers.get("content-type"), headers.get("date")]).toEqual([
      "application/json",
      "Sat, 21 Jun 2025 12:00:00 GMT",
    ]);
    expect(Number(headers.get("content-length"))).toBeGreaterThan(0);
  }
});

test("lists the allowed methods in the emulator's 405 response", async () => {
  await using service = await startTestEmulator();
  const { headers } = await service.send("DELETE", "/v1/contexts");
  expect(headers.get("allow")).toBe("POST, GET");
});

test("keeps connections to the emulator open between requests", async () => {
  await using service = await startTestEmulator();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  for (let i = 0; i < 3; i++) {
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${service.emulator.url}/v1/avatars`, {
        agent,
        headers: { "x-api-key": "test-key" },
      });
      asked.on("error", reject).on("response", (response) => response.resume().on("close", resolve));
      asked.on("finish", () => reused.push(asked.reusedSocket)).end();
    });
  }
  agent.destroy();
  expect(reused).toEqual([false, true, true]);
});

test("logs each emulator request and its outcome, without keys or secret values", async () => {
  const seen: LoggedRequest[] = [];
  await using service = await startTestEmulator({ onRequest: (request) => seen.push({ ...request }) });
  const secret = { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", secret_value: "sk-hidden" };
  await service.ask("GET", "/v1/contexts?page=2&page_size=5");
  await service.ask("POST", "/v1/contexts", { name: "c" });
  await service.ask("POST", "/v1/secrets", secret);
  await service.ask("POST", "/v1/secrets", { secretValue: "sk-hidden" });
  await service.ask("POST", "/v1/secrets", '{"secret_value":"sk-hidden"');
  await service.ask("POST", "/v1/secrets", ["sk-hidden"]);
  const line = { at: startMs, method: "POST", query: {} };
  expect(service.emulator.requests).toEqual([
    {
      ...line,
      method: "GET",
      path: "/v1/contexts",
      query: { page: "2", page_size: "5" },
      body: undefined,
      status: 200,
    },
    { ...line, path: "/v1/contexts", body: { name: "c" }, status: 200 },
    { ...line, path: "/v1/secrets", body: { ...secret, secret_value: "(redacted)" }, status: 200 },
    { ...line, path: "/v1/secrets", body: { secretValue: "(redacted)" }, status: 400 },
    { ...line, path: "/v1/secrets", body: "(redacted)", status: 400 },
    { ...line, path: "/v1/secrets", body: "(redacted)", status: 400 },
  ]);
  expect(seen).toEqual(service.emulator.requests);
  expect(JSON.stringify([service.emulator.requests, service.emulator.world])).not.toMatch(
    /sk-hidden|test-key/,
  );
});

/** Sends a request like a web page whose host name resolves to this machine (DNS rebinding). */
function requestAs(
  port: number,
  host: string,
  path = "/v1/avatars",
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, "x-api-key": "test-key" };
    request({ host: "127.0.0.1", port, path, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    })
      .on("error", reject)
      .end();
  });
}

test("rejects requests to the emulator with another host name", async () => {
  await using service = await startTestEmulator();
  const { port, requests } = service.emulator;
  for (const host of [
    "evil.example",
    `evil.example:${port}`,
    "localhost.evil.example",
    "192.0.2.1",
    "127.0.0.1.nip.io",
    "%",
  ]) {
    for (const path of ["/v1/avatars", "/_emulator/requests"]) {
      const { status, body } = await requestAs(port, host, path);
      expect([host, status]).toEqual([host, 421]);
      expect(body).toContain("only for 127.0.0.1 and localhost");
      expect(body).not.toContain("evil");
    }
  }
  expect(requests).toEqual([]);
  for (const host of [
    "localhost",
    `LOCALHOST:${port}`,
    "a.localhost",
    "127.0.0.2",
    "[::1]",
    `127.0.0.1:${port}`,
  ]) {
    expect([host, (await requestAs(port, host)).status]).toEqual([host, 200]);
  }
});

test("rejects a request body over the emulator's size limit without buffering it", async () => {
  await using service = await startTestEmulator();
  const answer = await service.send("POST", "/v1/contexts", "x".repeat(33 * 1024 * 1024));
  expect([answer.status, await answer.json()]).toEqual([
    413,
    { code: 4000, data: null, message: "The body is longer than 33554432 bytes" },
  ]);
  expect(service.emulator.requests).toEqual([]);
});
