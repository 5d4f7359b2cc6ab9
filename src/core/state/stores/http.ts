import { isDeepStrictEqual } from "node:util";
import { HttpError, type HttpResponse } from "../../../base/http/index.js";
import { closeJournal } from "../journal.js";
import type { Holder } from "../lock-holder.js";
import { processStatus } from "../processes.js";
import { isUnreachable, noteFailure, requestLimitMs, type StoreRetryOptions, withRetries } from "../retry.js";
import { StateError } from "../state-error.js";
import type { FoundLock, HeldLock, StoreBackend, StoredTexts, StoreEnvironment } from "../store-backend.js";
import { conflict, describeReason, lockLost, namesFrom, refused, refuseHost } from "./errors.js";
import {
  type HttpDocument,
  type HttpLock,
  parseDocument,
  parseLock,
  toLockId,
  toLockInfo,
} from "./http-texts.js";
import { type HttpBackend, openHttpWire, readHttpBackend, unexpected } from "./http-wire.js";

/**
 * A state on a server that Terraform's http backend could use too, such as the ones of GitLab and Gitea. The server
 * keeps one document (see HttpDocument), and each write replaces it whole. The protocol has no condition for a write,
 * so each is preceded by a look at what is there; servers refuse a write without the lock.
 *
 * Each step of a run sends the document. So that it does not grow with the history, older records go into documents beside it,
 * `…-history-1` and so on, which are written once, before the document without those records. What is to be in one of them depends
 * on its records only, and not on who writes it, or how often. If the server does not keep it as it was sent, they stay in the document.
 */
export async function openHttpStore(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const backend = readHttpBackend(url, environment.environment ?? {});
  refuseHost(backend.location, backend.location, environment);
  const server = openServer(backend, environment);

  const toFoundLock = ({ id, holder }: HttpLock): FoundLock => {
    return { key: id, holder, status: processStatus(holder, environment) };
  };

  /** Takes the lock, or returns the one in the way. */
  async function take(mine: Holder): Promise<FoundLock | undefined> {
    const inTheWay = await server.lock(mine);
    return inTheWay && toFoundLock(inTheWay);
  }

  return {
    names: server.names,
    // The protocol does not show the lock; it is known of a run that has written to its journal.
    async read() {
      const document = await server.get();
      const holder = document?.holder;
      return { ...toTexts(document), lock: holder && toFoundLock({ id: toLockId(holder), holder }) };
    },
    async findLock(asker) {
      const found = await take(asker);
      if (!found) await server.unlock(toLockId(asker));
      return found;
    },
    async tryLock(mine) {
      const found = await take(mine);
      if (!found) return openHttpHold(server, mine, environment);
      if (found.status !== "dead") return found;
      // The server removes a lock only for a client that names it, so of two runs that do this one gets the next lock.
      await server.unlock(found.key);
      const next = await take(mine);
      if (!next) return openHttpHold(server, mine, environment);
      // A server that does not remove it: its user has to.
      return next.key === found.key ? { ...next, status: "elsewhere" } : next;
    },
    async breakLock({ key }, asker) {
      await server.unlock(key);
      // Without the lock another run is at work already: it continues from the journal by itself.
      if (await take(asker)) return;
      try {
        await openHttpHold(server, asker, environment).closeJournal();
      } finally {
        await server.unlock(toLockId(asker));
      }
    },
    async *history() {
      const { history = [], archives = 0 } = (await server.get()) ?? {};
      yield* history.toReversed();
      for (let number = archives; number > 0; number--) yield* (await server.getArchive(number)).toReversed();
    },
    close: server.close,
  };
}

/** How many records the document has at most, and how long they are together: records have texts. */
const most = { records: 100, length: 2_000_000 };
/** How many of them go into another document then; the last of them may make it longer. */
const archived = { records: 50, length: 1_000_000 };

/** How many of the oldest records go into another document, if these are too many; at least one stays. */
function countArchived(history: readonly string[]): number {
  const length = history.reduce((sum, record) => sum + record.length, 0);
  if (history.length <= most.records && length <= most.length) return 0;
  let count = 0;
  for (let sum = 0; count < Math.min(archived.records, history.length - 1) && sum < archived.length; count++)
    sum += history[count]?.length ?? 0;
  return count;
}

type Server = ReturnType<typeof openServer>;

