import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { credentials, type HttpBackend, startHttpBackend } from "./http-backend.js";

let backend: HttpBackend;
let server: string;
beforeEach(async () => {
  backend = await startHttpBackend("gitlab");
  server = `http://127.0.0.1:${backend.port}`;
  onTestFinished(() => backend.close());
});

function startWith(query: string, environment: Readonly<Record<string, string>> = {}) {
  const manifest = `state: ${server}/states/avatars${query}\ncontexts: { a: { name: A, prompt: One } }\n`;
  return startProject({
    files: { "avatarops.yaml": manifest },
    environment: { ...credentials, ...environment },
  });
}

describe("HTTP state", () => {
  test.each<[where: string, query: boolean, environment: boolean]>([
    ["its URL", true, false],
    ["the environment", false, true],
  ])("is locked and written with the methods and addresses from %s", async (_, inQuery, inEnvironment) => {
    const settings = {
      lock_address: `${server}/states/avatars/lock?by=ci`,
      lock_method: "POST",
      unlock_method: "DELETE",
      update_method: "PUT",
    };
    // Translates PUT, which the server does not support.
    backend.answer = (request) => {
      if (request.method === "PUT") request.method = "POST";
      return undefined;
    };
    const variables = Object.entries(settings).map(([name, value]) => [
      `TF_HTTP_${name.toUpperCase()}`,
      value,
    ]);
    const project = await startWith(
      inQuery ? `?${new URLSearchParams(settings)}` : "",
      inEnvironment ? Object.fromEntries(variables) : {},
    );
    await project.expectApplied();
    const requests = new Set(backend.requests.map((request) => request.replace(/ID=.*/, "ID=…")));
    expect([...requests].sort()).toEqual([
      "DELETE /states/avatars/lock?by=ci",
      "GET /states/avatars",
      "POST /states/avatars/lock?by=ci",
      "PUT /states/avatars?ID=…",
    ]);
    await project.expectNothingToDo();
  });

  test("ignores environment variables that configure another state", async () => {
    const project = await startWith("?lock_method=POST", {
      TF_HTTP_ADDRESS: `${server}/states/terraform`,
      TF_HTTP_LOCK_ADDRESS: `${server}/states/terraform/lock`,
    });
    await project.avatarops("apply", "--auto-approve");
    expect(backend.requests).toContain("POST /states/avatars");
  });

  test.each(["https://terraform.example.com/state", "terraform.example.com"])(
    "sends no password to its server if TF_HTTP_ADDRESS is %s",
    async (address) => {
      const received: unknown[] = [];
      backend.answer = ({ headers }) => {
        received.push(headers.authorization);
        return undefined;
      };
      const project = await startWith("", { TF_HTTP_ADDRESS: address });
      expect(await project.avatarops("plan")).toMatchObject({
        exit: 1,
        stderr: matchText(
          "TF_HTTP_USERNAME and TF_HTTP_PASSWORD were not sent, because TF_HTTP_ADDRESS names another server.",
        ),
      });
      expect(received).toEqual([undefined]);
    },
  );

  test("is rejected if the server grants every lock", async () => {
    backend.answer = ({ method }) => (method === "PUT" ? { status: 200 } : undefined);
    const project = await startWith("?lock_method=PUT&unlock_method=PUT");
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({
      exit: 1,
      stderr: matchText("grants two locks at once"),
    });
    expect(project.emulator.world.contexts).toHaveLength(0);
  });

  test.each([
    ["?retry_max=0", 1],
    ["?retry_max=4&retry_wait_min=0", 5],
    ["?retry_wait_min=0", 3],
  ])("applies the setting %s to a failing request (attempts: %i)", async (query, times) => {
    backend.answer = () => ({ status: 503, text: "Busy" });
    const project = await startWith(query);
    expect(await project.avatarops("state", "list")).toMatchObject({
      exit: 1,
      stderr: matchText("responded to GET with 503"),
    });
    expect(backend.requests).toEqual(Array(times).fill("GET /states/avatars"));
  });

  test.each<[query: string, environment: Record<string, string>, message: string]>([
    [
      "?lock_address=https://thief.example.com/lock",
      {},
      "has an invalid lock_address. It must be a URL on http://127.0.0.1",
    ],
    ["?lock_address=", {}, "has an invalid lock_address"],
    ["", { TF_HTTP_UNLOCK_ADDRESS: "/lock" }, "cannot be used, because TF_HTTP_UNLOCK_ADDRESS is invalid"],
    ["?lock_method=put", {}, "has an invalid lock_method. It must be an HTTP method such as PUT."],
    ["?retry_max=-1", {}, "has an invalid retry_max. It must be a whole number up to 999."],
  ])("is rejected with %s %j", async (query, environment, message) => {
    const project = await startWith(query, environment);
    expect(await project.avatarops("plan")).toMatchObject({ exit: 1, stderr: matchText(message) });
    expect(backend.requests).toEqual([]);
  });
});
