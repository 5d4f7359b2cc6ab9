import type { Holder } from "../lock-holder.js";
import type { NextTexts, StoredTexts } from "../store-backend.js";
import type { Connection, PostgresAddress } from "./postgres-connection.js";

/** What is stored, and how a later statement recognises that it is still the same. */
export interface Stored extends StoredTexts {
  /** MD5 of the state; "" if there is none. */
  readonly digest: string;
  /** Number of the journal's last row; 0 if there is none. */
  readonly lines: string;
}

/** What came of a write: one statement that does all or nothing. */
export interface Written {
  /** Whether the session holds the lock. */
  readonly held: boolean;
  /** Whether state and journal were as they had been read. */
  readonly written: boolean;
  readonly stored: Pick<Stored, "digest" | "lines">;
}

/** Only if they are missing: most users may read and write tables, but not create them. */
export async function createTables(connection: Connection, { schema }: PostgresAddress): Promise<void> {
  const [found] = await connection.rows("select to_regclass($1) is not null as found", [`${schema}.holder`]);
  if (found?.found === true) return;
  // In one implicit transaction, one run at a time: "if not exists" fails when two do it at once.
  await connection.rows(`
    select pg_advisory_xact_lock(hashtextextended('avatarops tables', 0));
    create schema if not exists ${schema};
    create table if not exists ${schema}.state (
      name text primary key, state text not null, changed timestamptz not null default now());
    create table if not exists ${schema}.journal (
      name text, number bigint, lines text not null, primary key (name, number));
    create table if not exists ${schema}.record (
      name text, number bigint, record text not null, primary key (name, number));
    create table if not exists ${schema}.holder (name text primary key, holder text not null)`);
}

/** The locks of a state in the server's list, as a condition. */
function ofState({ lock }: PostgresAddress): string {
  const unsigned = BigInt.asUintN(64, lock);
  return `locktype = 'advisory' and granted and objsubid = 1 and classid = ${unsigned >> 32n}
    and objid = ${unsigned & 0xffff_ffffn}
    and database = (select oid from pg_database where datname = current_database())`;
}

/**
 * Takes the lock; returns when the server was started, or undefined if another session holds it.
 *
 * @param unless The lock is not taken from a server that was started then.
 */
export async function takeLock(
  connection: Connection,
  address: PostgresAddress,
  mine: Holder,
  unless = "",
): Promise<string | undefined> {
  const { schema, name, lock } = address;
  // A machine that is gone says no goodbye: the server asks after a minute of silence, and for a minute.
  const [response] = await connection.rows(
    `select start, case when start = $1 then false else pg_try_advisory_lock(${lock}) end as taken,
       set_config('tcp_keepalives_idle', '60', false), set_config('tcp_keepalives_interval', '10', false),
       set_config('tcp_keepalives_count', '6', false)
     from (select extract(epoch from pg_postmaster_start_time())::text as start) as server`,
    [unless],
  );
  if (response?.taken !== true) return undefined;
  await connection.rows(
    `insert into ${schema}.holder (name, holder) values ($1, $2) on conflict (name) do update set holder = excluded.holder`,
    [name, JSON.stringify(mine)],
  );
  return String(response.start);
}

/** Who holds the lock, as noted; "" if it is held, but not noted yet. */
export async function findLock(
  connection: Connection,
  address: PostgresAddress,
): Promise<string | undefined> {
  const { schema, name } = address;
  const [row] = await connection.rows(
    `select (select holder from ${schema}.holder where name = $1) as holder from pg_locks where ${ofState(address)} limit 1`,
    [name],
  );
  return row && String(row.holder ?? "");
}

/** Ends the session that holds the lock, if it is noted as this holder's; waits until it has ended. */
export async function endHolder(connection: Connection, address: PostgresAddress, id: string): Promise<void> {
  const { schema, name } = address;
  await connection.rows(
    `select pg_terminate_backend(pid, 5000) from pg_locks where ${ofState(address)} and pid <> pg_backend_pid()
     and exists (select from ${schema}.holder where name = $1 and holder::json ->> 'id' = $2)`,
    [name, id],
  );
}