/** The requests of the protocol. */
function openServer(backend: HttpBackend, retry: StoreRetryOptions) {
  const { location, address, isHosts, lockAddress } = backend;
  const [lockMethod, unlockMethod] = isHosts ? ["POST", "DELETE"] : ["LOCK", "UNLOCK"];
  const wire = openHttpWire(backend);
  const request = (method: string, url: URL, body?: string) =>
    wire.send(method, url, body, requestLimitMs(retry, body?.length));
  const names = namesFrom(location, "GitLab and Gitea keep earlier versions");

  /** Sends what may be sent again. */
  function send(method: string, url: URL, body: unknown, expected: readonly number[]): Promise<HttpResponse> {
    return withRetries(retry, async () => {
      const response = await request(method, url, body === undefined ? undefined : JSON.stringify(body));
      if (expected.includes(response.status)) return response;
      throw unexpected(location, method, response);
    });
  }

  const archiveAddress = (number: number) => {
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
    /** It stores no two documents of the same serial, so a write that comes late, after its repetition, does nothing. */
    keepsSerials: isHosts,
    get: () => getDocument(address),
    /** @throws StateError if it is gone. */
    async getArchive(number: number): Promise<readonly string[]> {
      const url = archiveAddress(number);
      const document = await getDocument(url);
      if (document) return document.history;
      throw new StateError(
        "corrupt",
        location,
        `The older records of ${location} are gone from ${url.href}. Restore it.`,
      );
    },
    /** Whether a document beside the state has these records now, and nothing else. Never fails. */
    async keepArchive(number: number, document: HttpDocument): Promise<boolean> {
      const url = archiveAddress(number);
      try {
        const there = await getDocument(url);
        if (!there) await request("POST", url, `${JSON.stringify(document)}\n`);
        const kept = there ?? (await getDocument(url));
        return kept?.state === undefined && isDeepStrictEqual(kept?.history, document.history);
      } catch {
        return false;
      }
    },
    /** Sends a document once; what a refusal means depends on what is there. */
    post(document: HttpDocument, lockId: string): Promise<HttpResponse> {
      const url = new URL(address);
      url.searchParams.set("ID", lockId);
      return request("POST", url, `${JSON.stringify(document)}\n`);
    },
    /**
     * Takes the lock, or returns the one in the way. If the response is lost, it asks again: the server then names our
     * own lock.
     */
    async lock(mine: Holder): Promise<HttpLock | undefined> {
      const response = await send(lockMethod, lockAddress, toLockInfo(mine, location), [200, 409, 423]);
      const found = parseLock(response.text);
      if (response.status === 200) {
        // Some respond with the lock, others with nothing.
        if (response.text === "" || found) return undefined;
        throw unexpected(location, lockMethod, response);
      }
      if (found) return found.id === toLockId(mine) ? undefined : found;
      throw refused(
        location,
        `the server says that it is locked, but not by whom (${describeReason(response.text)})`,
        "Remove the lock on the server if no run holds it.",
      );
    },
    /** Removes this lock and no other. */
    async unlock(id: string): Promise<void> {
      // The last three: there is no lock any more, or another one.
      await send(unlockMethod, lockAddress, { ID: id }, [200, 201, 204, 404, 409, 423]);
    },
    close: wire.close,
  };
}

interface HttpHold extends HeldLock {
  /** Notes in the journal of another run that its lock is removed; see `closeJournal`. */
  closeJournal(): Promise<void>;
}

function openHttpHold(server: Server, mine: Holder, environment: StoreEnvironment): HttpHold {
  const { names } = server;
  const lockId = toLockId(mine);
  let known: HttpDocument | undefined;

  async function write(changed: { readonly [Key in keyof HttpDocument]?: HttpDocument[Key] | undefined }) {
    const before = known;
    if ((await server.get())?.write !== before?.write) throw conflict(names);
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

  async function withoutOldest(
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

  /** Repeats a write only if the first one cannot come late: it would undo what was written after the second. */
  function post(next: HttpDocument, before: HttpDocument | undefined): Promise<void> {
    let mayRepeat = false;
    const attempt = async (): Promise<void> => {
      const beganMs = environment.system.monotonic();
      const response = await server.post(next, lockId).catch((error: unknown) => {
        if (!isUnreachable(error)) throw error;
        noteFailure(environment, beganMs, error);
        return error;
      });
      mayRepeat = server.keepsSerials || isUnprocessed(response);
      const status = "status" in response ? response.status : 0;
      if ([200, 201, 204].includes(status)) return;
      const failure = "status" in response ? unexpected(names.state, "a write", response) : response;
      const found = await server.get().catch(() => {
        throw failure;
      });
      if (found?.write === next.write) return;
      if (found?.write !== before?.write) throw conflict(names);
      if ([409, 423].includes(status)) throw lockLost(names);
      throw failure;
    };
    return withRetries(environment, attempt, (error) => mayRepeat && isUnreachable(error));
  }

  return {
    async read() {
      for (let attempt = 1; attempt <= 2; attempt++) {
        known = await server.get();
        // Shows that the lock was still ours when the document was read, and that the server keeps locks at all.
        const second = { ...mine, id: environment.system.newId() };
        const inTheWay = await server.lock(second);
        if (inTheWay?.id === lockId) return toTexts(known);
        if (inTheWay) throw lockLost(names);
        await server.unlock(toLockId(second));
        // Somebody removed it, or the server grants everyone one.
        if (await server.lock(mine)) throw lockLost(names);
      }
      await server.unlock(lockId);
      throw refused(
        names.state,
        "the server grants two locks at the same time, so two runs could write at the same time",
        "Use a server that keeps locks, such as GitLab or Gitea.",
      );
    },
    async append(lines) {
      await write({ journal: (known?.journal ?? "") + lines, holder: mine });
    },
    // The protocol does not show the lock; the document shows who wrote last.
    async check() {
      const now = await server.get();
      if (now?.write !== known?.write) throw lockLost(names, now?.holder);
    },
    async closeJournal() {
      known = await server.get();
      const journal = closeJournal(known?.journal, names.journal, environment.system.now());
      if (journal !== known?.journal || known?.holder) await write({ journal, holder: undefined });
    },
    async commit({ state, record }) {
      if (state === undefined && record === undefined && known?.journal === undefined) return {};
      const { history = [], state: stored } = known ?? {};
      // A record that is there already was added by an attempt whose response was lost.
      const isNew = record !== undefined && record !== history.at(-1);
      await write({
        state: state ?? stored,
        ...(await withoutOldest(isNew ? [...history, record] : history)),
        journal: undefined,
        holder: undefined,
      });
      return {};
    },
    async release() {
      try {
        // A journal that stays has no writer from now on.
        if (known?.holder?.id === mine.id) await write({ holder: undefined });
      } finally {
        await server.unlock(lockId);
      }
    },
  };
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
