import { type Holder, parseHolder } from "../lock-holder.js";
import { isUnreachable, type StoreRetryOptions, withRetries } from "../retry.js";
import {
  type FoundLock,
  type Hold,
  type StateStore,
  type StoredTexts,
  type StoreEnvironment,
  type StoreNames,
  vanishedLock,
} from "../store-backend.js";
import { conflict, lockLost } from "./errors.js";
import {
  type Connect,
  type Connection,
  isEnded,
  isWithoutTables,
  openPostgres,
  type PostgresAddress,
} from "./postgres-connection.js";
import { refuseTransactionPooling } from "./postgres-pooler.js";
import {
  appendToJournal,
  commitTexts,
  createTables,
  endHolder,
  findLock,
  newestRecords,
  readStored,
  type Stored,
  takeLock,
  type Written,
} from "./postgres-tables.js";

/**
 * A state in a PostgreSQL database: `postgres://host/db?schema=avatarops&name=production`. The lock is an advisory lock
 * of the session, which the server releases when the connection ends: the lock of a run that has died does not stay.
 * All writes of a run are statements of the session that holds the lock, and each makes sure that it does.
 */
export async function openPostgresStore(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const database = await openPostgres(url, environment);
  const { address, connect } = database;
  const { location } = address;
  const names = {
    state: location,
    journal: `the journal of ${location}`,
    lock: `the lock of ${location}`,
    restore: "a backup of the database has it",
  };

  /** Works with a session of its own; without tables the result is `otherwise`. */
  function briefly<Result>(
    otherwise: Result,
    work: (connection: Connection, address: PostgresAddress) => Promise<Result>,
  ): Promise<Result> {
    return withRetries(environment, async () => {
      const connection = await connect();
      try {
        return await work(connection, address);
      } catch (error) {
        if (isWithoutTables(error)) return otherwise;
        throw error;
      } finally {
        await connection.end();
      }
    });
  }

  async function tryLock(mine: Holder, isAgain: boolean): Promise<Hold | FoundLock> {
    const connection = await connect();
    try {
      await refuseTransactionPooling(connection, connect, address);
      await createTables(connection, address);
      // The server may believe that the session of an earlier try, whose response was lost, is alive.
      if (isAgain) await endHolder(connection, address, mine.id);
      const start = await takeLock(connection, address, mine);
      if (start !== undefined)
        return openHold({ ...database, retry: environment, names, mine, connection, start });
      const found = (await readHolder(connection, address)) ?? vanishedLock;
      await connection.end();
      return found;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  return {
    names,
    async read() {
      const nothing = { state: undefined, journal: undefined };
      const { state, journal } = await briefly<StoredTexts>(nothing, readStored);
      return { state, journal };
    },
    readLock: () => briefly(undefined, readHolder),
    tryLock(mine) {
      let tries = 0;
      return withRetries(environment, () => tryLock(mine, tries++ > 0));
    },
    breakLock: ({ key }) => briefly(undefined, (connection) => endHolder(connection, address, key)),
    async *history() {
      let before: string | undefined;
      do {
        const page = await briefly([], (connection) => newestRecords(connection, address, before));
        yield* page.map(({ record }) => record);
        before = page.at(-1)?.number;
      } while (before !== undefined);
    },
  };
}

/** A holder is alive as long as its session is, on whatever machine. */
async function readHolder(connection: Connection, address: PostgresAddress): Promise<FoundLock | undefined> {
  const text = await findLock(connection, address);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  return holder ? { key: holder.id, holder, status: "alive" } : vanishedLock;
}

interface HoldInput {
  readonly address: PostgresAddress;
  readonly connect: Connect;
  readonly retry: StoreRetryOptions;
  readonly names: StoreNames;
  readonly mine: Holder;
  readonly connection: Connection;
  /** When its server was started. */
  readonly start: string;
}

function openHold({ address, connect, retry, names, mine, ...first }: HoldInput): Hold {
  let session = first;
  /** The session may be gone; `ended` by somebody, or by a server that stopped. */
  let loss: "unknown" | "ended" | undefined;
  let known: Stored | undefined;

  async function read(): Promise<Stored> {
    known = await onSession(() => readStored(session.connection, address));
    return known;
  }

  async function write(
    before: Stored,
    next: StoredTexts,
    send: (known: Stored) => Promise<Written>,
  ): Promise<void> {
    known = await onSession(async (isResumed) => {
      // An earlier try, whose response was lost, may have arrived; what changes neither text is not stored twice.
      const now = isResumed ? await readStored(session.connection, address) : before;
      if (isSame(now, next) && !isSame(next, before)) return now;
      if (!isSame(now, before)) throw conflict(names);
      const { held, written, stored } = await send(now);
      if (!held) throw lockLost(names);
      if (!written) throw conflict(names);
      return { ...next, ...stored };
    });
  }

  /** Works again on a new session if this one is gone. */
  function onSession<Result>(work: (isResumed: boolean) => Promise<Result>): Promise<Result> {
    return withRetries(retry, async () => {
      const isResumed = loss !== undefined;
      try {
        if (isResumed) await resume();
        return await work(isResumed);
      } catch (error) {
        if (isEnded(error)) loss = "ended";
        else if (isUnreachable(error)) loss ??= "unknown";
        throw error;
      }
    });
  }

  /**
   * Takes the lock again with a new session, after the connection of the old one broke. The server may not have noticed
   * that yet: so the old session is ended, after which nothing of it can come late. If the server says that it was
   * ended, and was not started anew since, somebody took the lock away.
   */
  async function resume(): Promise<void> {
    await session.connection.end();
    const connection = await connect();
    try {
      await endHolder(connection, address, mine.id);
      const start = await takeLock(connection, address, mine, loss === "ended" ? session.start : undefined);
      if (start === undefined) throw lockLost(names);
      session = { connection, start };
      loss = undefined;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  return {
    read,
    async append(lines) {
      const before = known ?? (await read());
      const next = { state: before.state, journal: `${before.journal ?? ""}${lines}` };
      await write(before, next, (now) => appendToJournal(session.connection, address, now, lines));
    },
    async commit(texts) {
      const before = known ?? (await read());
      if (texts.state === undefined && texts.record === undefined && before.journal === undefined) return;
      const next = { state: texts.state ?? before.state, journal: undefined };
      await write(before, next, (now) => commitTexts(session.connection, address, now, texts));
    },
    // The end of the session releases the lock.
    release: () => session.connection.end(),
  };
}

function isSame(one: StoredTexts, other: StoredTexts): boolean {
  return one.state === other.state && one.journal === other.journal;
}
