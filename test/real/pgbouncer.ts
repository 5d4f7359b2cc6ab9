import { chownSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findUnprivilegedUser, type PostgresServer } from "../stores/postgres-server.js";
import { type Running, startProgram, startServer } from "../stores/starting.js";

/** Starts PgBouncer in front of a server, with the same user and password. */
export async function startPgbouncer(
  server: PostgresServer,
  mode: "session" | "transaction",
): Promise<Running> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-pgbouncer-"));
  const [settings, users] = [path.join(folder, "pgbouncer.ini"), path.join(folder, "users.txt")];
  const user = await findUnprivilegedUser();
  writeFileSync(users, `"avatarops" "${server.password}"\n`);
  const running = await startServer((port) => {
    writeFileSync(
      settings,
      `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
`,
    );
    const { uid, gid } = user;
    if (uid !== undefined && gid !== undefined)
      for (const one of [folder, settings, users]) chownSync(one, uid, gid);
    return startProgram("pgbouncer", [settings], { cwd: folder, ...user });
  });
  return {
    ...running,
    async close() {
      await running.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
