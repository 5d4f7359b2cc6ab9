// @module-tag ci
import http from "node:http";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { emulate } from "../cli/emulating.js";

test("protects the emulated account from web pages on other sites", async () => {
  const running = await emulate([], tmpdir());
  try {
    const world = async () => (await running.get("/_emulator/world")).json();
    const before = (await world()) as { contexts: { id: string }[] };
    const edit = { do: "editContext", context: before.contexts[0]?.id, patch: { prompt: "Theirs." } };
    const ask = (path: string, headers: Record<string, string>, body?: object) =>
      new Promise<http.IncomingMessage>((resolve, reject) => {
        http
          .request(`${running.url}${path}`, { method: body ? "POST" : "GET", headers }, resolve)
          .on("error", reject)
          .end(body && JSON.stringify(body));
      });
    const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).resume().statusCode;

    // Browsers send this request without a preflight, because it has a form's content type and no custom header.
    const simple = { origin: "https://evil.example", "content-type": "text/plain" };
    expect(await statusOf("/_emulator/edit", simple, edit)).toBe(401);
    expect(await statusOf("/_emulator/world", simple)).toBe(401);
    expect((await ask("/v1/contexts", simple)).resume().headers).not.toHaveProperty(
      "access-control-allow-origin",
    );
    // DNS rebinding: the attacker's host name resolves to this machine.
    const rebound = { host: "evil.example", "x-api-key": "test-key", "content-type": "application/json" };
    expect(await statusOf("/_emulator/edit", rebound, edit)).toBe(421);
    expect(await statusOf("/_emulator/world", rebound)).toBe(421);
    expect(await world()).toEqual(before);

    const own = { "x-api-key": "test-key", "content-type": "application/json" };
    expect(await statusOf("/_emulator/edit", own, edit)).toBe(200);
  } finally {
    await running.stop();
  }
});
