// @module-tag ci
/** Tests attacks on the `sync` or `sessions serve` port. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startHttpServer } from "../../src/base/serving/index.js";
import { runSessionsServer, startProjectWithClock } from "../cli/serving.js";

test("responds to health probes while 150 clients send requests that never end", async () => {
  const pages = { "/healthz": () => ({ status: 200, text: "ok\n" }) };
  const server = await startHttpServer({ host: "127.0.0.1", port: 0, pages });
  onTestFinished(() => server.close());
  const slow = Array.from({ length: 150 }, () => connect(Number(new URL(server.url).port), "127.0.0.1"));
  onTestFinished(() => slow.forEach((socket) => void socket.destroy()));
  for (const socket of slow) {
    socket.on("error", () => {});
    await once(socket, "connect");
    // Leaves the header incomplete or, on every second connection, the body.
    socket.write("POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n");
    if (slow.indexOf(socket) % 2 === 0) socket.write("\r\n{");
  }
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(`${server.url}/healthz`);
    expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
  }
});

test("does not export session data that could forge a metric", async () => {
  const project = await startProjectWithClock();
  const forgeMetric = (text: string) => `${text}"} 1\navatarops_forged{x="y"} 999\n# HELP avatarops_forged x`;
  await runSessionsServer(project, [], async ({ metrics, next }) => {
    project.session(60, {
      mode: forgeMetric("FULL"),
      source: forgeMetric("api"),
      end_reason: forgeMetric("done"),
    });
    await next(30_000);
    project.pass(60_000);
    await next(30_000);
    const lines = await metrics();
    expect(lines.join("\n")).toContain('mode="other"');
    expect(lines.join("\n")).not.toMatch(/forged|999/);
    expect(lines.filter((line) => !/^\w+(?:\{[^{}\n]*\})? [\d.e+-]+$/.test(line))).toEqual([]);
  });
});
