// @module-tag night
// @module-tag postgresql
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { rootCertificates } from "node:tls";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { newFolder, startProject } from "../cli/hosting.js";
import { createIntent, createMachine, patience, service } from "../state/building.js";
import { describeStore, type StoreFixture } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { connectAdministrator, type PostgresServer, startPostgres } from "./postgres-server.js";

describe("PostgreSQL store", () => {
  let server: PostgresServer;
  let faults: FaultProxy;
  let administrator: Client;
  beforeAll(async () => {
    server = await startPostgres();
    faults = await startFaultProxy(server.port);
    administrator = await connectAdministrator(server);
  });
  afterAll(async () => {
    await administrator?.end();
    await faults?.close();
    await server?.close();
  });

  async function newFixture(): Promise<StoreFixture> {
    const name = randomUUID();
    const location = (port: number) =>
      `postgres://avatarops@127.0.0.1:${port}/postgres?schema=states&name=${name}`;
    return {
      location: location(faults.port),
      direct: location(server.port),
      environment: { environment: { PGPASSWORD: server.password } },
      faults,
      async removeLock() {
        await administrator.query("delete from states.part where part = 'lock' and name = $1", [name]);
      },
      async overwriteState(text) {
        await administrator.query(
          "update states.part set text = $1, version = gen_random_uuid() where part = 'state' and name = $2",
          [text, name],
        );
      },
      stranger: { environment: { environment: { PGPASSWORD: "wrong-horse" } }, secret: "wrong-horse" },
    };
  }

  describeStore("in PostgreSQL", newFixture, {
    disturbances: ["loses its response", "and all later ones are refused"],
    passing: 16,
    ...{ fencesHolders: true, freesKilledRuns: true },
  });

  test("continues an apply after a server restart without reporting a lost lock", async () => {
    const keys = Array.from({ length: 30 }, (_, at) => `c${at}`);
    const contexts = keys.map((key) => `  ${key}: { name: ${key}, prompt: Be kind. }\n`).join("");
    const state = `postgres://avatarops@127.0.0.1:${server.port}/postgres`;
    const project = await startProject({
      files: { "avatarops.yaml": `state: ${state}\ncontexts:\n${contexts}` },
      environment: { PGPASSWORD: server.password },
    });
    const created = () => project.emulator.world.contexts.length;
    const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 30_000 };
    const applying = project.avataropsWith({ waits }, "apply", "-y", "--concurrency", "1");
    await vi.waitUntil(() => created() > 2, { interval: 1, timeout: 20_000 });
    expect(created()).toBeLessThan(keys.length);
    await administrator.end();
    await server.restart();
    administrator = await connectAdministrator(server);
    const { exit, stdout, stderr } = await applying;
    expect(exit, stdout + stderr).toBe(0);
    expect(created()).toBe(keys.length);
    await project.expectNothingToDo();
  });

  describe("with another machine's lock", () => {
    const endConnections = () =>
      administrator.query(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'avatarops'",
      );

    async function startRun() {
      const { direct, environment } = await newFixture();
      const lockFrom = (host: string, pid: number) =>
        openStore(direct, { ...createMachine(pid), ...environment, host, patienceMs: 30_000 }).lock(patience);
      const run = await lockFrom("laptop", 2);
      await run.begin(service);
      await run.recordIntent(createIntent("context.a"));
      await expect(lockFrom("desk", 1)).rejects.toThrow("Wait until it ends, then run the command again.");
      return { run, lockHere: () => lockFrom("desk", 1) };
    }

    test("takes over the lock once the owner's connection has ended, but lets its pending requests finish", async () => {
      const { run, lockHere } = await startRun();
      await endConnections();
      const next = await lockHere();
      expect(next.state?.pending["context.a"]?.stopped).toMatchObject({ withinMs: 35_000 });
      await expect(run.recordIntent(createIntent("context.b"))).rejects.toMatchObject({ code: "lock-lost" });
      await next.release();
    });

    test("keeps the lock if the owner has reconnected", async () => {
      const { run, lockHere } = await startRun();
      await endConnections();
      await run.recordIntent(createIntent("context.b"));
      await expect(lockHere()).rejects.toThrow("Wait until it ends, then run the command again.");
      await run.release();
      await (await lockHere()).release();
    });
  });

  test("names the settings that supply a missing password", async () => {
    const location = `postgres://avatarops@127.0.0.1:${server.port}/postgres`;
    const error = await openStore(location, { ...createMachine(), environment: { HOME: "/nowhere" } })
      .read()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "refused", message: expect.stringMatching(/PGPASSWORD/) });
    expect(String(error)).not.toMatch(/network|SASL/);
  });

  describe("over TLS", () => {
    const open = (query: string) => {
      const location = `postgres://avatarops@127.0.0.1:${server.port}/postgres?name=${randomUUID()}&${query}`;
      return openStore(location, { ...createMachine(), environment: { PGPASSWORD: server.password } });
    };

    test("connects if the server's CA certificate is set", async () => {
      const store = open(`sslmode=verify-full&sslrootcert=${server.rootCertificate}`);
      const lock = await store.lock(patience);
      const { rows } = await administrator.query(
        "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'avatarops'",
      );
      expect(rows).toEqual([{ ssl: true }]);
      await lock.release();
    });

    test.each([
      ["no certificate", "", "refused", /sslrootcert=FILE/],
      ["another certificate", "&sslrootcert=other.pem", "refused", /sslrootcert=FILE/],
      ["a missing certificate file", "&sslrootcert=none.pem", "refused", /the sslrootcert file .*ENOENT/],
    ])("fails with %s and names the setting to correct", async (_, query, code, message) => {
      const folder = await newFolder();
      await writeFile(path.join(folder, "other.pem"), rootCertificates[0] ?? "");
      const named = query.replace("other.pem", path.join(folder, "other.pem"));
      const error = await open(`sslmode=verify-full${named}`)
        .read()
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    });
  });
});
