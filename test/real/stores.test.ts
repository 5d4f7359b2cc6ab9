// @module-tag night
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { createMachine, patience } from "../state/building.js";
import { allDisturbances, describeStore } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { createS3Fixture, formatS3Location } from "../stores/s3-fixture.js";
import { type S3Server, s3Credentials, startVersitygw } from "../stores/s3-servers.js";
import { type Gitea, startGitea } from "./gitea.js";

describe("S3 store with versitygw", { tags: "versitygw" }, () => {
  let server: S3Server;
  let faults: FaultProxy;
  beforeAll(async () => {
    Object.assign(process.env, s3Credentials);
    server = await startVersitygw();
    faults = await startFaultProxy(server.port);
  });
  afterAll(async () => {
    await faults?.close();
    await server?.close();
  });

  test("reports a wrong secret key without printing the key", async () => {
    process.env.AWS_SECRET_ACCESS_KEY = "wrong-horse";
    try {
      const store = openStore(formatS3Location("a.json", server.port), createMachine());
      await expect(store.lock(patience)).rejects.toMatchObject({
        code: "refused",
        message: expect.not.stringContaining("wrong-horse"),
      });
    } finally {
      Object.assign(process.env, s3Credentials);
    }
  });

  describeStore("in S3", async () => createS3Fixture(server, faults), {
    ...{ disturbances: allDisturbances, fencesHolders: true },
  });
});

describe("HTTP store with Gitea", { tags: "gitea" }, () => {
  let gitea: Gitea;
  let faults: FaultProxy;
  beforeAll(async () => {
    gitea = await startGitea();
    faults = await startFaultProxy(Number(new URL(gitea.url).port));
  });
  afterAll(async () => {
    await faults?.close();
    await gitea?.close();
  });

  describeStore(
    "in Gitea's registry of Terraform states",
    async () => {
      const { name, token } = gitea.owner;
      const path = `/api/packages/${name}/terraform/state/production-${randomUUID()}`;
      const headers = { authorization: `Basic ${Buffer.from(`${name}:${token}`).toString("base64")}` };
      return {
        location: `http://127.0.0.1:${faults.port}${path}`,
        direct: `${gitea.url}${path}`,
        environment: { environment: { TF_HTTP_USERNAME: name, TF_HTTP_PASSWORD: token } },
        faults,
        async removeLock() {
          // The response to a rejected lock request contains the id of the existing lock.
          const ask = (method: string, ID: string) =>
            fetch(`${gitea.url}${path}/lock`, { method, headers, body: JSON.stringify({ ID }) });
          const { ID } = (await (await ask("POST", "somebody")).json()) as { ID: string };
          await ask("DELETE", ID);
        },
        stranger: {
          environment: { environment: { TF_HTTP_USERNAME: name, TF_HTTP_PASSWORD: "wrong-horse" } },
          secret: "wrong-horse",
        },
      };
    },
    { disturbances: allDisturbances, missesRemovedLock: true },
  );
});
