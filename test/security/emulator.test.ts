// @module-tag ci
import http from "node:http";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { emulate } from "../cli/emulating.js";

test("a web page of another site can neither read nor edit the emulated account", async () => {
  const running = await emulate([], tmpdir());
  try {
    const shown = await fetch(running.url);
    expect(shown.headers.get("access-control-allow-origin")).toBeNull();
    expect(shown.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(shown.headers.get("x-frame-options")).toBe("DENY");
    const [, href = "", id = ""] =
      /href="(\/edit\?kind=context&#38;id=([\w-]+))"/.exec(await shown.text()) ?? [];
    const context = async () => (await running.get(`/v1/contexts/${id}`)).json();
    const before = await context();
    const form = new URLSearchParams({ name: "Theirs", prompt: "Theirs." }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const ask = (method: string, path: string, headers: Record<string, string>, body = "") =>
      new Promise<number | undefined>((resolve, reject) => {
        http
          .request(`${running.url}${path}`, { method, headers }, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          })
          .on("error", reject)
          .end(body);
      });
    const edit = (headers: Record<string, string>) =>
      ask("POST", href.replace("&#38;", "&"), { ...type, ...headers }, form);

    // A form of another site, of another server of this machine, of a page that hides where it is, of no page at all.
    expect(await edit({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await edit({ origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" })).toBe(403);
    expect(await edit({ origin: running.url, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await edit({ origin: "null" })).toBe(403);
    expect(await edit({})).toBe(403);
    // A name that the other site has let resolve to this machine.
    const rebound = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" };
    expect(await edit(rebound)).toBe(421);
    expect(await ask("GET", "/", rebound)).toBe(421);
    expect(await context()).toEqual(before);

    expect(await edit({ origin: running.url, "sec-fetch-site": "same-origin" })).toBe(409);
  } finally {
    await running.stop();
  }
});
