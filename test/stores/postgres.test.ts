import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { postgres } from "../../scripts/test-servers.js";
import { describeStore, type Place } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { type PostgresServer, startPostgres } from "./postgres-server.js";

describe.skipIf(!postgres.has())("with the real server", () => {
  let server: PostgresServer;
  let faults: FaultProxy;
  let administrator: Client;
  beforeAll(async () => {
    server = await startPostgres();
    faults = await startFaultProxy(server.port);
    const { port, password } = server;
    administrator = new Client({
      host: "127.0.0.1",
      port,
      user: "avatarops",
      password,
      database: "postgres",
    });
    await administrator.connect();
  });
  afterAll(async () => {
    await administrator?.end();
    await faults?.close();
    await server?.close();
  });

  async function newPlace(): Promise<Place> {
    const name = randomUUID();
    const location = (port: number) =>
      `postgres://avatarops@127.0.0.1:${port}/postgres?schema=states&name=${name}`;
    return {
      location: location(faults.port),
      direct: location(server.port),
      environment: { environment: { PGPASSWORD: server.password } },
      faults,
      async removeLock() {
        await administrator.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity
           where application_name = 'avatarops' and pid in (select pid from pg_locks where locktype = 'advisory')`,
        );
      },
      async overwriteState(text) {
        await administrator.query("update states.state set state = $1 where name = $2", [text, name]);
      },
      stranger: { environment: { environment: { PGPASSWORD: "wrong-horse" } }, secret: "wrong-horse" },
    };
  }

  describeStore("in PostgreSQL", newPlace, {
    disturbances: ["has its answer lost", "is the first of those that are refused"],
    locksDieWithConnection: true,
  });
});
