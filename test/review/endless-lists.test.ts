import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { withHost } from "../../src/review/hosts/index.js";
import { listen } from "../listening.js";
import { startStandIn } from "./stand-in.js";

test("rejects a code host's list that does not end within 1000 pages", async () => {
  const { options } = await startStandIn("gitea");
  let requests = 0;
  const endless = createServer((_, response) => {
    requests += 1;
    response.setHeader("content-type", "application/json").end('[{ "type": "comment", "user": null }]');
  });
  const { port, close } = await listen(endless);
  onTestFinished(close);
  const url = `http://127.0.0.1:${port}`;
  const found = withHost({ ...options, webUrl: url, apiUrl: url }, async (host) => host.findCloser?.(7));
  await expect(found).rejects.toThrow("the list has more than 1000 pages");
  expect(requests).toBe(1000);
});
