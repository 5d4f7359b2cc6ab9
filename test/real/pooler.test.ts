// @module-tag night
/** Tests a PostgreSQL state behind PgBouncer, which may run each statement in another server session. */
import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { createMachine, patience } from "../state/building.js";
import { describeStore } from "../state/compliance.js";
import { connectAdministrator, type PostgresServer, startPostgres } from "../stores/postgres-server.js";
import type { Running } from "../stores/starting.js";
import { startPgbouncer } from "./pgbouncer.js";

describe("PgBouncer in transaction mode", { tags: ["pgbouncer", "postgresql"] }, () => {
  let server: PostgresServer;
  let administrator: Client;
  let pooler: Running;

  beforeAll(async () => {
    server = await startPostgres();
    administrator = await connectAdministrator(server);
    pooler = await startPgbouncer(server, "transaction");
  });
  afterAll(async () => {
    await administrator?.end();
    await pooler?.close();
    await server?.close();
  });

  describeStore(
    "in PostgreSQL behind PgBouncer",
    async () => {
      const name = randomUUID();
      const location = `postgres://avatarops@127.0.0.1:${pooler.port}/postgres?schema=states&name=${name}`;
      return {
        location,
        direct: location,
        environment: { environment: { PGPASSWORD: server.password } },
        async removeLock() {
          await administrator.query("delete from states.part where part = 'lock' and name = $1", [name]);
        },
      };
    },
    { fencesHolders: true },
  );

  test("keeps a run's lock after its connection has ended", async () => {
    const location = `postgres://avatarops@127.0.0.1:${pooler.port}/postgres?name=${randomUUID()}`;
    const lockFrom = (host: string) =>
      openStore(location, { ...createMachine(), host, environment: { PGPASSWORD: server.password } }).lock(
        patience,
      );
    await lockFrom("laptop");
    const { rows } = await administrator.query("select from pg_locks where locktype = 'advisory'");
    expect(rows).toEqual([]);
    await pooler.close();
    pooler = await startPgbouncer(server, "transaction");
    const again = location.replace(/:\d+\//, `:${pooler.port}/`);
    const next = openStore(again, { ...createMachine(), environment: { PGPASSWORD: server.password } });
    await expect(next.lock(patience)).rejects.toThrow("avatarops state unlock");
  });
});
