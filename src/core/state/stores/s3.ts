import { withPackage } from "../../../base/optional-packages/index.js";
import { type Holder, parseHolder } from "../lock-holder.js";
import { type ProcessEnvironment, processStatus } from "../processes.js";
import { withRetries } from "../retry.js";
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
import { conflict, lockLost, refused, refuseHost, wrongLocation } from "./errors.js";
import { type Bucket, isConditionFailed, keysIn, S3Object, toStateError } from "./s3-objects.js";
import { settingsIn } from "./url-settings.js";

/**
 * A state in S3 or a store that is compatible with it: `s3://bucket/path/production.json`. Beside the object of the
 * state are `.journal`, `.lock` and, below `.history/`, one object for each record, numbered downwards, so that the
 * newest comes first in a listing. Writes are conditional on what was last read; see S3Object. Credentials come from
 * where the official SDK takes them.
 */
export async function openS3Store(url: URL, environment: StoreEnvironment): Promise<StateStore> {
  const { location, bucket, key, region, endpoint, pathStyle } = readPlace(url);
  if (endpoint !== undefined) refuseHost(location, endpoint, environment);
  const sdk = await withPackage("@aws-sdk/client-s3", "State in S3", () => import("@aws-sdk/client-s3"));
  const client = new sdk.S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle ? { forcePathStyle: true } : {}),
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
  const place = { sdk, client, name: bucket, location, endpoint, retry: environment };
  return new S3Store(place, key, endpoint ?? "aws", environment);
}

const settings = ["region", "endpoint", "path_style"] as const;

function readPlace(url: URL) {
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
    throw wrongLocation(location, "has another path_style than true or false.");
  }
  return { location, bucket: url.host, key, region, endpoint, pathStyle: pathStyle === "true" };
}

class S3Store implements StateStore {
  readonly names: StoreNames;
  readonly #bucket: Bucket;
  readonly #key: string;
  /** The server, on whose keeping the conditions our safety rests. */
  readonly #server: string;
  readonly #environment: ProcessEnvironment;

  constructor(bucket: Bucket, key: string, server: string, environment: ProcessEnvironment) {
    const { location } = bucket;
    const restore = "a bucket with versioning keeps earlier versions";
    this.names = { state: location, journal: `${location}.journal`, lock: `${location}.lock`, restore };
    this.#bucket = bucket;
    this.#key = key;
    this.#server = server;
    this.#environment = environment;
  }

