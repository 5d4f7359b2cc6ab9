import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { audience, newKeys, type Operator, operatorOf } from "./administer.js";
import { canary, failureOf, runOn } from "./run.js";
import { type StandIn, startStandIn } from "./stand-in.js";
import { describeVault } from "./suite.js";

describeVault("the stand-in for Vault", startStandIn);

describe("with the stand-in for Vault alone", () => {
  let vault: StandIn;
  let operator: Operator;
  let folder = "";
  let mount = "";
  const secret = canary();
  beforeAll(async () => {
    vault = await startStandIn();
    operator = operatorOf(vault);
    folder = await mkdtemp(path.join(tmpdir(), "avatarops-vault-"));
    mount = await operator.newEngine(2);
    await operator.ask("POST", `${mount}/data/llm`, { data: { api_key: secret, user: canary() } });
  });
  afterEach(() => {
    vault.instead = undefined;
  });
  afterAll(async () => {
    await operator.close();
    await vault.close();
    await rm(folder, { recursive: true });
  });
  const fields = () => ({ path: `${mount}/llm`, field: "api_key" });
  const asRoot = (more: Readonly<Record<string, string>> = {}) =>
    runOn(vault, { VAULT_TOKEN: vault.rootToken, ...more }, folder);

  /** A server of one test. */
  async function serve(listener: RequestListener) {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      },
    };
  }

  test("each path is asked once in a run, whatever number of fields is read", async () => {
    const before = vault.requests.length;
    const run = asRoot();
    await Promise.all([run.read(fields()), run.read({ ...fields(), field: "user" }), run.version(fields())]);
    await run.close();
    expect(vault.requests.slice(before).toSorted()).toEqual([
      `GET /v1/${mount}/data/llm`,
      `GET /v1/${mount}/metadata/llm`,
      `GET /v1/sys/internal/ui/mounts/${mount}/llm`,
    ]);
  });

  test("a mount with its version needs no question for it", async () => {
    const before = vault.requests.length;
    await asRoot().read({ mount, path: "llm", field: "api_key", kvVersion: 2 });
    expect(vault.requests.slice(before)).toEqual([`GET /v1/${mount}/data/llm`]);
  });

  test("OpenBao's variables give address and token", async () => {
    const run = runOn({ url: "" }, { BAO_ADDR: vault.url, BAO_TOKEN: vault.rootToken });
    expect((await run.read(fields())).value).toBe(secret);
  });

  test.each([
    [
      "",
      "not-set: The Vault secret kv/llm, field api_key cannot be read: no address of a server is given. Set VAULT_ADDR, or the field `address`.",
    ],
    ...["vault.example.com", "ftp://vault.example.com", "https://user:canary-password@vault.example.com"].map(
      (address) => [
        address,
        "failed: The Vault secret kv/llm, field api_key cannot be read: the address of the server is not one like https://vault.example.com:8200. Correct VAULT_ADDR, or the field `address`.",
      ],
    ),
  ])("the address %j is refused", async (address = "", said) => {
    const run = runOn({ url: address }, { VAULT_TOKEN: vault.rootToken });
    expect(await failureOf(run.read(fields()), [mount, "kv"])).toBe(said);
  });

  test("a secret is in its namespace, and so is the login", async () => {
    await operator.ask("POST", "sys/namespaces/team", {});
    const inTeam = operatorOf(vault, "team");
    const [engine, other] = [await inTeam.newEngine(2), canary()];
    await inTeam.ask("POST", `${engine}/data/llm`, { data: { api_key: other } });
    const {
      mount: auth,
      roleId,
      secretId,
    } = await inTeam.newAppRole(await inTeam.newPolicy({ [`${engine}/data/llm`]: ["read"] }));
    const login = {
      VAULT_AUTH_METHOD: "approle",
      VAULT_AUTH_PATH: auth,
      VAULT_ROLE_ID: roleId,
      VAULT_SECRET_ID: secretId,
    };
    const wanted = { path: `${engine}/llm`, field: "api_key" };
    const run = runOn(vault, { ...login, VAULT_NAMESPACE: "team/" });
    expect((await run.read(wanted)).value).toBe(other);
    await run.close();
    expect(await failureOf(runOn(vault, login).read(wanted))).toContain("refuses the login");
    await inTeam.close();
  });

  test("a pod logs in by Kubernetes with its service account", async () => {
    const keys = newKeys();
    const policy = await operator.newPolicy({ [`${mount}/data/llm`]: ["read"] });
    await operator.ask("POST", "sys/auth/cluster", { type: "kubernetes" });
    await operator.ask("POST", "auth/cluster/config", { pem_keys: [keys.public] });
    await operator.ask("POST", "auth/cluster/role/ci", {
      bound_service_account_names: ["avatarops"],
      bound_service_account_namespaces: ["team"],
      token_policies: [policy],
    });
    const login = { VAULT_AUTH_METHOD: "kubernetes", VAULT_AUTH_PATH: "cluster", VAULT_AUTH_ROLE: "ci" };
    for (const account of ["avatarops", "stranger"])
      await writeFile(
        path.join(folder, account),
        `${keys.jwt({ sub: `system:serviceaccount:team:${account}` })}\n`,
      );
    const read = (jwtFile: string) => runOn(vault, login, folder).read({ ...fields(), jwtFile });
    expect((await read("avatarops")).value).toBe(secret);
    expect(await failureOf(read("stranger"))).toContain(
      "(status 403). Check that the auth method is enabled there, and that the role names this service account and its namespace.",
    );
    expect((await failureOf(read("nobody"))).replace(folder, "")).toContain(
      "the JWT to log in with is not in the file /nobody. Correct its path (`jwt_file`), or its permissions.",
    );
  });

  describe("on GitHub Actions", () => {
    const requestToken = canary();

    async function jobOf(listener: (asked: string, authorization: string) => unknown) {
      const {
        mount: auth,
        role,
        jwt,
      } = await operator.newJwtRole(
        "team/avatars",
        await operator.newPolicy({ [`${mount}/data/llm`]: ["read"] }),
      );
      const github = await serve((request, response) => {
        const answer = listener(String(request.url), String(request.headers.authorization));
        response.end(answer === undefined ? JSON.stringify({ count: 1, value: jwt() }) : String(answer));
      });
      const variables = {
        VAULT_AUTH_METHOD: "jwt",
        VAULT_AUTH_PATH: auth,
        VAULT_AUTH_ROLE: role,
        ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
      };
      return { variables, [Symbol.asyncDispose]: github[Symbol.asyncDispose] };
    }

    test("a job asks for a token with the audience, and logs in with it", async () => {
      const asked: string[] = [];
      await using job = await jobOf((url, authorization) => void asked.push(url, authorization));
      const { value } = await runOn(vault, job.variables).read({ ...fields(), audience });
      expect(value).toBe(secret);
      expect(asked).toEqual([
        `/token?api-version=2&audience=${encodeURIComponent(audience)}`,
        `Bearer ${requestToken}`,
      ]);
    });

    test.each([
      ["a page", "<html>"],
      ["no token", "{}"],
      ["too much", canary().repeat(10_000)],
    ])("a job that is given %s is told what it lacks", async (_, answer) => {
      await using job = await jobOf(() => answer);
      expect(await failureOf(runOn(vault, job.variables).read(fields()))).toContain(
        "GitHub gave no JWT to log in with. Give the job the permission `id-token: write`, or try again.",
      );
    });
  });

  describe("redirects", () => {
    test("are followed on the same host, with the token", async () => {
      vault.instead = (request, response) => {
        vault.instead = undefined;
        response.writeHead(307, { location: `${vault.url}${request.url}` }).end();
      };
      expect((await asRoot().read(fields())).value).toBe(secret);
    });

    test("to another host are not followed", async () => {
      const seen: unknown[] = [];
      await using other = await serve((request, response) => {
        seen.push(request.headers);
        response.end("{}");
      });
      vault.instead = (request, response) => {
        response.writeHead(307, { location: `${other.url}${request.url}` }).end();
      };
      const failed = await failureOf(asRoot().read(fields()), [mount, "kv"], [vault.url, "ADDRESS"]);
      expect(failed).toBe(
        "refused: The Vault secret kv/llm, field api_key cannot be read: ADDRESS redirects to another host, to which credentials are not sent. Set VAULT_ADDR, or the field `address`, to the address of the cluster or of its active node.",
      );
      expect(seen).toEqual([]);
    });

    test("in a circle end", async () => {
      vault.instead = (request, response) => {
        response.writeHead(307, { location: String(request.url) }).end();
      };
      expect(await failureOf(asRoot().read(fields()))).toContain("redirects again and again");
    });
  });

  describe("an answer that is none:", () => {
    const page = `<html>${canary()}</html>`;
    test.each([
      ["a page of a proxy", 403, page, "malformed", "the server at ADDRESS is not Vault (status 403)."],
      ["a list", 200, "[]", "malformed", "the server at ADDRESS is not Vault (status 200)."],
      ["JSON of another server", 200, "{}", "malformed", "the response is not a secret of a KV engine."],
      ["too many requests", 429, "{}", "unreachable", "Vault at ADDRESS reports too many requests"],
      ["a failing proxy", 502, page, "unreachable", "Vault at ADDRESS reports an error (status 502)."],
    ])("%s", async (_, status, text, code, said) => {
      vault.instead = (_, response) => response.writeHead(status).end(text);
      const failed = await failureOf(asRoot().read(fields()), [mount, "kv"], [vault.url, "ADDRESS"]);
      expect(failed).toMatch(new RegExp(`^${code}: The Vault secret kv/llm, field api_key cannot be read: `));
      expect(failed).toContain(said);
    });

    test("none", async () => {
      const address = "http://127.0.0.1:1";
      expect(await failureOf(asRoot({ VAULT_ADDR: address }).read(fields()), [mount, "kv"])).toBe(
        "unreachable: The Vault secret kv/llm, field api_key cannot be read: http://127.0.0.1:1 does not respond (ECONNREFUSED). Check VAULT_ADDR, or the field `address`. It was tried 4 times.",
      );
    });

    test("of a login: the run ends without it", async () => {
      vault.instead = () => {};
      const login = { VAULT_AUTH_METHOD: "approle", VAULT_ROLE_ID: "ci", VAULT_SECRET_ID: canary() };
      const run = runOn(vault, login);
      expect(await failureOf(run.read({ ...fields(), timeoutMs: 50 }))).toMatch(/^timed-out: /);
      await run.close();
    });

    test("of a login: it is tried once if it is refused, however many secrets need it", async () => {
      const login = { VAULT_AUTH_METHOD: "approle", VAULT_ROLE_ID: "ci", VAULT_SECRET_ID: canary() };
      const before = vault.requests.length;
      const run = runOn(vault, login);
      await failureOf(run.read(fields()));
      await failureOf(run.read({ ...fields(), field: "user" }));
      expect(vault.requests.slice(before)).toEqual(["POST /v1/auth/approle/login"]);
    });

    test.each(["a token\nwith a second line", "tökén"])(
      "the token %j is not sent, and not shown",
      async (token) => {
        const run = asRoot({ VAULT_TOKEN: token });
        expect(await failureOf(run.read(fields()))).toMatch(/^failed: .* the token is malformed/);
      },
    );
  });
});
