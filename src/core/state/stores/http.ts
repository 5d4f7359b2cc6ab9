import { isDeepStrictEqual } from "node:util";
import { HttpError, type HttpResponse } from "../../../base/http/index.js";
import { checkHolderStatus } from "../holder-status.js";
import { closeJournal } from "../journal.js";
import type { Holder } from "../lock-holder.js";
import {
  getRequestLimitMs,
  isUnreachable,
  recordFailure,
  type StoreRetryOptions,
  withRetries,
} from "../retry.js";
import { StateError } from "../state-error.js";
import type {
  ExistingLock,
  HeldLock,
  StoreBackend,
  StoredTexts,
  StoreEnvironment,
} from "../store-backend.js";
import {
  assertHostAllowed,
  createConflictError,
  createLockLostError,
  createNames,
  createRefusedError,
  describeReason,
} from "./errors.js";
import {
  type HttpDocument,
  type HttpLock,
  parseDocument,
  parseLock,
  toLockId,
  toLockInfo,
} from "./http-texts.js";
import { createUnexpectedError, type HttpBackend, openHttpWire, readHttpBackend } from "./http-wire.js";

/**
 * Opens a state on a server for Terraform's http backend, such as GitLab or Gitea. The server keeps one document (see
 * HttpDocument). Each write reads the document and then replaces it, because the protocol has no conditional writes.
 *
 * Every step of a run sends the whole document, so older records are moved to separate documents (`…-history-1` and so
 * on). If the server does not keep such an archive unchanged, the records stay in the main document.
 */
export async function openHttpStore(url: URL, given: StoreEnvironment): Promise<StoreBackend> {
  const backend = readHttpBackend(url, given.environment ?? {});
  const { location, retries } = backend;
  assertHostAllowed(location, location, given);
  const environment = retries ? { ...given, retries } : given;
  const server = openServer(backend, environment);

  const toFoundLock = ({ id, holder }: HttpLock): ExistingLock => {
    return { key: id, holder, status: checkHolderStatus(holder, environment) };
  };

  /** Takes the lock. Returns the existing lock, if any. */
  async function take(mine: Holder): Promise<ExistingLock | undefined> {
    const inTheWay = await server.lock(mine);
    return inTheWay && toFoundLock(inTheWay);
  }

  return {
    names: server.names,
    // No request of the protocol reads a lock, so it is known only after its owner has written the document.
    async read() {
      const document = await server.get();
      const holder = document?.holder;
      return { ...toTexts(document), lock: holder && toFoundLock({ id: toLockId(holder), holder }) };
    },
    async findLock(requester) {
      const found = await take(requester);
      if (!found) await server.release(requester);
      return found;
    },
    async tryLock(mine) {
      const found = await take(mine);
      if (!found) return openHttpHold(server, mine, environment);
      if (found.status !== "dead") return found;
      // Of two concurrent runs, only one gets the next lock, because the server removes a lock only by its id.
      await server.unlock(found.key);
      const next = await take(mine);
      if (!next) return openHttpHold(server, mine, environment);
      // The server has not removed the lock, so the user must do it.
      return next.key === found.key ? { ...next, status: "elsewhere" } : next;
    },
    async breakLock({ key }, requester) {
      const response = await server.unlock(key);
      const found = await take(requester);
      if (found?.key === key) throw createKeptLockError(location, response);
      // Another run already has the lock and continues from the journal.
      if (found) return;
      try {
        await openHttpHold(server, requester, environment).closeJournal();
      } finally {
        await server.release(requester);
      }
    },
    async *readHistory() {
      const { history = [], archives = 0 } = (await server.get()) ?? {};
      yield* history.toReversed();
      for (let number = archives; number > 0; number--) yield* (await server.getArchive(number)).toReversed();
    },
    close: server.close,
  };
}

/** Maximum number and total length (in UTF-16 code units) of the records in the document. */
const maxHistory = { records: 100, length: 2_000_000 };
/**
 * Maximum number and total length (in UTF-16 code units) of an archive's records. The last record may exceed the
 * maximum length.
 */
const archiveSize = { records: 50, length: 1_000_000 };

/** Returns the number of oldest records to move to an archive. At least one record stays. */
function countArchived(history: readonly string[]): number {
  const length = history.reduce((sum, record) => sum + record.length, 0);
  if (history.length <= maxHistory.records && length <= maxHistory.length) return 0;
  let count = 0;
  const limit = Math.min(archiveSize.records, history.length - 1);
  for (let sum = 0; count < limit && sum < archiveSize.length; count++) sum += history[count]?.length ?? 0;
  return count;
}

type Server = ReturnType<typeof openServer>;

