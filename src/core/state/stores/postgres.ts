import { type Holder, parseHolder } from "../lock-holder.js";
import { isUnreachable, type StoreRetryOptions, withRetries } from "../retry.js";
import {
  type FoundLock,
  type Hold,
  type NextTexts,
  type StateStore,
  type StoredTexts,
  type StoreEnvironment,
  type StoreNames,
  vanishedLock,
} from "../state-store.js";
import { conflict, lockLost } from "./errors.js";
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

/**
 * A state in a PostgreSQL database: `postgres://host/db?schema=avatarops&name=production`. The lock is an advisory lock
 * of the session, which the server releases when the connection ends: the lock of a run that has died does not stay.
 * All writes of a run are statements of the session that holds the lock, and each makes sure that it does.
 */
export async function openPostgresStore(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  return new PostgresStore({ ...(await openPostgres(url, environment)), retry: environment });
}

/** What a store and its holds work with. */
interface PostgresInput {
  readonly place: PostgresPlace;
  readonly connect: Connect;
  readonly retry: StoreRetryOptions;
}

class PostgresStore implements StateStore {
  readonly names: StoreNames;
  readonly #input: PostgresInput;

  constructor(input: PostgresInput) {
    const { location } = input.place;
    this.names = {
      state: location,
      journal: `the journal of ${location}`,
      lock: `the lock of ${location}`,
      restore: "a backup of the database has it",
    };
    this.#input = input;
  }

  async read(): Promise<StoredTexts> {
    const nothing = { state: undefined, journal: undefined };
    const { state, journal } = await this.#briefly<StoredTexts>(nothing, readStored);
    return { state, journal };
  }

  readLock(): Promise<FoundLock | undefined> {
    return this.#briefly(undefined, foundLock);
  }

  tryLock(mine: Holder): Promise<Hold | FoundLock> {
    let tries = 0;
    return withRetries(this.#input.retry, () => this.#tryLock(mine, tries++ > 0));
  }

  async #tryLock(mine: Holder, isAgain: boolean): Promise<Hold | FoundLock> {
    const { place, connect } = this.#input;
    const connection = await connect();
    try {
      await refuseTransactionPooling(connection, connect, place);
      await createTables(connection, place);
      // The server may believe that the session of an earlier try, whose response was lost, is alive.
      if (isAgain) await endHolder(connection, place, mine.id);
      const start = await takeLock(connection, place, mine);
      if (start !== undefined) {
        const { names } = this;
        return new PostgresHold({ ...this.#input, names, mine }, { connection, start });
      }
      const found = (await foundLock(connection, place)) ?? vanishedLock;
      await connection.end();
      return found;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  breakLock({ key }: FoundLock): Promise<void> {
    return this.#briefly(undefined, (connection, place) => endHolder(connection, place, key));
  }

  async *history(): AsyncGenerator<string> {
    let before: string | undefined;
    do {
      const page = await this.#briefly([], (connection, place) => newestRecords(connection, place, before));
      yield* page.map(({ record }) => record);
      before = page.at(-1)?.number;
    } while (before !== undefined);
  }

  /** Works with a session of its own; without tables the result is `otherwise`. */
  #briefly<Result>(
    otherwise: Result,
    work: (connection: Connection, place: PostgresPlace) => Promise<Result>,
  ): Promise<Result> {
    const { place, connect, retry } = this.#input;
    return withRetries(retry, async () => {
      const connection = await connect();
      try {
        return await work(connection, place);
      } catch (error) {
        if (isWithoutTables(error)) return otherwise;
        throw error;
      } finally {
        await connection.end();
      }
    });
  }
}

/** A holder is alive as long as its session is, on whatever machine. */
async function foundLock(connection: Connection, place: PostgresPlace): Promise<FoundLock | undefined> {
  const text = await findLock(connection, place);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  return holder ? { key: holder.id, holder, status: "alive" } : vanishedLock;
}

/** A session that holds the lock. */
interface LockSession {
  readonly connection: Connection;
  /** When its server was started. */
  readonly start: string;
}

interface PostgresHoldInput extends PostgresInput {
  readonly names: StoreNames;
  readonly mine: Holder;
}

class PostgresHold implements Hold {
  readonly #input: PostgresHoldInput;
  #session: LockSession;
  /** The session may be gone; `ended` by somebody, or by a server that stopped. */
  #loss: "unknown" | "ended" | undefined;
  #known: Stored | undefined;

  constructor(input: PostgresHoldInput, session: LockSession) {
    this.#input = input;
    this.#session = session;
  }

  async read(): Promise<StoredTexts> {
    this.#known = await this.#onSession(() => this.#stored());
    return this.#known;
  }

  async append(lines: readonly string[]): Promise<void> {
    const added = lines.map((line) => `${line}\n`).join("");
    await this.#write(
      ({ state, journal }) => ({ state, journal: `${journal ?? ""}${added}` }),
      (known) => appendToJournal(this.#session.connection, this.#input.place, known, added),
    );
  }

  async commit(next: NextTexts): Promise<void> {
    const known = this.#known ?? (await this.read());
    if (next.state === undefined && next.record === undefined && known.journal === undefined) return;
    await this.#write(
      ({ state }) => ({ state: next.state ?? state, journal: undefined }),
      (now) => commitTexts(this.#session.connection, this.#input.place, now, next),
    );
  }

  /** The end of the session releases the lock. */
  release(): Promise<void> {
    return this.#session.connection.end();
  }

  async #write(
    change: (known: StoredTexts) => StoredTexts,
    write: (known: Stored) => Promise<Written>,
  ): Promise<void> {
    if (!this.#known) await this.read();
    const { names } = this.#input;
    const before = this.#known as Stored;
    const next = change(before);
    this.#known = await this.#onSession(async (isResumed) => {
      // An earlier try, whose response was lost, may have arrived; what changes neither text is not stored twice.
      const now = isResumed ? await this.#stored() : before;
      if (isSame(now, next) && !isSame(next, before)) return now;
      if (!isSame(now, before)) throw conflict(names);
      const { held, written, stored } = await write(now);
      if (!held) throw lockLost(names);
      if (!written) throw conflict(names);
      return { ...next, ...stored };
    });
  }

  #stored(): Promise<Stored> {
    return readStored(this.#session.connection, this.#input.place);
  }

  /** Works again on a new session if this one is gone. */
  #onSession<Result>(work: (isResumed: boolean) => Promise<Result>): Promise<Result> {
    return withRetries(this.#input.retry, async () => {
      const isResumed = this.#loss !== undefined;
      try {
        if (isResumed) await this.#resume();
        return await work(isResumed);
      } catch (error) {
        if (isEnded(error)) this.#loss = "ended";
        else if (isUnreachable(error)) this.#loss ??= "unknown";
        throw error;
      }
    });
  }

  /**
   * Takes the lock again with a new session, after the connection of the old one broke. The server may not have noticed
   * that yet: so the old session is ended, after which nothing of it can come late. If the server says that it was
   * ended, and was not started anew since, somebody took the lock away.
   */
  async #resume(): Promise<void> {
    const { connect, place, names, mine } = this.#input;
    await this.#session.connection.end();
    const connection = await connect();
    try {
      await endHolder(connection, place, mine.id);
      const unlessStarted = this.#loss === "ended" ? this.#session.start : undefined;
      const start = await takeLock(connection, place, mine, unlessStarted);
      if (start === undefined) throw lockLost(names);
      this.#session = { connection, start };
      this.#loss = undefined;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }
}

function isSame(one: StoredTexts, other: StoredTexts): boolean {
  return one.state === other.state && one.journal === other.journal;
}
