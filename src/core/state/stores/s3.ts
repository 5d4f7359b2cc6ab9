import { withPackage } from "../../../base/optional-packages/index.js";
import { isSettled } from "../journal.js";
import { parseHolder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import { withRetries } from "../retry.js";
import {
  type FoundLock,
  type Hold,
  type StateStore,
  type StoredTexts,
  type StoreEnvironment,
  type StoreNames,
  vanishedLock,
} from "../store-backend.js";
import { conflict, lockLost, refused, refuseHost, wrongLocation } from "./errors.js";
import {
  type Bucket,
  isConditionFailed,
  keysIn,
  openObject,
  type S3Object,
  toStateError,
} from "./s3-objects.js";
import { settingsIn } from "./url-settings.js";

/**
 * A state in S3 or a store that is compatible with it: `s3://bucket/path/production.json`. Beside the object of the
 * state are `.journal`, `.lock` and, below `.history/`, one object for each record, numbered downwards, so that the
 * newest comes first in a listing. Writes are conditional on what was last read; see S3Object. Credentials come from
 * where the official SDK takes them.
 */
export async function openS3Store(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const { location, bucket, key, region, endpoint, pathStyle } = parseS3Address(url);
  if (endpoint !== undefined) refuseHost(location, endpoint, environment);
  const sdk = await withPackage("@aws-sdk/client-s3", "State in S3", () => import("@aws-sdk/client-s3"));
  const client = new sdk.S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(pathStyle && { forcePathStyle: true }),
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    // Newer checksums are unknown to many compatible stores.
    ...(endpoint === undefined ? {} : { requestChecksumCalculation: "WHEN_REQUIRED" }),
  });
  if (endpoint === undefined) {
    // AWS_ENDPOINT_URL, that of S3, or the profile's: the SDK decides.
    client.middlewareStack.add(
      (next) => async (given) => {
        const { protocol, hostname, port } = given.request as Readonly<Record<string, string | number>>;
        refuseHost(location, `${protocol}//${hostname}${port ? `:${port}` : ""}`, environment, "environment");
        return next(given);
      },
      { step: "build" },
    );
  }
  const opened = { sdk, client, name: bucket, location, endpoint, retry: environment };
  return openStore(opened, key, endpoint ?? "aws", environment);
}

const settings = ["region", "endpoint", "path_style"] as const;

function parseS3Address(url: URL) {
  const location = `s3://${url.host}${url.pathname}`;
  const { region, endpoint, path_style: pathStyle } = settingsIn(url, location, settings);
  const key = decodeURIComponent(url.pathname.slice(1));
  if (url.host === "" || key === "" || key.endsWith("/")) {
    throw wrongLocation(location, "does not name an object: write s3://BUCKET/PATH/production.json.");
  }
  // Requests are signed for it, and it is a part of the host's name.
  if (region !== undefined && !/^[a-z0-9-]+$/.test(region)) {
    throw wrongLocation(location, "has a region that is not a name: write region=eu-central-1.");
  }
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol))) {
    throw wrongLocation(
      location,
      "has an endpoint that is not a URL: write endpoint=https://s3.example.com.",
    );
  }
  if (pathStyle !== undefined && !["true", "false"].includes(pathStyle)) {
    throw wrongLocation(location, "has a path_style other than true or false.");
  }
  return { location, bucket: url.host, key, region, endpoint, pathStyle: pathStyle === "true" };
}

