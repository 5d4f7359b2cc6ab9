import { setTimeout as sleep } from "node:timers/promises";
import { refused } from "./errors.js";
import type { Connect, Connection, PostgresAddress } from "./postgres-connection.js";

/** How often is compared: a busy pooler may happen to give a free session to somebody else first. */
const looks = 5;

/** In ms. In transaction mode a session is free while ours is idle; in session mode, all may be taken. */
const patienceMs = 2_000;

/**
 * Refuses a pooler that gives our session of the server to others between two statements, as PgBouncer does in transaction mode:
 * the lock, which belongs to the session, would be theirs too, and would stay after our end.
 *
 * @throws StateError `refused`
 */
export async function refuseTransactionPooling(
  connection: Connection,
  connect: Connect,
  { location }: PostgresAddress,
): Promise<void> {
  const first = await serverProcess(connection);
  // No pooler is between.
  if (first === connection.process) return;
  const other = await connect();
  try {
    for (let look = 0; look < looks; look += 1) {
      const ours = look === 0 ? first : await serverProcess(connection);
      const theirs = await Promise.race([
        serverProcess(other).catch(() => undefined),
        sleep(patienceMs, undefined, { ref: false }),
      ]);
      if (theirs === undefined) return;
      if (ours === first && theirs !== ours) continue;
      throw refused(
        location,
        "between two statements, the pooler in front of the server gives the session to others, and with it our lock",
        "Use its session mode (PgBouncer: `pool_mode = session`), or connect to the server itself.",
      );
    }
  } finally {
    await other.end();
  }
}

async function serverProcess(connection: Connection): Promise<number> {
  const [row] = await connection.rows("select pg_backend_pid() as process");
  return Number(row?.process);
}