/** One statement, hence as of one moment. */
export async function readStored(connection: Connection, { schema, name }: PostgresAddress): Promise<Stored> {
  const [row] = await connection.rows(
    `select (select state from ${schema}.state where name = $1) as state,
       (select coalesce(md5(state), '') from ${schema}.state where name = $1) as digest,
       (select string_agg(lines, '' order by number) from ${schema}.journal where name = $1) as journal,
       (select coalesce(max(number), 0)::text from ${schema}.journal where name = $1) as lines`,
    [name],
  );
  return {
    state: textIn(row?.state),
    journal: textIn(row?.journal),
    digest: textIn(row?.digest) ?? "",
    lines: textIn(row?.lines) ?? "0",
  };
}

export async function appendToJournal(
  connection: Connection,
  address: PostgresAddress,
  known: Stored,
  lines: string,
): Promise<Written> {
  const { schema, name } = address;
  const rows = await connection.rows(
    `with held as (select from pg_locks where pid = pg_backend_pid() and ${ofState(address)}),
       added as (insert into ${schema}.journal (name, number, lines)
         select $1, $2::bigint + 1, $3 where exists (select from held)
           and $2::bigint = (select coalesce(max(number), 0) from ${schema}.journal where name = $1)
         returning number)
     select exists (select from held) as held, (select number::text from added) as lines`,
    [name, known.lines, lines],
  );
  const added = textIn(rows[0]?.lines);
  return {
    held: rows[0]?.held === true,
    written: added !== undefined,
    stored: { digest: known.digest, lines: added ?? known.lines },
  };
}

/** Adds the record unless it is the last one already, replaces the state, and removes the journal. */
export async function commitTexts(
  connection: Connection,
  address: PostgresAddress,
  known: Stored,
  { state, record }: NextTexts,
): Promise<Written> {
  const { schema, name } = address;
  const rows = await connection.rows(
    `with held as (select from pg_locks where pid = pg_backend_pid() and ${ofState(address)}),
       same as (select where exists (select from held)
         and $2 = coalesce((select md5(state) from ${schema}.state where name = $1), '')
         and $3::bigint = (select coalesce(max(number), 0) from ${schema}.journal where name = $1)),
       last as (select max(number) as number from ${schema}.record where name = $1),
       recorded as (insert into ${schema}.record (name, number, record)
         select $1, coalesce(last.number, 0) + 1, $5 from same, last where $5::text is not null and $5 is distinct from
           (select r.record from ${schema}.record r where r.name = $1 and r.number = last.number)),
       stored as (insert into ${schema}.state (name, state) select $1, $4 from same where $4::text is not null
         on conflict (name) do update set state = excluded.state, changed = now()),
       cleared as (delete from ${schema}.journal using same where name = $1)
     select exists (select from held) as held, exists (select from same) as written, md5($4) as digest`,
    [name, known.digest, known.lines, state ?? null, record ?? null],
  );
  return {
    held: rows[0]?.held === true,
    written: rows[0]?.written === true,
    stored: { digest: textIn(rows[0]?.digest) ?? known.digest, lines: "0" },
  };
}

/** Up to a hundred records, newest first. */
export async function newestRecords(
  connection: Connection,
  { schema, name }: PostgresAddress,
  before: string | undefined,
): Promise<readonly { readonly number: string; readonly record: string }[]> {
  const rows = await connection.rows(
    `select number::text as number, record from ${schema}.record
     where name = $1 and ($2::bigint is null or record.number < $2::bigint) order by record.number desc limit 100`,
    [name, before ?? null],
  );
  return rows.map(({ number, record }) => ({ number: String(number), record: String(record) }));
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