  read(): Promise<StoredTexts> {
    return readTexts(this.#object(""), this.#object(".journal"));
  }

  async readLock(): Promise<FoundLock | undefined> {
    return this.#found(await this.#object(".lock").read());
  }

  async tryLock(mine: Holder): Promise<Hold | FoundLock> {
    const lock = this.#object(".lock");
    const text = await lock.read();
    const found = this.#found(text);
    if (found && found.status !== "dead") return found;
    const held = JSON.stringify({ ...mine, conditional: this.#server });
    if (!(await lock.replace(held))) return (await this.readLock()) ?? vanishedLock;
    // A store that has kept the conditions once keeps them always.
    if (conditionalIn(text) !== this.#server) await this.#refuseUnconditional(lock, held, mine);
    return new S3Hold(this.#bucket, this.#key, this.names, { lock, held, released: this.#released(mine) });
  }

  async breakLock({ key }: FoundLock): Promise<void> {
    const lock = this.#object(".lock");
    const text = await lock.read();
    if (this.#found(text)?.key !== key) return;
    // If it fails, another run has replaced the lock, which is not the one that was found.
    await lock.replace(JSON.stringify({ released: key, conditional: conditionalIn(text) }));
  }

  async *history(): AsyncGenerator<string> {
    for await (const key of keysIn(this.#bucket, `${this.#key}.history/`)) {
      const text = await new S3Object(this.#bucket, key).read();
      if (text !== undefined) yield text;
    }
  }

  async close(): Promise<void> {
    this.#bucket.client.destroy();
  }

  #object(suffix: string): S3Object {
    return new S3Object(this.#bucket, `${this.#key}${suffix}`);
  }

  #released({ id }: Holder): string {
    return JSON.stringify({ released: id, conditional: this.#server });
  }

  #found(text: string | undefined): FoundLock | undefined {
    if (text === undefined || isReleased(text)) return undefined;
    const holder = parseHolder(text);
    if (!holder) return { key: text, holder, status: "elsewhere" };
    return { key: holder.id, holder, status: processStatus(holder, this.#environment) };
  }

  /**
   * Two runs would both hold the lock in a store that ignores conditions. Hence two writes that must be refused; they
   * have the text of the lock, so that they do no harm where they are not.
   */
  async #refuseUnconditional(lock: S3Object, held: string, mine: Holder): Promise<void> {
    for (const condition of [{ IfNoneMatch: "*" }, { IfMatch: '"another"' }] as const) {
      const keeps = () => this.#keepsCondition(lock, held, condition);
      const isKept = await withRetries(this.#bucket.retry, keeps).catch(async (error: unknown) => {
        await lock.replace(this.#released(mine)).catch(() => undefined);
        throw error;
      });
      if (isKept) continue;
      await lock.read();
      await lock.replace(this.#released(mine)).catch(() => undefined);
      throw refused(
        this.names.state,
        `the store ignores the condition ${Object.keys(condition).join()} of a write, so two runs could write at the same time`,
        "Use a store with conditional writes (docs/team.md lists some).",
      );
    }
  }

  /** Tries a write whose condition does not hold. */
  async #keepsCondition(lock: S3Object, held: string, condition: Parameters<S3Object["put"]>[1]) {
    try {
      await lock.put(held, condition);
      return false;
    } catch (error) {
      if (isConditionFailed(error)) return true;
      throw toStateError(this.#bucket, error);
    }
  }
}

interface HeldLock {
  readonly lock: S3Object;
  /** Its text while we hold it, and after that. */
  readonly held: string;
  readonly released: string;
}

class S3Hold implements Hold {
  readonly #bucket: Bucket;
  readonly #names: StoreNames;
  readonly #lock: HeldLock;
  readonly #state: S3Object;
  readonly #journal: S3Object;
  readonly #records: string;
  #journalText: string | undefined;
  #isRead = false;
  #cleared = 0;

  constructor(bucket: Bucket, key: string, names: StoreNames, lock: HeldLock) {
    this.#bucket = bucket;
    this.#names = names;
    this.#lock = lock;
    this.#state = new S3Object(bucket, key);
    this.#journal = new S3Object(bucket, `${key}.journal`);
    this.#records = `${key}.history/`;
  }

  async read(): Promise<StoredTexts> {
    const texts = await readTexts(this.#state, this.#journal);
    this.#journalText = texts.journal;
    this.#isRead = true;
    return texts;
  }

  async append(lines: readonly string[]): Promise<void> {
    if (!this.#isRead) await this.read();
    const text = `${this.#journalText ?? ""}${lines.map((line) => `${line}\n`).join("")}`;
    await this.#replace(this.#journal, text);
    this.#journalText = text;
    // Last, so that nothing is sent because of a journal that another run may have taken over.
    await this.#refuseLockLost();
  }

  async commit({ state, record }: NextTexts): Promise<void> {
    if (!this.#isRead) await this.read();
    if (state === undefined && record === undefined && this.#journalText === undefined) return;
    await this.#refuseLockLost();
    if (record !== undefined) await this.#addRecord(record);
    if (state !== undefined) await this.#replace(this.#state, state);
    if (this.#journalText !== undefined) {
      await this.#replace(this.#journal, `${spent} by ${this.#lock.held} ${++this.#cleared}\n`);
      this.#journalText = undefined;
    }
  }

  async release(): Promise<void> {
    const { lock, held, released } = this.#lock;
    // Somebody else's lock stays.
    if ((await lock.read()) === held) await lock.replace(released);
  }

  async #replace(object: S3Object, text: string): Promise<void> {
    if (await object.replace(text)) return;
    await this.#refuseLockLost();
    throw conflict(this.#names);
  }

  /** A record that is there already was added by an attempt whose response was lost. */
  async #addRecord(record: string): Promise<void> {
    const newest = (await keysIn(this.#bucket, this.#records).next()).value;
    if (newest !== undefined && (await new S3Object(this.#bucket, newest).read()) === record) return;
    const number =
      newest === undefined ? firstRecord : Number.parseInt(newest.slice(this.#records.length), 10) - 1;
    const key = `${this.#records}${String(number).padStart(String(firstRecord).length, "0")}.json`;
    await this.#replace(new S3Object(this.#bucket, key), record);
  }

  async #refuseLockLost(): Promise<void> {
    const { lock, held } = this.#lock;
    if ((await lock.read()) !== held) throw lockLost(this.#names);
  }
}

const firstRecord = 99_999_999;

/** How the text of a journal begins that is in the state: an object is not deleted. A journal begins with a `{`. */
const spent = "# In the state";

/** The journal is read first, because the state after it can only be the same or a later one. */
async function readTexts(state: S3Object, journal: S3Object): Promise<StoredTexts> {
  const text = await journal.read();
  return { journal: text?.startsWith(spent) ? undefined : text, state: await state.read() };
}

function isReleased(text: string): boolean {
  return /^\{"released":/.test(text);
}

/** The server that is known to keep the conditions, in the text of a lock. */
function conditionalIn(text: string | undefined): string | undefined {
  return /"conditional":"([^"]*)"\}$/.exec(text ?? "")?.[1];
}
