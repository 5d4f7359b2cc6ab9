import { type Holder, parseHolder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type {
  FoundLock,
  Hold,
  NextTexts,
  StateStore,
  StoredTexts,
  StoreEnvironment,
  StoreNames,
} from "../state-store.js";
import {
  type Connect,
  type Connection,
  isEnded,
  isWithoutTables,
  openPostgres,
  type PostgresPlace,
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
import { conflict, lockLost } from "./trouble.js";

/**
 * A state in a PostgreSQL database: `postgres://host/db?schema=avatarops&name=production`. The lock is an advisory lock
 * of the session, which the server releases when the connection ends: the lock of a run that has died does not stay.
 * All writes of a run are statements of the session that holds the lock, and each makes sure that it does.
 */
export async function openPostgresStore(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const { place, connect } = await openPostgres(url, environment);
  return new PostgresStore(place, connect);
}

class PostgresStore implements StateStore {
  readonly names: StoreNames;
  readonly #place: PostgresPlace;
  readonly #connect: Connect;

  constructor(place: PostgresPlace, connect: Connect) {
    const { location } = place;
    const restore = "a backup of the database has it";
    this.names = {
      state: location,
      journal: `the journal of ${location}`,
      lock: `the lock of ${location}`,
      restore,
    };
    this.#place = place;
    this.#connect = connect;
  }

  async read(): Promise<StoredTexts> {
    const nothing = { state: undefined, journal: undefined, digest: "", lines: "0" };
    const { state, journal } = await this.#briefly(nothing, (connection) =>
      readStored(connection, this.#place),
    );
    return { state, journal };
  }

  readLock(): Promise<FoundLock | undefined> {
    return this.#briefly(undefined, (connection) => foundLock(connection, this.#place));
  }

  async tryLock(mine: Holder): Promise<Hold | FoundLock> {
    const connection = await this.#connect();
    try {
      await refuseTransactionPooling(connection, this.#connect, this.#place);
      await createTables(connection, this.#place);
      if (await takeLock(connection, this.#place, mine)) {
        return new PostgresHold(connection, this.#connect, this.#place, this.names, mine);
      }
      const found = (await foundLock(connection, this.#place)) ?? vanished;
      await connection.end();
      return found;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  breakLock({ key }: FoundLock): Promise<void> {
    return this.#briefly(undefined, (connection) => endHolder(connection, this.#place, key));
  }

  async *history(): AsyncGenerator<string> {
    let before: string | undefined;
    do {
      const page = await this.#briefly([], (connection) => newestRecords(connection, this.#place, before));
      yield* page.map(({ record }) => record);
      before = page.at(-1)?.number;
    } while (before !== undefined);
  }

  /** Works with a session of its own; without tables the result is `otherwise`. */
  async #briefly<Result>(
    otherwise: Result,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.#connect();
    try {
      return await work(connection);
    } catch (error) {
      if (isWithoutTables(error)) return otherwise;
      throw error;
    } finally {
      await connection.end();
    }
  }
}

/** The lock was released between two looks, or its holder is not noted yet. */
const vanished: FoundLock = { key: "", holder: undefined, status: "alive" };

/** A holder is alive as long as its session is, on whatever machine. */
async function foundLock(connection: Connection, place: PostgresPlace): Promise<FoundLock | undefined> {
  const text = await findLock(connection, place);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  return holder ? { key: holder.id, holder, status: "alive" } : vanished;
}

class PostgresHold implements Hold {
  readonly #connect: Connect;
  readonly #place: PostgresPlace;
  readonly #names: StoreNames;
  readonly #mine: Holder;
  #connection: Connection;
  #known: Stored | undefined;

  constructor(
    connection: Connection,
    connect: Connect,
    place: PostgresPlace,
    names: StoreNames,
    mine: Holder,
  ) {
    this.#connection = connection;
    this.#connect = connect;
    this.#place = place;
    this.#names = names;
    this.#mine = mine;
  }

  async read(): Promise<StoredTexts> {
    this.#known = await this.#onSession(() => readStored(this.#connection, this.#place));
    return this.#known;
  }

  async append(lines: readonly string[]): Promise<void> {
    const added = lines.map((line) => `${line}\n`).join("");
    await this.#write(
      ({ state, journal }) => ({ state, journal: `${journal ?? ""}${added}` }),
      (known) => appendToJournal(this.#connection, this.#place, known, added),
    );
  }

  async commit(next: NextTexts): Promise<void> {
    const known = this.#known ?? (await this.read());
    if (next.state === undefined && next.record === undefined && known.journal === undefined) return;
    await this.#write(
      ({ state }) => ({ state: next.state ?? state, journal: undefined }),
      (now) => commitTexts(this.#connection, this.#place, now, next),
    );
  }

  /** The end of the session releases the lock. */
  release(): Promise<void> {
    return this.#connection.end();
  }

  async #write(
    change: (known: StoredTexts) => StoredTexts,
    write: (known: Stored) => Promise<Written>,
  ): Promise<void> {
    if (!this.#known) await this.read();
    const before = this.#known as Stored;
    const next = change(before);
    try {
      const { held, written, stored } = await write(before);
      if (!held) throw lockLost(this.#names);
      if (!written) throw conflict(this.#names);
      this.#known = { ...next, ...stored };
    } catch (error) {
      if (!(error instanceof StateError) || error.code !== "unreachable") throw error;
      if (isEnded(error)) throw lockLost(this.#names);
      await this.#resume(error);
      const now = await readStored(this.#connection, this.#place);
      if (isSame(now, next)) this.#known = now;
      else if (isSame(now, before)) throw error;
      else throw conflict(this.#names);
    }
  }

  /** Reads; once more on a new session if this one is gone. */
  async #onSession<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StateError) || error.code !== "unreachable") throw error;
      await this.#resume(error);
      return work();
    }
  }

  /**
   * Takes the lock again with a new session, after the connection of the old one broke. The server may not have noticed
   * that yet: so the old session is ended, after which nothing of it can come late.
   */
  async #resume(trouble: StateError): Promise<void> {
    await this.#connection.end();
    let connection: Connection | undefined;
    try {
      connection = await this.#connect();
      await endHolder(connection, this.#place, this.#mine.id);
      if (!(await takeLock(connection, this.#place, this.#mine))) throw lockLost(this.#names);
      this.#connection = connection;
    } catch (error) {
      await connection?.end();
      throw error instanceof StateError && error.code === "lock-lost" ? error : trouble;
    }
  }
}

function isSame(one: StoredTexts, other: StoredTexts): boolean {
  return one.state === other.state && one.journal === other.journal;
}
