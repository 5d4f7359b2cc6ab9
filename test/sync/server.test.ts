import { expect, onTestFinished, test } from "vitest";
import { serveMonitoring } from "../../src/base/serving/index.js";

async function start() {
  const server = await serveMonitoring({
    listen: { host: "127.0.0.1", port: 0 },
    isHealthy: () => true,
    isReady: () => false,
    metrics: { text: async () => "up 1\n", contentType: "text/plain" },
  });
  onTestFinished(() => server.close());
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(server.url + path, init);
    return { status: answer.status, text: await answer.text() };
  };
  return { ask, server };
}

test("serves only health, readiness and metrics from the sync server", async () => {
  const { ask } = await start();
  expect([await ask("/healthz"), await ask("/readyz")]).toEqual([
    { status: 200, text: "ok\n" },
    { status: 503, text: "not ready\n" },
  ]);
  expect(await ask("/metrics?x=1")).toMatchObject({ status: 200, text: "up 1\n" });
  expect(await ask("/")).toMatchObject({ status: 404 });
  expect(await ask("/constructor")).toMatchObject({ status: 404 });
  for (const method of ["DELETE", "POST"])
    expect(await ask("/metrics", { method })).toMatchObject({ status: 405 });
});

test("closes the sync server despite an open connection", async () => {
  const { server, ask } = await start();
  await ask("/healthz");
  await server.close();
  await expect(ask("/healthz")).rejects.toThrow();
});
