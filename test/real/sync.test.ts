// @module-tag night
/** Tests `sync` with server stores. For git, see test/sync. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { type PostgresServer, startPostgres } from "../stores/postgres-server.js";
import { formatS3Location } from "../stores/s3-fixture.js";
import { type S3Server, s3Credentials, startMoto, startVersitygw } from "../stores/s3-servers.js";
import { describeSync } from "../sync/on-store.js";
import { describeTakeOver } from "../sync/take-over.js";

/** Allows the store host named in the project files. */
const allowed = { AVATAROPS_ALLOW_HOSTS: "127.0.0.1" };

describe("sync with PostgreSQL", { tags: "postgresql" }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  describeSync("in PostgreSQL", () => ({
    state: `postgres://avatarops@127.0.0.1:${server.port}/postgres?schema=states&name=${randomUUID()}`,
    environment: { PGPASSWORD: server.password, ...allowed },
  }));
});

describe.each([
  ["versitygw", startVersitygw],
  ["moto", startMoto],
] as const)("sync with %s", (name, start) => {
  let server: S3Server;
  beforeAll(async () => {
    // The AWS SDK reads the credentials from this process's environment.
    Object.assign(process.env, s3Credentials);
    server = await start();
  });
  afterAll(() => server?.close());

  describe(name, { tags: name }, () => {
    const newState = () => ({
      state: formatS3Location(`${randomUUID()}.json`, server.port),
      environment: { ...s3Credentials, ...allowed },
    });
    describeSync("in S3", newState);
    describeTakeOver("in S3", newState);
  });
});