/** Opens a client for the protocol's requests. */
function openServer(backend: HttpBackend, retry: StoreRetryOptions) {
  const { location, address, lockAddress, lockMethod, updateMethod } = backend;
  const wire = openHttpWire(backend);
  const request = (method: string, url: URL, body?: string) =>
    wire.send(method, url, body, getRequestLimitMs(retry, body?.length));
  const names = createNames(location, "GitLab and Gitea keep earlier versions");

  /** Sends an idempotent request, with retries. */
  function send(method: string, url: URL, body: unknown, expected: readonly number[]): Promise<HttpResponse> {
    return withRetries(retry, async () => {
      const response = await request(method, url, body === undefined ? undefined : JSON.stringify(body));
      if (expected.includes(response.status)) return response;
      throw createUnexpectedError(location, method, response);
    });
  }

  /**
   * Takes the lock, or returns the existing lock. After a lost response, a retry makes the server return our own lock.
   */
  async function lock(mine: Holder): Promise<HttpLock | undefined> {
    const response = await send(lockMethod, lockAddress, toLockInfo(mine, location), [200, 409, 423]);
    const found = parseLock(response.text);
    if (response.status === 200) {
      // Some servers respond with the lock, others with nothing.
      if (response.text === "" || found) return undefined;
      throw createUnexpectedError(location, lockMethod, response);
    }
    if (found) return found.id === toLockId(mine) ? undefined : found;
    throw createRefusedError(
      location,
      `the server reported a lock, but not its owner (${describeReason(response.text)})`,
      "If no run owns the lock, remove it on the server.",
    );
  }

  /** Asks the server to remove a lock. 404, 409 and 423 may mean that the lock is gone, or that another run has it. */
  function unlock(info: object): Promise<HttpResponse> {
    return send(backend.unlockMethod, backend.unlockAddress, info, [200, 201, 204, 404, 409, 423]);
  }

  const getArchiveAddress = (number: number) => {
    const url = new URL(address);
    url.pathname += `-history-${number}`;
    return url;
  };

  async function getDocument(url: URL): Promise<HttpDocument | undefined> {
    const { status, text } = await send("GET", url, undefined, [200, 204, 404]);
    return status !== 200 || text === "" ? undefined : parseDocument(text, names);
  }

  return {
    names,
    /** Whether the server refuses two documents with the same serial. A delayed write then has no effect. */
    keepsSerials: backend.isCodeHost,
    get: () => getDocument(address),
    /** Reads an archive. @throws StateError if the archive is missing. */
    async getArchive(number: number): Promise<readonly string[]> {
      const url = getArchiveAddress(number);
      const document = await getDocument(url);
      if (document) return document.history;
      throw new StateError(
        "corrupt",
        location,
        `Older records of ${location} are missing at ${url.href}. Restore that document.`,
      );
    },
    /** Writes an archive. Returns whether the server has exactly these records. Never fails. */
    async keepArchive(number: number, document: HttpDocument): Promise<boolean> {
      const url = getArchiveAddress(number);
      try {
        const existing = await getDocument(url);
        if (!existing) await request(updateMethod, url, `${JSON.stringify(document)}\n`);
        const kept = existing ?? (await getDocument(url));
        return kept?.state === undefined && isDeepStrictEqual(kept?.history, document.history);
      } catch {
        return false;
      }
    },
    /** Sends a document once. If it is refused, the caller finds out why by reading the current document. */
    post(document: HttpDocument, lockId: string): Promise<HttpResponse> {
      const url = new URL(address);
      url.searchParams.set("ID", lockId);
      return request(updateMethod, url, `${JSON.stringify(document)}\n`);
    },
    lock,
    /** Asks the server to remove the lock with this id. The caller checks whether it did. */
    unlock: (id: string) => unlock({ ID: id }),
    /** Removes our own lock. @throws StateError if the server keeps it. */
    async release(mine: Holder): Promise<void> {
      const response = await unlock(toLockInfo(mine, location));
      if (response.status < 400) return;
      // The lock may be gone, for example after a lost response. Only another lock request shows whether it is.
      const second = { ...mine, id: retry.system.newId() };
      const left = await lock(second);
      if (!left) await unlock(toLockInfo(second, location));
      if (left?.id === toLockId(mine)) throw createKeptLockError(location, response);
    },
    close: wire.close,
  };
}

interface HttpHold extends HeldLock {
  /** Closes the journal of another run after its lock was removed (see `closeJournal`). */
  closeJournal(): Promise<void>;
}

