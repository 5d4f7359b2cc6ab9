import { randomUUID } from "node:crypto";
import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import type { StoreFixture } from "../state/compliance.js";
import type { FaultProxy } from "../state/fault-proxy.js";
import type { S3Server } from "./s3-servers.js";

/** Returns a new location in a server's bucket. */
export function createS3Fixture({ client, port }: S3Server, faults?: FaultProxy): StoreFixture {
  const key = `avatars/${randomUUID()}.json`;
  const location = (to: number) => formatS3Location(key, to);
  return {
    location: location(faults?.port ?? port),
    direct: location(port),
    environment: {},
    ...(faults ? { faults } : {}),
    async removeLock() {
      await client.send(new DeleteObjectCommand({ Bucket: "states", Key: `${key}.lock` }));
    },
    async overwriteState(text) {
      await client.send(new PutObjectCommand({ Bucket: "states", Key: key, Body: text }));
    },
  };
}

export function formatS3Location(key: string, port: number): string {
  return `s3://states/${key}?region=us-east-1&path_style=true&endpoint=http://127.0.0.1:${port}`;
}