/** `server`: the one on whose keeping the conditions our safety rests. */
function openStore(bucket: Bucket, key: string, server: string, environment: ProcessEnvironment): StateStore {
  const { location } = bucket;
  const restore = "a bucket with versioning keeps earlier versions";
  const names = { state: location, journal: `${location}.journal`, lock: `${location}.lock`, restore };
  const openLock = () => openObject(bucket, `${key}.lock`);

  function toFoundLock(text: string | undefined): FoundLock | undefined {
    if (text === undefined || isReleased(text)) return undefined;
    const holder = parseHolder(text);
    return { key: holder?.id ?? text, holder, status: processStatus(holder, environment) };
  }

  const readLock = async () => toFoundLock(await openLock().read());

  /**
   * Two runs would both hold the lock in a store that ignores conditions. Hence two writes that must be refused; they
   * have the text of the lock, so that they do no harm where they are not.
   */
  async function refuseUnconditional({ lock, held, released }: TakenLock): Promise<void> {
    for (const condition of [{ IfNoneMatch: "*" }, { IfMatch: '"another"' }] as const) {
      const keepsCondition = async () => {
        try {
          await lock.put(held, condition);
          return false;
        } catch (error) {
          if (isConditionFailed(error)) return true;
          throw toStateError(bucket, error);
        }
      };
      const isKept = await withRetries(bucket.retry, keepsCondition).catch(async (error: unknown) => {
        await lock.replace(released).catch(() => undefined);
        throw error;
      });
      if (isKept) continue;
      await lock.read();
      await lock.replace(released).catch(() => undefined);
      throw refused(
        location,
        `the store ignores the condition ${Object.keys(condition).join()} of a write, so two runs could write at the same time`,
        "Use a store with conditional writes (docs/shared-state.md lists some).",
      );
    }
  }

  return {
    names,
    read: () => readTexts(openObject(bucket, key), openObject(bucket, `${key}.journal`)),
    readLock,
    async tryLock(mine) {
      const lock = openLock();
      const text = await lock.read();
      const found = toFoundLock(text);
      const take = async () => {
        const held = JSON.stringify({ ...mine, conditional: server });
        const released = JSON.stringify({ released: mine.id, clean: true, conditional: server });
        if (!(await lock.replace(held))) return (await readLock()) ?? vanishedLock;
        const taken = { lock, held, released, isClean: wasReleased(text) };
        // A store that has kept the conditions once keeps them always.
        if (conditionalIn(text) !== server) await refuseUnconditional(taken);
        return openHold(bucket, key, names, taken);
      };
      if (!found || found.status === "dead") return take();
      return {
        ...found,
        async lookIdle() {
          const journal = openObject(bucket, `${key}.journal`);
          const written = await journal.read();
          if (!isVoid(written) && !isSettled(written, names.journal)) return undefined;
          // First the journal, to which the holder then cannot append any more.
          const fence = () => journal.replace(fenced(written, `${mine.id} before it had the lock`));
          return {
            version: `${found.key} ${written}`,
            takeOver: async () => ((await fence()) ? take() : found),
          };
        },
      };
    },
    async breakLock(found) {
      const lock = openLock();
      const text = await lock.read();
      if (toFoundLock(text)?.key !== found.key) return;
      // If it fails, another run has replaced the lock, which is not the one that was found.
      await lock.replace(JSON.stringify({ released: found.key, conditional: conditionalIn(text) }));
    },
    async *history() {
      for await (const record of keysIn(bucket, `${key}.history/`)) {
        const text = await openObject(bucket, record).read();
        if (text !== undefined) yield text;
      }
    },
    close: async () => bucket.client.destroy(),
  };
}

interface TakenLock {
  readonly lock: S3Object;
  /** Its text while we hold it, and after that. */
  readonly held: string;
  readonly released: string;
  /** No write of the last holder is under way. */
  readonly isClean: boolean;
}