function openHttpHold(server: Server, mine: Holder, environment: StoreEnvironment): HttpHold {
  const { names } = server;
  const lockId = toLockId(mine);
  let known: HttpDocument | undefined;

  async function write(changed: { readonly [Key in keyof HttpDocument]?: HttpDocument[Key] | undefined }) {
    const before = known;
    if ((await server.get())?.write !== before?.write) throw createConflictError(names);
    const next = {
      avatarops: 1,
      lineage: environment.system.newId(),
      history: [],
      ...before,
      serial: (before?.serial ?? 0) + 1,
      write: environment.system.newId(),
      ...changed,
    } as HttpDocument;
    await post(next, before);
    known = next;
  }

  async function archiveOldest(
    history: readonly string[],
  ): Promise<Pick<HttpDocument, "history" | "archives">> {
    const number = (known?.archives ?? 0) + 1;
    const count = countArchived(history);
    if (count === 0) return { history };
    const [oldest, newest] = [history.slice(0, count), history.slice(count)];
    const { lineage = environment.system.newId() } = known ?? {};
    const archive = {
      avatarops: 1,
      serial: 1,
      lineage,
      write: environment.system.newId(),
      history: oldest,
    } as const;
    return (await server.keepArchive(number, archive)) ? { history: newest, archives: number } : { history };
  }

  /** Replaces the document. Retries only if the first attempt cannot arrive late and undo later writes. */
  function post(next: HttpDocument, before: HttpDocument | undefined): Promise<void> {
    let mayRetry = false;
    const attemptOnce = async (): Promise<void> => {
      const beganMs = environment.system.monotonic();
      const response = await server.post(next, lockId).catch((error: unknown) => {
        if (!isUnreachable(error)) throw error;
        recordFailure(environment, beganMs, error);
        return error;
      });
      mayRetry = server.keepsSerials || isUnprocessed(response);
      const status = "status" in response ? response.status : 0;
      if ([200, 201, 204].includes(status)) return;
      const failure =
        "status" in response ? createUnexpectedError(names.state, "a write", response) : response;
      const found = await server.get().catch(() => {
        throw failure;
      });
      if (found?.write === next.write) return;
      if (found?.write !== before?.write) throw createConflictError(names);
      if ([409, 423].includes(status)) throw createLockLostError(names);
      throw failure;
    };
    return withRetries(environment, attemptOnce, (error) => mayRetry && isUnreachable(error));
  }

  return {
    async read() {
      for (let attempt = 1; attempt <= 2; attempt++) {
        known = await server.get();
        // Shows that the lock was still ours when the document was read, and that the server enforces locks.
        const second = { ...mine, id: environment.system.newId() };
        const inTheWay = await server.lock(second);
        if (inTheWay?.id === lockId) return toTexts(known);
        if (inTheWay) throw createLockLostError(names);
        await server.unlock(toLockId(second));
        // The lock was removed, or the server grants every lock request.
        if (await server.lock(mine)) throw createLockLostError(names);
      }
      await server.unlock(lockId);
      throw createRefusedError(
        names.state,
        "the server grants two locks at once, so two runs could write concurrently",
        "Use a server that enforces locks, such as GitLab or Gitea.",
      );
    },
    async append(lines) {
      await write({ journal: (known?.journal ?? "") + lines, holder: mine });
    },
    // Compares the document's write id, because the protocol cannot show the lock.
    async check() {
      const now = await server.get();
      if (now?.write !== known?.write) throw createLockLostError(names, now?.holder);
    },
    async closeJournal() {
      known = await server.get();
      const journal = closeJournal(known?.journal, names.journal, environment.system.now());
      if (journal !== known?.journal || known?.holder) await write({ journal, holder: undefined });
    },
    async commit({ state, record }) {
      if (state === undefined && record === undefined && known?.journal === undefined) return {};
      const { history = [], state: stored } = known ?? {};
      // The record may already be there, from an attempt whose response was lost.
      const isNew = record !== undefined && record !== history.at(-1);
      await write({
        state: state ?? stored,
        ...(await archiveOldest(isNew ? [...history, record] : history)),
        journal: undefined,
        holder: undefined,
      });
      return {};
    },
    async release() {
      try {
        // Marks the remaining journal as one without a writer.
        if (known?.holder?.id === mine.id) await write({ holder: undefined });
      } finally {
        await server.release(mine);
      }
    },
  };
}

function createKeptLockError(location: string, { status, text }: HttpResponse): StateError {
  const reason = text === "" ? "" : `: ${describeReason(text)}`;
  const advice = "Correct `unlock_address` and `unlock_method` in `state:`, or fix the server.";
  return createRefusedError(location, `the server did not remove the lock (${status}${reason})`, advice);
}

/** Returns whether a request was certainly not processed, and never will be. */
function isUnprocessed(response: HttpResponse | StateError): boolean {
  if ("status" in response) {
    return response.status === 429 || (response.status === 503 && "retry-after" in response.headers);
  }
  return response.cause instanceof HttpError && !response.cause.mayBeSent;
}

function toTexts(document: HttpDocument | undefined): StoredTexts {
  return { state: document?.state, journal: document?.journal };
}
