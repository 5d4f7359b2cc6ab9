import { execFile } from "node:child_process";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Client, type ClientConfig } from "pg";
import { tools } from "../../scripts/tools.js";
import { selfSigned } from "../emulator/self-signed.js";
import { type Running, startProgram, startServer } from "./starting.js";

/** Separate PostgreSQL server that also accepts TLS. The superuser `avatarops` has a password. */
export interface PostgresServer extends Running {
  readonly password: string;
  /** Path to the CA certificate that signed the server certificate. */
  readonly rootCertificate: string;
  /** Restarts the server and closes all its connections. */
  restart(): Promise<void>;
}

/** Connects as the superuser. */
export async function connectAdministrator({ port, password }: PostgresServer): Promise<Client> {
  const administrator = new Client({
    host: "127.0.0.1",
    port,
    user: "avatarops",
    password,
    database: "postgres",
  });
  await administrator.connect();
  return administrator;
}

export async function startPostgres(): Promise<PostgresServer> {
  const bin = tools.postgresql.path;
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-postgres-"));
  const password = "correct-horse";
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, `${password}\n`);
  const [key, rootCertificate] = [path.join(folder, "server.key"), path.join(folder, "server.crt")];
  await writeFile(key, selfSigned.key, { mode: 0o600 });
  await writeFile(rootCertificate, selfSigned.cert);
  const user = await findUnprivilegedUser();
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) {
    for (const one of [folder, passwordFile, key]) await chown(one, uid, gid);
  }
  const data = path.join(folder, "data");
  const facts = ["--username", "avatarops", "--auth", "scram-sha-256", "--pwfile", passwordFile, "--no-sync"];
  await promisify(execFile)(path.join(bin, "initdb"), ["-D", data, ...facts], { cwd: folder, ...user });
  const settings = [
    "fsync=off",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=50",
    "ssl=on",
    `ssl_key_file=${key}`,
    `ssl_cert_file=${rootCertificate}`,
  ];
  const start = async (given?: number) => {
    const started = await startServer(
      (port) =>
        startProgram(
          path.join(bin, "postgres"),
          ["-D", data, ...[...settings, `port=${port}`].flatMap((set) => ["-c", set])],
          {
            cwd: folder,
            ...user,
          },
        ),
      // Stops the server without waiting for clients.
      "SIGINT",
      given,
    );
    const { port } = started;
    await waitUntilReady({ host: "127.0.0.1", port, user: "avatarops", password, database: "postgres" });
    return started;
  };
  let server = await start();
  return {
    port: server.port,
    password,
    rootCertificate,
    async restart() {
      await server.close();
      server = await start(server.port);
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server accepts logins. Before that, it accepts connections and rejects logins. */
async function waitUntilReady(options: ClientConfig): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new Client(options);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (attempt === 100 || !String(error).includes("is starting up")) throw error;
      await sleep(100);
    }
  }
}

/** Returns an unprivileged user if the tests run as root, as in containers. PostgreSQL refuses to run as root. */
export async function findUnprivilegedUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const id = async (flag: string) => Number((await promisify(execFile)("id", [flag, "nobody"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
