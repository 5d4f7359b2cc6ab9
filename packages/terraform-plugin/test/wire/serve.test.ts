import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { rpcs } from "../../src/protocol/rpcs.js";
import { createCertificate } from "../../src/server/certificate.js";
import { listen } from "../../src/server/listener.js";
import { connect, type Trust } from "./client.js";
import { bundle, call, cookie, handshakeEnvironment, readHandshake, startPlugin, watch } from "./plugin.js";

const file = bundle("packages/terraform-plugin/test/wire/fixture-main.ts");
const shutdown = "/plugin.GRPCController/Shutdown";

describe("plugin handshake", () => {
  test("names a private socket and the certificate to trust", async () => {
    const plugin = startPlugin(file);
    expect(await plugin.line).toMatch(/^1\|6\|unix\|\/.+\|grpc\|[A-Za-z0-9+/]+\n$/);
    const { at } = await readHandshake(plugin);
    expect(statSync(path.dirname(at)).mode & 0o777).toBe(0o700);
    const client = await call(plugin);
    const msgpack = Buffer.alloc(5_000_000, "x");
    const { state } = await client.call("ReadDataSource", { typeName: "echo", config: { msgpack } });
    expect(msgpack.equals(state?.msgpack ?? Buffer.of())).toBe(true);
    expect(plugin.output).toEqual({ stdout: await plugin.line, stderr: "" });
  });

  test("omits the certificate and disables TLS if Terraform sent no certificate", async () => {
    const plugin = startPlugin(file, { ...cookie, PLUGIN_PROTOCOL_VERSIONS: "6" });
    expect(await plugin.line).toMatch(/^1\|6\|unix\|[^|]+\|grpc\n$/);
    const client = connect((await readHandshake(plugin)).at);
    expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
  });

  test("prints an explanation if a user starts the provider directly", async () => {
    const plugin = startPlugin(file, {});
    expect(await plugin.exited).toEqual({ code: 1, signal: null });
    expect(plugin.output.stdout).toBe("");
    expect(plugin.output.stderr).toMatch(/^This is a Terraform provider\..*`terraform init`.*--debug/s);
  });
});

