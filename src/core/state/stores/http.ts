import { HttpError, type HttpResponse } from "../../../base/http/index.js";
import type { Holder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import { isUnreachable, type StoreRetryOptions, withRetries } from "../retry.js";
import type { StateError } from "../state-error.js";
import type {
  FoundLock,
  Hold,
  NextTexts,
  StateStore,
  StoredTexts,
  StoreEnvironment,
  StoreNames,
} from "../state-store.js";
import { conflict, describeReason, lockLost, refused, refuseHost } from "./errors.js";
import { type HttpDocument, parseDocument } from "./http-document.js";
import { holderIn, toLockId, toLockInfo } from "./http-lock.js";
import { type HttpPlace, type HttpWire, httpPlace, openHttpWire, unexpected } from "./http-wire.js";

/**
 * A state on a server that Terraform's http backend could use too, such as the ones of GitLab and Gitea. The server
 * keeps one document (see HttpDocument), and each write replaces it whole. The protocol has no condition for a write,
 * so each is preceded by a look at what is there; servers refuse the write of who does not hold the lock.
 */
export async function openHttpStore(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const place = httpPlace(url, environment.environment ?? {});
  refuseHost(place.location, place.location, environment);
  return new HttpStore(new Server(place, environment), environment);
}

class HttpStore implements StateStore {
  readonly names: StoreNames;
  readonly #server: Server;
  readonly #environment: ProcessEnvironment & Pick<StoreEnvironment, "newId">;

  constructor(server: Server, environment: StoreEnvironment) {
    this.names = server.names;
    this.#server = server;
    this.#environment = environment;
  }

  async read(): Promise<StoredTexts> {
    return toTexts(await this.#server.get());
  }

  /**
   * The lock can only be seen by trying to take it, which is done for `asker` only. Without one, it is known of a run
   * that has written to its journal.
   */
  async readLock(asker?: Holder): Promise<FoundLock | undefined> {
    if (!asker) {
      const holder = (await this.#server.get())?.holder;
      return holder && this.#found(toLockId(holder), holder);
    }
    const inTheWay = await this.#server.lock(asker);
    if (!inTheWay) await this.#server.unlock(toLockId(asker));
    return inTheWay && this.#found(inTheWay.id, inTheWay.holder);
  }

  async tryLock(mine: Holder): Promise<Hold | FoundLock> {
    const inTheWay = await this.#server.lock(mine);
    if (inTheWay) {
      const found = this.#found(inTheWay.id, inTheWay.holder);
      // The server removes a lock only for who names it, so of two runs that do this one gets the next lock.
      if (found.status === "dead") await this.#server.unlock(found.key);
      return found.status === "dead" ? this.#tryAgain(mine, found) : found;
    }
    await this.#refuseWithoutLocks(mine);
    return new HttpHold(this.#server, mine, this.#environment.newId);
  }

  async breakLock({ key }: FoundLock): Promise<void> {
    await this.#server.unlock(key);
  }

  async *history(): AsyncGenerator<string> {
    const document = await this.#server.get();
    yield* [...(document?.history ?? [])].reverse();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #tryAgain(mine: Holder, dead: FoundLock): Promise<Hold | FoundLock> {
    const inTheWay = await this.#server.lock(mine);
    if (!inTheWay) return new HttpHold(this.#server, mine, this.#environment.newId);
    const found = this.#found(inTheWay.id, inTheWay.holder);
    // A server that does not remove it: its user has to.
    return found.key === dead.key ? { ...found, status: "elsewhere" } : found;
  }

  #found(key: string, holder: Holder): FoundLock {
    return { key, holder, status: processStatus(holder, this.#environment) };
  }

  /** A server that grants a second lock grants everyone one. */
  async #refuseWithoutLocks(mine: Holder): Promise<void> {
    const second = { ...mine, id: this.#environment.newId() };
    const release = () => this.#server.unlock(toLockId(mine)).catch(() => undefined);
    const inTheWay = await this.#server.lock(second).catch(async (error: unknown) => {
      await release();
      throw error;
    });
    if (inTheWay) return;
    await this.#server.unlock(toLockId(second)).catch(() => undefined);
    await release();
    throw refused(
      this.names.state,
      "the server grants two locks at the same time, so two runs could write at the same time",
      "Use a server that keeps locks (docs/team.md lists some).",
    );
  }
}

/** The requests of the protocol. */
class Server {
  readonly names: StoreNames;
  readonly retry: StoreRetryOptions;
  readonly #place: HttpPlace;
  readonly #wire: HttpWire;

  constructor(place: HttpPlace, retry: StoreRetryOptions) {
    const { location } = place;
    this.names = {
      state: location,
      journal: `the journal in ${location}`,
      lock: `the lock of ${location}`,
      restore: "GitLab and Gitea keep earlier versions",
    };
    this.retry = retry;
    this.#place = place;
    this.#wire = openHttpWire(place);
  }

  /** It stores no two documents of the same serial, so a write that comes late, after its repetition, does nothing. */
  get keepsSerials(): boolean {
    return this.#place.isHosts;
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  async get(): Promise<HttpDocument | undefined> {
    const { address } = this.#place;
    const { status, text } = await this.#ask("GET", address, undefined, [200, 204, 404]);
    return status !== 200 || text === "" ? undefined : parseDocument(text, this.names);
  }

  /** Sends what may be sent again. */
  #ask(
    method: string,
    url: URL,
    body: string | undefined,
    expected: readonly number[],
  ): Promise<HttpResponse> {
    return withRetries(this.retry, async () => {
      const response = await this.#wire.send(method, url, body);
      if (expected.includes(response.status)) return response;
      throw unexpected(this.#place.location, method, response);
    });
  }

  /** Whether the document was accepted; what a refusal means depends on what is there. */
  async post(document: HttpDocument, lockId: string): Promise<HttpResponse> {
    const url = new URL(this.#place.address);
    url.searchParams.set("ID", lockId);
    return this.#wire.send(this.#place.updateMethod, url, `${JSON.stringify(document)}\n`);
  }

  /**
   * Takes the lock, or returns the one in the way. If the response is lost, it asks again: the server then names our own
   * lock.
   */
  async lock(mine: Holder): Promise<{ id: string; holder: Holder } | undefined> {
    const { lockMethod, lockAddress, location } = this.#place;
    const body = JSON.stringify(toLockInfo(mine, location));
    const response = await this.#ask(lockMethod, lockAddress, body, [200, 409, 423]);
    if (response.status === 200) {
      // Some answer with the lock, others with nothing.
      if (response.text === "" || holderIn(response.text)) return undefined;
      throw unexpected(location, lockMethod, response);
    }
    const found = holderIn(response.text);
    if (!found) {
      throw refused(
        location,
        `the server says that it is locked, but not by whom (${describeReason(response.text)})`,
        "Remove the lock on the server if no run holds it.",
      );
    }
    return found.id === toLockId(mine) ? undefined : found;
  }

  /** Removes this lock and no other. */
  async unlock(id: string): Promise<void> {
    const { unlockMethod, unlockAddress } = this.#place;
    // The last three: there is no lock any more, or another one.
    const expected = [200, 201, 204, 404, 409, 423];
    await this.#ask(unlockMethod, unlockAddress, JSON.stringify({ ID: id }), expected);
  }
}

class HttpHold implements Hold {
  readonly #server: Server;
  readonly #mine: Holder;
  readonly #newId: () => string;
  #known: HttpDocument | undefined;
  #isRead = false;

  constructor(server: Server, mine: Holder, newId: () => string) {
    this.#server = server;
    this.#mine = mine;
    this.#newId = newId;
  }

  async read(): Promise<StoredTexts> {
    this.#known = await this.#server.get();
    this.#isRead = true;
    return toTexts(this.#known);
  }

  async append(lines: readonly string[]): Promise<void> {
    if (!this.#isRead) await this.read();
    const journal = `${this.#known?.journal ?? ""}${lines.map((line) => `${line}\n`).join("")}`;
    await this.#write({ journal, holder: this.#mine });
  }

  async commit({ state, record }: NextTexts): Promise<void> {
    if (!this.#isRead) await this.read();
    if (state === undefined && record === undefined && this.#known?.journal === undefined) return;
    const history = this.#known?.history ?? [];
    // A record that is there already was added by an attempt whose response was lost.
    const isNew = record !== undefined && record !== history.at(-1);
    await this.#write({
      ...(state === undefined ? {} : { state }),
      ...(isNew ? { history: [...history, record] } : {}),
      journal: undefined,
      holder: undefined,
    });
  }

  async release(): Promise<void> {
    try {
      // A journal that stays is one of nobody from now on.
      if (this.#known?.holder?.id === this.#mine.id) await this.#write({ holder: undefined });
    } finally {
      await this.#server.unlock(toLockId(this.#mine));
    }
  }

  async #write(changed: Partial<Record<keyof HttpDocument, unknown>>): Promise<void> {
    const before = this.#known;
    if ((await this.#server.get())?.write !== before?.write) throw conflict(this.#server.names);
    const next = {
      avatarops: 1,
      lineage: this.#newId(),
      history: [],
      ...before,
      serial: (before?.serial ?? 0) + 1,
      write: this.#newId(),
      ...changed,
    } as HttpDocument;
    this.#known = await this.#post(next, before);
  }

  /**
   * Repeats a write only if the first one cannot come late: it would undo what was written after the second.
   */
  #post(next: HttpDocument, before: HttpDocument | undefined): Promise<HttpDocument> {
    const { names, retry, keepsSerials } = this.#server;
    let mayRepeat = false;
    const write = async (): Promise<HttpDocument> => {
      const response = await this.#server.post(next, toLockId(this.#mine)).catch((error: unknown) => {
        if (isUnreachable(error)) return error;
        throw error;
      });
      mayRepeat = keepsSerials || isUnprocessed(response);
      if ("status" in response && [200, 201, 204].includes(response.status)) return next;
      const failure = "status" in response ? unexpected(names.state, "a write", response) : response;
      const found = await this.#server.get().catch(() => {
        throw failure;
      });
      if (found?.write === next.write) return next;
      if (found?.write !== before?.write) throw conflict(names);
      if ("status" in response && [409, 423].includes(response.status)) throw lockLost(names);
      throw failure;
    };
    return withRetries(retry, write, (error) => mayRepeat && isUnreachable(error));
  }
}

/** Whether a request certainly did nothing, and will not. */
function isUnprocessed(response: HttpResponse | StateError): boolean {
  if ("status" in response) {
    return response.status === 429 || (response.status === 503 && "retry-after" in response.headers);
  }
  return response.cause instanceof HttpError && !response.cause.mayBeSent;
}

function toTexts(document: HttpDocument | undefined): StoredTexts {
  return { state: document?.state, journal: document?.journal };
}