function openHold(bucket: Bucket, key: string, names: StoreNames, taken: TakenLock): Hold {
  const { lock, held, released } = taken;
  const state = openObject(bucket, key);
  const journal = openObject(bucket, `${key}.journal`);
  const records = `${key}.history/`;
  let journalText: string | undefined;
  let cleared = 0;
  let isClean = taken.isClean;
  /** What a write did whose response was lost for good is not known: it may still arrive. */
  let isDoubtful = false;

  async function read(): Promise<StoredTexts> {
    if (!isClean) {
      // The state last: a commit under way then finds its journal changed, or is there already.
      await fence(journal, (text) => fenced(text, `${held} ${++cleared}`));
      await fence(state, (text = "") => `${text}\n`);
      isClean = true;
    }
    const texts = await readTexts(state, journal);
    // They are what the lock guards only if it is still ours.
    await refuseLockLost();
    journalText = texts.journal;
    return texts;
  }

  async function refuseLockLost(): Promise<void> {
    if ((await lock.read()) !== held) throw lockLost(names);
  }

  /** Changes an object, but not what it says: a write of another run that is under way does not find what it expects. */
  async function fence(object: S3Object, change: (text: string | undefined) => string): Promise<void> {
    while (!(await object.replace(change(await object.read())))) await refuseLockLost();
  }

  async function replace(object: S3Object, text: string): Promise<void> {
    isDoubtful = true;
    const isReplaced = await object.replace(text);
    isDoubtful = false;
    if (isReplaced) return;
    await refuseLockLost();
    throw conflict(names);
  }

  /** A record that is there already was added by an attempt whose response was lost. */
  async function addRecord(record: string): Promise<void> {
    const newest = (await keysIn(bucket, records).next()).value;
    if (newest !== undefined && (await openObject(bucket, newest).read()) === record) return;
    const number = newest === undefined ? firstRecord : Number.parseInt(newest.slice(records.length), 10) - 1;
    const name = `${records}${String(number).padStart(String(firstRecord).length, "0")}.json`;
    await replace(openObject(bucket, name), record);
  }

  return {
    read,
    async append(lines) {
      const text = `${journalText ?? ""}${lines}`;
      await replace(journal, text);
      journalText = text;
      // Last, so that nothing is sent because of a journal that another run may have taken over.
      await refuseLockLost();
    },
    async commit(next) {
      if (next.state === undefined && next.record === undefined && journalText === undefined) return;
      await refuseLockLost();
      if (next.record !== undefined) await addRecord(next.record);
      if (next.state !== undefined) await replace(state, next.state);
      if (journalText !== undefined) {
        await replace(journal, fenced(undefined, `${held} ${++cleared}`));
        journalText = undefined;
      }
    },
    async release() {
      // Somebody else's lock stays.
      if ((await lock.read()) === held)
        await lock.replace(isDoubtful ? released.replace('"clean":true,', "") : released);
    },
  };
}

const firstRecord = 99_999_999;

/** How the text of a journal begins that is in the state: an object is not deleted. A journal begins with a `{`. */
const spent = "# In the state";

/** The journal is read first, because the state after it can only be the same or a later one. */
async function readTexts(state: S3Object, journal: S3Object): Promise<StoredTexts> {
  const text = await journal.read();
  const stored = await state.read();
  // There never was a state, but a run that took over a lock made sure of that.
  const isBlank = stored !== undefined && stored.length < 100 && stored.trim() === "";
  return { journal: isVoid(text) ? undefined : text, state: isBlank ? undefined : stored };
}

/** A journal that says the same in another text; `by` occurs once. */
function fenced(journal: string | undefined, by: string): string {
  return isVoid(journal) ? `${spent} by ${by}\n` : `${journal}[]\n`;
}

function isVoid(journal: string | undefined): boolean {
  return journal === undefined || journal.startsWith(spent);
}

/** Whether the last run ended well. Otherwise its lock was removed, or it died. */
function wasReleased(lock: string | undefined): boolean {
  return /^\{"released":"[^"]*","clean":true,/.test(lock ?? "");
}

function isReleased(text: string): boolean {
  return /^\{"released":/.test(text);
}

/** The server that is known to keep the conditions, in the text of a lock. */
function conditionalIn(text: string | undefined): string | undefined {
  return /"conditional":"([^"]*)"\}$/.exec(text ?? "")?.[1];
}
