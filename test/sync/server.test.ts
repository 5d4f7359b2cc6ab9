// @module-tag ci
import { createHmac } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ServerOptions, startServer } from "../../src/entrypoints/sync/index.js";

const secret = "It's a Secret to Everybody";
const push = JSON.stringify({ ref: "refs/heads/main", commits: [] });

async function start(given: Partial<ServerOptions> = {}) {
  const results: string[] = [];
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    isHealthy: () => true,
    isReady: () => true,
    metrics: async () => ({ text: "up 1\n", contentType: "text/plain; version=0.0.4" }),
    webhook: { secret, branch: "main" },
    onWebhook: (result) => results.push(result),
    ...given,
  });
  onTestFinished(() => server.close());
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(server.url + path, init);
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const deliver = (headers: Record<string, string>, body: RequestInit["body"] = push) =>
    ask("/webhook", {
      method: "POST",
      headers,
      body,
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    } as RequestInit);
  return { ask, deliver, results, server };
}

function hmac(body: string, key = secret): string {
  return createHmac("sha256", key).update(body).digest("hex");
}

const fromGitHub = (body = push, key = secret) => ({
  "x-github-event": "push",
  "x-hub-signature-256": `sha256=${hmac(body, key)}`,
});

describe("a webhook", () => {
  test.each<[string, Record<string, string>]>([
    ["GitHub, Gitea and Forgejo", fromGitHub()],
    ["GitLab", { "x-gitlab-event": "Push Hook", "x-gitlab-token": secret }],
  ])("is accepted from %s if it knows the secret", async (_, headers) => {
    const { deliver, results } = await start();
    expect(await deliver(headers)).toMatchObject({ status: 202 });
    expect(results).toEqual(["accepted"]);
  });

  test.each<[string, Record<string, string>]>([
    ["no signature", { "x-github-event": "push" }],
    ["the signature of another secret", fromGitHub(push, "guess")],
    ["the signature of another body", fromGitHub(`${push} `)],
    ["an empty signature", { "x-github-event": "push", "x-hub-signature-256": "" }],
    ["a signature without its algorithm", { "x-github-event": "push", "x-hub-signature-256": hmac(push) }],
    ["GitLab's header with another token", { "x-gitlab-event": "Push Hook", "x-gitlab-token": "guess" }],
    ["the secret where a signature belongs", { "x-github-event": "push", "x-hub-signature-256": secret }],
  ])("is refused with %s", async (_, headers) => {
    const { deliver, results } = await start();
    expect(await deliver(headers)).toMatchObject({ status: 401 });
    expect(results).toEqual(["unauthorized"]);
  });

  test("is signed as in GitHub's own example", async () => {
    const { deliver } = await start();
    const headers = {
      "x-github-event": "push",
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    };
    // The signature is right: what it signs is no push.
    expect(await deliver(headers, "Hello, World!")).toMatchObject({ status: 400 });
    expect(await deliver(headers, "Hello, World?")).toMatchObject({ status: 401 });
  });

  test.each([
    ["a ping", { ...fromGitHub(), "x-github-event": "ping" }, push],
    ["a tag", { "x-gitlab-event": "Tag Push Hook", "x-gitlab-token": secret }, push],
    ["a push to another branch", undefined, JSON.stringify({ ref: "refs/heads/main-2" })],
    ["a tag with the name of the branch", undefined, JSON.stringify({ ref: "refs/tags/main" })],
  ])("is ignored if it is %s", async (_, headers, body) => {
    const { deliver, results } = await start();
    expect(await deliver(headers ?? fromGitHub(body), body)).toMatchObject({ status: 200 });
    expect(results).toEqual(["ignored"]);
  });

  test.each(["[]", "null", "{}", '{"ref":7}', "\u0000"])("with the body %s is malformed", async (body) => {
    const { deliver, results } = await start();
    expect(await deliver(fromGitHub(body), body)).toMatchObject({ status: 400 });
    expect(results).toEqual(["malformed"]);
  });

  test("with a body of any length is read up to a limit", async () => {
    const { deliver, results, ask } = await start();
    const long = "x".repeat(6 * 1024 * 1024);
    const stream = new Blob([long]).stream();
    // The server may close the connection while the client still sends.
    const statuses = await Promise.all(
      [long, stream].map((body) =>
        deliver(fromGitHub(), body).then(
          ({ status }) => status,
          () => 413,
        ),
      ),
    );
    expect(statuses).toEqual([413, 413]);
    expect(results).toEqual(["too-large", "too-large"]);
    expect(await ask("/healthz")).toMatchObject({ status: 200 });
  });

  test("is there only with a secret, and only for POST", async () => {
    const { ask } = await start();
    expect(await ask("/webhook")).toMatchObject({ status: 405 });
    const open = await startServer({
      ...{ host: "127.0.0.1", port: 0, isHealthy: () => true, isReady: () => true },
      metrics: async () => ({ text: "", contentType: "text/plain" }),
      onWebhook: () => {},
    });
    onTestFinished(() => open.close());
    const answer = await fetch(`${open.url}/webhook`, { method: "POST", body: push });
    expect(answer.status).toBe(404);
  });
});

describe("the server", () => {
  test("tells health, readiness and metrics, and nothing else", async () => {
    let isReady = false;
    const { ask } = await start({ isReady: () => isReady, isHealthy: () => !isReady });
    expect([await ask("/healthz"), await ask("/readyz")]).toMatchObject([{ status: 200 }, { status: 503 }]);
    isReady = true;
    expect([await ask("/healthz"), await ask("/readyz")]).toMatchObject([{ status: 503 }, { status: 200 }]);
    expect(await ask("/metrics?x=1")).toMatchObject({ status: 200, text: "up 1\n" });
    expect(await ask("/")).toMatchObject({ status: 404 });
    expect(await ask("/constructor")).toMatchObject({ status: 404 });
    expect(await ask("/metrics", { method: "DELETE" })).toMatchObject({ status: 405 });
  });

  test("closes although somebody keeps a connection open", async () => {
    const { server, ask } = await start();
    await ask("/healthz");
    await server.close();
    await expect(ask("/healthz")).rejects.toThrow();
  });
});
