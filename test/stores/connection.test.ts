// @module-tag ci
/**
 * Tests servers at the state address that are not a store or not trusted. Each message names the cause, the address and
 * the fix.
 */
import { expect, onTestFinished, test, vi } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { selfSigned } from "../emulator/self-signed.js";
import { serve } from "../listening.js";
import { credentials } from "./http-backend.js";
import { s3Credentials } from "./s3-servers.js";

/** Starts a server that returns a web page at every address and counts its requests. */
async function startPages(tls?: typeof selfSigned) {
  let requests = 0;
  const { port, close } = await serve((_, response) => {
    requests += 1;
    response
      .writeHead(200, { "content-type": "text/html", etag: '"1"' })
      .end("<!doctype html><title>Sign in");
  }, tls);
  onTestFinished(close);
  return { port, requests: () => requests };
}

const locations = {
  HTTP: (url: string) => `${url}/state`,
  S3: (url: string) => `s3://bucket/a.json?region=us-east-1&path_style=true&endpoint=${url}`,
};

/** Asserts that plan and apply fail with the same error, and returns the error. */
async function tryState(state: string): Promise<{ stderr: string; isRepeated: boolean }> {
  for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${state}\ncontexts: {}\n` },
    environment: { ...credentials, ...s3Credentials },
  });
  const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 300 };
  const planned = await project.avataropsWith({ waits }, "plan");
  const applied = await project.avataropsWith({ waits }, "apply", "-y");
  expect([planned.exit, applied.exit], planned.stderr + applied.stderr).toEqual([1, 1]);
  const errorOf = (stderr: string) => stderr.slice(stderr.indexOf("error["));
  expect(errorOf(applied.stderr)).toBe(errorOf(planned.stderr));
  return { stderr: applied.stderr, isRepeated: applied.stderr.includes("trying again") };
}

test.each(Object.entries(locations))(
  "rejects an untrusted state server immediately and explains how to trust its certificate: %s",
  async (_, location) => {
    const { port, requests } = await startPages(selfSigned);
    const { stderr, isRepeated } = await tryState(location(`https://127.0.0.1:${port}`));
    expect(stderr).toEqual(
      matchText(
        "self-signed certificate. Set NODE_EXTRA_CA_CERTS to a file with the server's CA certificate",
      ),
    );
    expect([requests(), isRepeated]).toEqual([0, false]);
  },
);

test.each(Object.entries(locations))("reports a state server without TLS: %s", async (_, location) => {
  const { port } = await startPages();
  const { stderr, isRepeated } = await tryState(location(`https://127.0.0.1:${port}`));
  expect(stderr).toEqual(matchText("the server does not use TLS. Check the host and port."));
  expect(isRepeated).toBe(false);
});

test.each(Object.entries(locations))("reports a web page at the state address: %s", async (_, location) => {
  const { port } = await startPages();
  const { stderr } = await tryState(location(`http://127.0.0.1:${port}`));
  expect(stderr).toEqual(matchText("the response is a web page (status 200), not a state. Check"));
});
