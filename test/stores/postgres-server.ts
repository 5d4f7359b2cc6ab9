import { execFile } from "node:child_process";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { postgres } from "../../scripts/test-servers.js";
import { program, type Running, startServer } from "./starting.js";

/** A PostgreSQL of its own, with the superuser `avatarops` and a password. */
export interface PostgresServer extends Running {
  readonly password: string;
}

export async function startPostgres(): Promise<PostgresServer> {
  const bin = postgres.folder();
  if (bin === undefined) throw new Error("PostgreSQL is not installed.");
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-postgres-"));
  const password = "correct-horse";
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, `${password}\n`);
  // It does not run as root, which tests in containers are.
  const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? await nobody() : {};
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) {
    for (const one of [folder, passwordFile]) await chown(one, uid, gid);
  }
  const data = path.join(folder, "data");
  const facts = ["--username", "avatarops", "--auth", "scram-sha-256", "--pwfile", passwordFile, "--no-sync"];
  await promisify(execFile)(path.join(bin, "initdb"), ["-D", data, ...facts], { cwd: folder, ...user });
  const settings = [
    "fsync=off",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=50",
  ];
  const server = await startServer(
    (port) =>
      program(
        path.join(bin, "postgres"),
        ["-D", data, ...[...settings, `port=${port}`].flatMap((set) => ["-c", set])],
        {
          cwd: folder,
          ...user,
        },
      ),
    // Ends without waiting for clients.
    "SIGINT",
  );
  return {
    ...server,
    password,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function nobody(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await promisify(execFile)("id", [flag, "nobody"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
