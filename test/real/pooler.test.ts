/** A state in PostgreSQL behind PgBouncer, in two of its modes. */
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { machine, patience } from "../state/building.js";
import { describeStore } from "../state/compliance.js";
import { connectAdministrator, type PostgresServer, startPostgres } from "../stores/postgres-server.js";
import type { Running } from "../stores/starting.js";
import { startPgbouncer } from "./pgbouncer.js";

describe("behind PgBouncer", { tags: ["pgbouncer", "postgresql"] }, () => {
  let server: PostgresServer;
  let administrator: Client;
  const poolers: Running[] = [];
  const locationAt = ({ port }: Running) =>
    `postgres://avatarops@127.0.0.1:${port}/postgres?schema=states&name=${randomUUID()}`;
  const start = async (mode: "session" | "transaction") => {
    const pooler = await startPgbouncer(server, mode);
    poolers.push(pooler);
    return pooler;
  };

  beforeAll(async () => {
    server = await startPostgres();
    administrator = await connectAdministrator(server);
  });
  afterAll(async () => {
    await administrator?.end();
    for (const pooler of poolers) await pooler.close();
    await server?.close();
  });

  const locks = async () => {
    const { rows } = await administrator.query("select pid from pg_locks where locktype = 'advisory'");
    return rows;
  };

  describe("in session mode", () => {
    let pooler: Running;
    beforeAll(async () => {
      pooler = await start("session");
    });

    describeStore(
      "as with the server itself",
      async () => {
        const location = locationAt(pooler);
        return {
          location,
          direct: location,
          environment: { environment: { PGPASSWORD: server.password } },
          async removeLock() {
            await administrator.query(
              "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()",
            );
          },
        };
      },
      { locksDieWithConnection: true },
    );
  });

  test("transaction mode is refused before anything is locked or written, whoever else is connected", async () => {
    const pooler = await start("transaction");
    const { port, password } = { ...server, port: pooler.port };
    const others = Array.from(
      { length: 5 },
      () => new Client({ host: "127.0.0.1", port, user: "avatarops", password, database: "postgres" }),
    );
    for (const other of others) await other.connect();
    // So that several sessions of the server are free.
    await Promise.all(others.map((other) => other.query("select pg_sleep(0.1)")));
    const before = await locks();
    for (let time = 0; time < 5; time += 1) {
      const environment = { PGPASSWORD: password };
      const store = openStore(locationAt(pooler), { ...machine(), environment });
      await expect(store.lock(patience)).rejects.toMatchObject({
        code: "refused",
        message: expect.stringContaining("pool_mode = session"),
      });
      expect(await locks()).toEqual(before);
    }
    for (const other of others) await other.end();
  });
});
