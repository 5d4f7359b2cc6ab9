import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { tools } from "../../scripts/tools.js";
import { type Running, startProgram, startServer } from "./starting.js";

/** S3 server with the bucket `states`. */
export interface S3Server extends Running {
  readonly client: S3Client;
}

export const s3Credentials = {
  AWS_ACCESS_KEY_ID: "testing-key",
  AWS_SECRET_ACCESS_KEY: "testing-secret-value",
  AWS_REGION: "us-east-1",
};

/**
 * Starts moto, which simulates S3 in Python and ignores credentials. `npm test` uses moto because it starts in seconds.
 * Two simultaneous conditional writes may both succeed unless `isSerial` is set.
 */
export async function startMoto({ isSerial = false } = {}): Promise<S3Server> {
  const how = isSerial ? ["-c", serialMoto] : ["-m", "moto.server"];
  const server = await startServer((port) =>
    startProgram("python3", [...how, "--host", "127.0.0.1", "--port", String(port)], {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, ...s3Credentials },
        ...{ PYTHONPATH: tools.moto.path, PYTHONNOUSERSITE: "1" },
      },
    }),
  );
  return createBucket(server);
}

const serialMoto = `
import werkzeug.serving as serving, sys
run = serving.run_simple
serving.run_simple = lambda *given, **named: run(*given, **{**named, "threaded": False})
from moto.server import main
sys.exit(main())`;

export async function startVersitygw(): Promise<S3Server> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-versitygw-"));
  const data = path.join(folder, "data");
  await mkdir(data);
  const server = await startServer((port) =>
    startProgram(tools.versitygw.path, ["--port", `127.0.0.1:${port}`, "--quiet", "posix", data], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        ROOT_ACCESS_KEY: s3Credentials.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_KEY: s3Credentials.AWS_SECRET_ACCESS_KEY,
      },
    }),
  );
  const { close } = server;
  return createBucket({
    ...server,
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

async function createBucket(server: Running): Promise<S3Server> {
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${server.port}`,
    forcePathStyle: true,
    region: s3Credentials.AWS_REGION,
    credentials: {
      accessKeyId: s3Credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: s3Credentials.AWS_SECRET_ACCESS_KEY,
    },
  });
  await client.send(new CreateBucketCommand({ Bucket: "states" }));
  return { ...server, client };
}
