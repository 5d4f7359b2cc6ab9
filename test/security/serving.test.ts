// @module-tag ci
/** What somebody can do who reaches the port of `sync` or `sessions serve`. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../src/entrypoints/sync/index.js";
import { serving, startClocked } from "../cli/serving.js";

async function startSync(onWebhook: (result: string) => void = () => {}) {
  const server = await startServer({
    ...{ host: "127.0.0.1", port: 0, isHealthy: () => true, isReady: () => true, onWebhook },
    metrics: async () => ({ text: "", contentType: "text/plain" }),
    webhook: { secret: "secret", branch: "main" },
  });
  onTestFinished(() => server.close());
  return server;
}

test("slow requests do not keep probes from sync and sessions serve", async () => {
  const server = await startSync();
  const slow = Array.from({ length: 150 }, () => connect(Number(new URL(server.url).port), "127.0.0.1"));
  onTestFinished(() => slow.forEach((socket) => void socket.destroy()));
  for (const socket of slow) {
    socket.on("error", () => {});
    await once(socket, "connect");
    // A header that does not end, and a body that does not.
    socket.write("POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n");
    if (slow.indexOf(socket) % 2 === 0) socket.write("\r\n{");
  }
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${server.url}/healthz`);
    expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
  }
});

test("bodies of deliveries that never end take no more memory than a few, and let a real one pass", async () => {
  const results: string[] = [];
  const server = await startSync((result) => results.push(result));
  const many = 4 * 1024 * 1024;
  const ended: number[] = [];
  const sockets = Array.from({ length: 10 }, (_, at) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", () => ended.push(at));
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  for (const socket of sockets) {
    socket.write(`POST /webhook HTTP/1.1\r\nhost: x\r\ncontent-length: ${many + 1}\r\n\r\n`);
    await new Promise((sent) => socket.write(Buffer.alloc(many), sent));
  }
  // Of 20 MB, five have room at most.
  await expect.poll(() => ended.length).toBeGreaterThanOrEqual(5);
  const push = JSON.stringify({ ref: "refs/heads/main", padding: "x".repeat(many) });
  const headers = { "x-gitlab-event": "Push Hook", "x-gitlab-token": "secret" };
  const answer = await fetch(`${server.url}/webhook`, { method: "POST", headers, body: push });
  expect([answer.status, results.at(-1)]).toEqual([202, "accepted"]);
});

test("what sessions say of themselves forges no metric", async () => {
  const project = await startClocked();
  const forged = (text: string) => `${text}"} 1\navatarops_forged{x="y"} 999\n# HELP avatarops_forged x`;
  await serving(project, [], async ({ metrics, next }) => {
    project.session(60, { mode: forged("FULL"), source: forged("api"), end_reason: forged("done") });
    await next(30_000);
    project.pass(60_000);
    await next(30_000);
    const lines = await metrics();
    expect(lines.join("\n")).toContain('mode="other"');
    expect(lines.join("\n")).not.toMatch(/forged|999/);
    expect(lines.filter((line) => !/^\w+(?:\{[^{}\n]*\})? [\d.e+-]+$/.test(line))).toEqual([]);
  });
});
