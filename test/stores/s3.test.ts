// @module-tag night
// @module-tag moto
import { randomUUID } from "node:crypto";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeRecord, openStore } from "../../src/core/state/index.js";
import { startProxy } from "../http/proxy.js";
import { commitTo, createEntry, createMachine, patience } from "../state/building.js";
import { describeStore } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { startCarelessProxy } from "./careless-proxy.js";
import { createS3Fixture, formatS3Location } from "./s3-fixture.js";
import { type S3Server, s3Credentials, startMoto } from "./s3-servers.js";
import { startUnorderedProxy } from "./unordered-proxy.js";

describe("S3 store", () => {
  let server: S3Server;
  let faults: FaultProxy;
  beforeAll(async () => {
    // Disables the SDK's retries, so that avatarops itself must handle a lost response.
    Object.assign(process.env, s3Credentials, { AWS_MAX_ATTEMPTS: "1" });
    server = await startMoto();
    faults = await startFaultProxy(server.port);
  });
  afterAll(async () => {
    await faults?.close();
    await server?.close();
  });

  test.each([
    ["If-None-Match", "if-none-match"],
    ["If-Match", "if-match"],
  ])("rejects a server that ignores %s, and writes nothing but a probe", async (name, header) => {
    const careless = await startCarelessProxy(server.port, header);
    const key = `careless/${randomUUID()}.json`;
    const store = openStore(formatS3Location(key, careless.port), createMachine());
    await expect(store.lock(patience)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(
        `the store ignores the ${name.replaceAll("-", "")} condition on writes`,
      ),
    });
    await careless.close();
    const { Contents = [] } = await server.client.send(
      new ListObjectsV2Command({ Bucket: "states", Prefix: key }),
    );
    expect(Contents.map(({ Key }) => Key)).toEqual([`${key}.probe`]);
    // The state must not stay locked.
    await (await openStore(formatS3Location(key, server.port), createMachine()).lock(patience)).release();
  });

  test("adds and reads records in order if the server lists objects without order", async () => {
    const unordered = await startUnorderedProxy(server.port);
    const location = formatS3Location(`unordered/${randomUUID()}.json`, unordered.port);
    const store = openStore(location, createMachine());
    for (const name of ["a", "b", "c", "d", "e"])
      await commitTo(store, (session) => session.recordEntry(`context.${name}`, createEntry(name)));
    const serials: unknown[] = [];
    for await (const text of store.readHistory()) {
      const record = decodeRecord(text);
      serials.push("serial" in record && record.serial);
    }
    expect(serials).toEqual([5, 4, 3, 2, 1]);
    await unordered.close();
  });

  test("sends every request through the proxy set in the environment", async () => {
    await using proxy = await startProxy();
    const key = `proxied/${randomUUID()}.json`;
    const location = formatS3Location(key, server.port).replace("127.0.0.1", "store");
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: "other.test" };
    const store = openStore(location, { ...createMachine(), environment });
    await (await store.lock(patience)).release();
    expect(await openStore(formatS3Location(key, server.port), createMachine()).read()).toEqual(
      await store.read(),
    );
    const sent = new Set(proxy.received.map((line) => line.replace(/\?.*/, "")));
    for (const method of ["GET", "PUT"])
      expect(sent).toContain(`${method} http://store:${server.port}/states/${key}.lock`);
    const direct = openStore(location, {
      ...createMachine(),
      environment: { ...environment, NO_PROXY: "store" },
    });
    const count = proxy.received.length;
    await expect(direct.read()).rejects.toMatchObject({ code: "unreachable" });
    expect(proxy.received).toHaveLength(count);
  });

  test("reports NoSuchBucket for a missing bucket", async () => {
    const store = openStore(
      formatS3Location("a.json", server.port).replace("states", "nobodys"),
      createMachine(),
    );
    await expect(store.read()).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("NoSuchBucket"),
    });
  });

  test.each([
    ["s3://states/a.json?regoin=x", 'has an unknown setting "regoin"'],
    ["s3://states/", "has no bucket or file name"],
    [
      "s3://states/a.json?endpoint=minio",
      "has an invalid endpoint. Example: endpoint=https://s3.example.com.",
    ],
  ])("rejects %s and names the mistake", async (location, what) => {
    await expect(openStore(location, createMachine()).read()).rejects.toMatchObject({
      code: "unknown-store",
      message: expect.stringContaining(what),
    });
  });

  describeStore("in S3", async () => createS3Fixture(server, faults), {
    // test/real/stores.test.ts tests the other faults and races with a real server, which is faster than moto.
    disturbances: ["loses its response"],
    passing: 5,
    losesRaces: true,
    fencesHolders: true,
  });
});
