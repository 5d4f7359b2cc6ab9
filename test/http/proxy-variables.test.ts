import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { startProxy } from "./proxy.js";

const files = { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" };

test("assumes http:// for a proxy without a scheme", async () => {
  await using proxy = await startProxy();
  const project = await startProject({ files });
  const { port } = new URL(project.emulator.url);
  const http = { HTTP_PROXY: proxy.address, AVATAROPS_BASE_URL: `http://service.test:${port}` };
  await project.avataropsWith({ environment: http }, "plan");
  expect(proxy.received[0]).toContain(`GET http://service.test:${port}/`);

  const https = { https_proxy: proxy.address, AVATAROPS_BASE_URL: "https://service.test:1" };
  await project.avataropsWith({ environment: https }, "plan");
  expect(proxy.received.at(-1)).toBe("CONNECT service.test:1");
});

test("does not use HTTP_PROXY for an https:// service", async () => {
  await using proxy = await startProxy();
  const project = await startProject({ files });
  const environment = { HTTP_PROXY: proxy.url, AVATAROPS_BASE_URL: "https://service.invalid" };
  expect(await project.avataropsWith({ environment }, "plan")).toMatchObject({ exit: 1 });
  expect(proxy.received).toEqual([]);
});
