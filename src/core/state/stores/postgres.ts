import { assumedTransferBytes, getRequestLimitMs, isUnreachable, withRetries } from "../retry.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import { createNames } from "./errors.js";
import { openLockable, type SwapStore, type VersionedText } from "./lock-by-swap.js";
import { type Connection, isMissingTables, openPostgres, type PostgresRow } from "./postgres-connection.js";

/**
 * Opens a state in a PostgreSQL database (`postgres://host/db?schema=avatarops&name=production`). Each step is one
 * atomic statement, so that any connection can execute it. Without a pooler, an advisory lock shows whether the lock
 * owner is still connected.
 */
export async function openPostgresStore(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const { address, connect } = await openPostgres(url, environment);
  const { location, schema, name } = address;
  let connection: Promise<Connection> | undefined;
  /** This run's advisory lock. A new connection takes it again. */
  let sessionLock: { readonly id: string; isHeld: boolean } | undefined;

  async function queryRows(
    statement: string,
    values: readonly unknown[],
    bytes = values.join().length,
  ): Promise<readonly PostgresRow[]> {
    const timeoutMs = getRequestLimitMs(environment, bytes);
    connection ??= connect(timeoutMs);
    try {
      const opened = await connection;
      if (sessionLock?.isHeld === false)
        sessionLock.isHeld = await takeAdvisoryLock(opened, sessionLock.id, timeoutMs);
      return await opened.queryRows(statement, values, timeoutMs);
    } catch (error) {
      if (isUnreachable(error)) await close();
      throw error;
    }
  }

  /** Reads with retries. Returns no rows if the tables do not exist. */
  function select(
    statement: string,
    values: readonly unknown[],
    bytes?: number,
  ): Promise<readonly PostgresRow[]> {
    return withRetries(environment, () => queryRows(statement, values, bytes)).catch((error: unknown) => {
      if (isMissingTables(error)) return [];
      throw error;
    });
  }

  async function close(): Promise<void> {
    const closing = connection;
    connection = undefined;
    if (sessionLock) sessionLock.isHeld = false;
    await (await closing?.catch(() => undefined))?.end();
  }

  /** Creates the tables only if they are missing, because most users are not allowed to create tables. */
  async function createTables(): Promise<void> {
    const [found] = await queryRows("select to_regclass($1) is not null as found", [`${schema}.part`]);
    if (found?.found === true) return;
    // Uses one implicit transaction with a lock, because concurrent "create … if not exists" statements can fail.
    await queryRows(
      `select pg_advisory_xact_lock(hashtextextended('avatarops tables', 0));
       create schema if not exists ${schema};
       create table if not exists ${schema}.record (
         name text, number bigint, record text not null, primary key (name, number));
       create table if not exists ${schema}.part (
         name text, part text, text text, version uuid not null default gen_random_uuid(),
         changed timestamptz not null default now(), primary key (name, part))`,
      [],
    );
  }

  const toSessionId = (lockId: string) => `avatarops ${schema} ${name} ${lockId}`;

  const store: SwapStore = {
    names: createNames(location, "from a backup of the database"),
    async read(...parts) {
      // One statement reads a consistent snapshot.
      const found = await select(
        `select part, text, version from ${schema}.part where name = $1 and part = any($2::text[])`,
        [name, parts],
        parts.includes("state") ? assumedTransferBytes : 0,
      );
      return parts.map((part) => toVersioned(found.find((row) => row.part === part)));
    },
    async swap(part, text, { version }, { record, lock }) {
      if (version === undefined) await createTables();
      const [written] = await queryRows(
        `with held as (select where $6::uuid is null or exists (
           select from ${schema}.part where name = $1 and part = 'lock' and version = $6::uuid)),
         written as (${
           version === undefined
             ? `insert into ${schema}.part (name, part, text) select $1, $2, $3 from held where $4::uuid is null
                on conflict do nothing`
             : `update ${schema}.part set text = $3, version = gen_random_uuid(), changed = now()
                from held where name = $1 and part = $2 and version = $4::uuid`
         } returning text, version),
         last as (select coalesce(max(number), 0) as number from ${schema}.record where name = $1),
         recorded as (insert into ${schema}.record (name, number, record)
           select $1, last.number + 1, $5 from written, last where $5::text is not null and $5 is distinct from
             (select r.record from ${schema}.record r where r.name = $1 and r.number = last.number))
         select text, version from written`,
        [name, part, text ?? null, version ?? null, record ?? null, lock?.version ?? null],
      );
      return written && toVersioned(written);
    },
    async *readHistory() {
      for (let before: unknown = null; ; ) {
        const page = await select(
          `select number::text as number, record from ${schema}.record
           where name = $1 and ($2::bigint is null or number < $2::bigint) order by record.number desc limit 100`,
          [name, before],
          assumedTransferBytes,
        );
        yield* page.map(({ record }) => String(record));
        if (page.length === 0) return;
        before = page.at(-1)?.number;
      }
    },
    sessionLocks: {
      async take(id) {
        sessionLock = { id: toSessionId(id), isHeld: false };
        await withRetries(environment, () => queryRows("select", []));
        if (!sessionLock.isHeld) sessionLock = undefined;
        return sessionLock !== undefined;
      },
      async isFree(id) {
        // Takes the lock only for this statement, because a pooler may share the connection.
        const [found] = await select("select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free", [
          toSessionId(id),
        ]);
        return found?.free === true;
      },
      async release() {
        if (!sessionLock) return;
        sessionLock = undefined;
        // An error ends the connection, which also releases the lock.
        await queryRows("select pg_advisory_unlock_all()", []).catch(close);
      },
    },
    close,
  };
  return openLockable(store, environment);
}

/**
 * Takes an advisory lock for the connection. Returns false behind a pooler, and on servers that do not enforce advisory
 * locks.
 */
async function takeAdvisoryLock(connection: Connection, id: string, timeoutMs: number): Promise<boolean> {
  const [taken] = await connection.queryRows(
    `select case when pg_backend_pid() = $1 then pg_try_advisory_lock(hashtextextended($2, 0)) end as taken`,
    [connection.processId ?? null, id],
    timeoutMs,
  );
  if (taken?.taken !== true) return false;
  // Makes the server detect a vanished client within two minutes.
  const [checked] = await connection.queryRows(
    `select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted) as held,
       set_config('tcp_keepalives_idle', '60', false), set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '6', false)`,
    [],
    timeoutMs,
  );
  return checked?.held === true;
}

function toVersioned(row: PostgresRow | undefined): VersionedText {
  const toText = (value: unknown) => (typeof value === "string" ? value : undefined);
  return { text: toText(row?.text), version: toText(row?.version) };
}