describe("plugin address", () => {
  test("is a local port on Windows, because Go cannot dial a Node socket there", async () => {
    const listener = await listen(true);
    onTestFinished(() => listener.close());
    expect(listener).toMatchObject({ network: "tcp", address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    const came = new Promise((resolve) => listener.onConnection((socket) => resolve(socket.destroy())));
    createConnection(Number(listener.address.split(":")[1]), "127.0.0.1");
    await came;
  });

  function longFolder(): string {
    const parent = mkdtempSync(path.join(tmpdir(), "long-"));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const folder = path.join(parent, "x".repeat(100));
    mkdirSync(folder);
    return folder;
  }

  test.each([
    ["too long for a socket", longFolder],
    ["missing", () => "/nowhere/at/all"],
  ])("is a socket in /tmp if the temporary folder is %s", async (_name, folder) => {
    const plugin = startPlugin(file, { ...handshakeEnvironment, TMPDIR: folder() });
    const client = await call(plugin);
    expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
    expect((await readHandshake(plugin)).at).toMatch(/^\/tmp\/plugin-\w+\/socket$/);
  });
});

describe("plugin TLS", () => {
  const stranger = createCertificate(Date.now());

  test.each([
    ["without a certificate", {}],
    ["with another certificate", { key: stranger.key, cert: stranger.cert }],
  ])("rejects a client %s", async (_name, own) => {
    const plugin = startPlugin(file);
    const { at, trust } = await readHandshake(plugin);
    // The client may complete its TLS handshake before the server rejects it, so only a call shows the rejection.
    const ask = (trust?: Trust) => connect(at, trust).call("ReadDataSource", { typeName: "echo" });
    await expect(ask({ ca: trust.ca, ...own })).rejects.toThrow("14 UNAVAILABLE");
    await expect(ask()).rejects.toThrow("14 UNAVAILABLE");
    expect(await ask(trust)).toBeDefined();
  });

  test("uses a new certificate at each start", async () => {
    const [one, other] = [startPlugin(file), startPlugin(file)];
    const { trust } = await readHandshake(one);
    const { at } = await readHandshake(other);
    const asked = connect(at, trust).call("ReadDataSource", { typeName: "echo" });
    await expect(asked).rejects.toThrow(/self-signed certificate/);
  });
});

describe("plugin process", () => {
  test("responds to a shutdown request, then exits and leaves no files", async () => {
    const plugin = startPlugin(file);
    const client = await call(plugin);
    await client.call("ReadDataSource", { typeName: "echo" });
    expect(await client.send(shutdown)).toEqual(Buffer.of());
    expect(await plugin.exited).toEqual({ code: 0, signal: null });
    expect(existsSync(path.dirname((await readHandshake(plugin)).at))).toBe(false);
    expect(plugin.output.stdout).toBe(await plugin.line);
    expect(JSON.parse(plugin.output.stderr)).toMatchObject({ "@message": "Hung up" });
  });

  test("exits on a shutdown request even if a call never ends", async () => {
    const plugin = startPlugin(file);
    const client = await call(plugin);
    const never = expect(client.call("ReadDataSource", { typeName: "never" })).rejects.toThrow(
      "14 UNAVAILABLE",
    );
    await client.send(shutdown);
    await never;
    expect(await plugin.exited).toEqual({ code: 0, signal: null });
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "keeps serving requests after %s, until Terraform shuts it down",
    async (signal) => {
      const plugin = startPlugin(file);
      const client = await call(plugin);
      plugin.child.kill(signal);
      plugin.child.kill(signal);
      expect(await client.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
      await client.send(shutdown);
      expect(await plugin.exited).toEqual({ code: 0, signal: null });
    },
  );

  test("exits when Terraform is killed", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "p-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const script = `require("node:child_process").spawn(process.execPath, [${JSON.stringify(file)}], { stdio: "inherit" });`;
    // `core.exited` resolves after both processes have ended, because they share their output streams.
    const core = watch(
      spawn(process.execPath, ["-e", script], { env: { ...handshakeEnvironment, TMPDIR: folder } }),
    );
    await core.line;
    expect(readdirSync(folder)).toHaveLength(1);
    core.child.kill("SIGKILL");
    expect(await core.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["an uncaught bug", { ...handshakeEnvironment }, "nothing is not a function", "TypeError"],
    [
      "a failed load of the provider",
      { ...handshakeEnvironment, BROKEN: "1" },
      "the provider cannot be loaded",
      "load",
    ],
  ])(
    "exits after %s with a panic message that Terraform shows",
    async (_name, environment, message, within) => {
      const plugin = startPlugin(file, environment);
      const client = await call(plugin).catch(() => undefined);
      await client?.call("ReadDataSource", { typeName: "crash" }).catch(() => {});
      expect(await plugin.exited).toEqual({ code: 2, signal: null });
      const [first, second, ...stack] = plugin.output.stderr.split("\n");
      expect([first, second]).toEqual([`panic: ${message}`, ""]);
      expect(stack.join("\n")).toContain(within);
      expect(existsSync(path.dirname((await readHandshake(plugin)).at))).toBe(false);
    },
  );
});

test("responds to schema requests with prepared schemas, without loading the provider", async () => {
  const { GetProviderSchema, GetResourceIdentitySchemas: identities } = rpcs;
  const schema = GetProviderSchema.response.encode({ resourceSchemas: { example_thing: {} } });
  const identity = identities.response.encode({
    identitySchemas: { example_thing: { attributes: [{ name: "made" }] } },
  });
  const environment = {
    ...handshakeEnvironment,
    SCHEMA: Buffer.from(schema).toString("base64"),
    IDENTITY: Buffer.from(identity).toString("base64"),
  };
  const plugin = startPlugin(file, { ...environment, BROKEN: "1" });
  const client = await call(plugin);
  for (const _ of ["once", "again"])
    expect(await client.call("GetProviderSchema", {})).toEqual(GetProviderSchema.response.decode(schema));
  expect((await client.call("GetResourceIdentitySchemas", {})).identitySchemas).toMatchObject({
    example_thing: { attributes: [{ name: "made" }] },
  });
  expect(plugin.output.stderr).not.toContain("panic");
  await client.call("ReadDataSource", { typeName: "echo" }).catch(() => {});
  expect(await plugin.exited).toEqual({ code: 2, signal: null });
  expect(plugin.output.stderr).toContain("panic: the provider cannot be loaded");

  const whole = await call(startPlugin(file, environment));
  expect(await whole.call("ReadDataSource", { typeName: "echo" })).toBeDefined();
});
