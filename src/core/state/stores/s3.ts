import type { S3Client } from "@aws-sdk/client-s3";
import { withPackage } from "../../../base/optional-packages/index.js";
import { requestLimitMs, unknownBytes, withRetries } from "../retry.js";
import { StateError } from "../state-error.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import {
  connectionError,
  describeReason,
  namesFrom,
  refused,
  refuseHost,
  refusePage,
  settingsIn,
  unreachable,
  wrongLocation,
} from "./errors.js";
import { openLockable, type Part, type SwapStore, type Versioned } from "./lock-by-swap.js";

/**
 * A state in S3 or a store that is compatible with it: `s3://bucket/path/production.json`. Beside the object of the
 * state are `.lock` and, below `.history/`, one object for each record, numbered downwards, so that the newest comes
 * first in a listing. An object is replaced only if its ETag is the one that was seen (`If-Match`, `If-None-Match`).
 * Credentials come from where the official SDK takes them.
 */
export async function openS3Store(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const address = parseS3Address(url);
  const { location, region, endpoint } = address;
  if (endpoint !== undefined) refuseHost(location, endpoint, environment);
  const sdk = await withPackage(
    "@aws-sdk/client-s3",
    "State in S3",
    () => import("@aws-sdk/client-s3"),
    environment,
  );
  const client = new sdk.S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: address.pathStyle,
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
  return openLockable(openObjects(sdk, client, address, environment), environment);
}

const settings = {
  // Requests are signed for it, and it is a part of the host's name.
  region: [(value: string) => /^[a-z0-9-]+$/.test(value), "eu-central-1"],
  endpoint: [
    (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    "https://s3.example.com",
  ],
  path_style: [(value: string) => /^(true|false)$/.test(value), "true"],
} as const;

function parseS3Address(url: URL) {
  const location = `s3://${url.host}${url.pathname}`;
  const { region, endpoint, path_style: pathStyle } = settingsIn(url, location, settings);
  const key = decodeURIComponent(url.pathname.slice(1));
  if (url.host === "" || key === "" || key.endsWith("/")) {
    throw wrongLocation(location, "does not name an object: write s3://BUCKET/PATH/production.json.");
  }
  return { location, bucket: url.host, key, region, endpoint, pathStyle: pathStyle === "true" };
}

function openObjects(
  sdk: typeof import("@aws-sdk/client-s3"),
  client: S3Client,
  { location, bucket, key, endpoint }: ReturnType<typeof parseS3Address>,
  environment: StoreEnvironment,
): SwapStore {
  const keys = { state: key, lock: `${key}.lock` };
  const sizes = { state: unknownBytes, lock: 0 };
  /** The server on whose keeping the conditions our safety rests, as the lock says that it was tried. */
  const server = endpoint ?? "aws";
  let isTried = false;

  /** Includes the attempts of the SDK, and the response. */
  const limit = (bytes = 0) => ({ abortSignal: AbortSignal.timeout(requestLimitMs(environment, bytes)) });

  async function get(of: string, bytes?: number) {
    try {
      const response = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: of }), limit(bytes));
      const text = await response.Body?.transformToString("utf-8");
      refusePage(location, text ?? "", response.ContentType, response.$metadata.httpStatusCode);
      if (response.ETag === undefined || text === undefined) throw notS3(location);
      return { text, version: response.ETag, tried: response.Metadata?.tried };
    } catch (error) {
      if (errorName(error) === "NoSuchKey") return undefined;
      throw toS3Error(location, error);
    }
  }

  /** Writes an object if it has this ETag, or if there is none; the new ETag, or undefined if that is not so. */
  async function put(of: string, text: string, version: string | undefined): Promise<string | undefined> {
    const object = { Bucket: bucket, Key: of, Body: text, ContentType: "application/json" };
    const condition = version === undefined ? { IfNoneMatch: "*" } : { IfMatch: version };
    const command = new sdk.PutObjectCommand({ ...object, ...condition, Metadata: { tried: server } });
    try {
      const { ETag } = await client.send(command, limit(text.length));
      if (ETag === undefined) throw notS3(location);
      return ETag;
    } catch (error) {
      const status = errorStatus(error);
      // 404: it is gone, so there is no ETag to match.
      if (status === 412 || (status === 404 && errorName(error) === "NoSuchKey")) return undefined;
      throw toS3Error(location, error);
    }
  }

  /** Two runs would both hold the lock in a store that ignores conditions. So two writes must be refused. */
  async function refuseUnconditional(): Promise<void> {
    const probe = `${key}.probe`;
    await put(probe, "Written to try whether the store keeps conditions.\n", undefined);
    for (const version of [undefined, '"another"']) {
      if ((await put(probe, "The store does not keep conditions.\n", version)) === undefined) continue;
      throw refused(
        location,
        `the store ignores the condition ${version ? "IfMatch" : "IfNoneMatch"} of a write, so two runs could write at the same time`,
        "Use a store with conditional writes, such as Amazon S3, or another kind of state, such as `git+refs://origin/avatarops/production`.",
      );
    }
  }

  async function* recordKeys(): AsyncGenerator<string> {
    for (let from: string | undefined; ; ) {
      const list = { Bucket: bucket, Prefix: `${key}.history/`, ContinuationToken: from };
      const page = await withRetries(environment, () =>
        client.send(new sdk.ListObjectsV2Command(list), limit()).catch((error: unknown) => {
          throw toS3Error(location, error);
        }),
      );
      if (page.KeyCount === undefined && page.Name === undefined) throw notS3(location);
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
      from = page.NextContinuationToken;
      if (from === undefined) return;
    }
  }

  /** A record that is there already was added by an attempt whose response was lost. */
  async function addRecord(record: string): Promise<void> {
    const newest = (await recordKeys().next()).value as string | undefined;
    if (newest !== undefined && (await get(newest))?.text === record) return;
    const number =
      newest === undefined ? firstRecord : Number.parseInt(newest.split("/").at(-1) ?? "", 10) - 1;
    const digits = String(number).padStart(String(firstRecord).length, "0");
    const isAdded = await put(`${key}.history/${digits}.json`, record, undefined);
    // A late write of another run, which was after its lock.
    if (!isAdded) throw unreachable(location, "another record was added at the same time");
  }

  async function readPart(part: Part): Promise<Versioned> {
    const { text, version, tried } =
      (await withRetries(environment, () => get(keys[part], sizes[part]))) ?? {};
    isTried ||= tried === server;
    return { text: text?.startsWith(removed) ? undefined : text, version };
  }

  return {
    names: namesFrom(location, "a bucket with versioning keeps earlier versions"),
    async read(...parts) {
      const texts: Versioned[] = [];
      for (const part of parts) texts.push(await readPart(part));
      return texts;
    },
    async swap(part, text, seen, { record, lock }) {
      if (!isTried) await refuseUnconditional();
      isTried = true;
      if (lock && (await get(keys.lock))?.version !== lock.version) return undefined;
      if (record !== undefined) await addRecord(record);
      if (part === "state" && text === seen.text) return seen;
      const body = text ?? `${removed} ${environment.system.newId()}\n`;
      const version = await put(keys[part], body, seen.version);
      return version === undefined ? undefined : { text, version };
    },
    async *history() {
      for await (const record of recordKeys()) {
        const found = await withRetries(environment, () => get(record, unknownBytes));
        if (found) yield found.text;
      }
    },
    close: async () => client.destroy(),
  };
}

const firstRecord = 99_999_999;

/** An object is never deleted: a late or repeated DELETE would hit what came after. Each text occurs once: equal ones have equal ETags. */
const removed = "# Removed";

function notS3(location: string): StateError {
  return unreachable(location, "what answers there does not speak S3");
}

function toS3Error(location: string, error: unknown): StateError {
  if (error instanceof StateError) return error;
  const [status, name] = [errorStatus(error), errorName(error)];
  if (/^(Credentials|Token)ProviderError$/.test(name)) {
    const advice =
      "Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the CI job assume a role (OpenID Connect).";
    return refused(location, "there are no credentials for S3", advice, error);
  }
  // 409: another conditional write of the object is under way, which may be our own, tried before.
  if (status !== undefined && status >= 300 && status < 500 && ![408, 409, 429].includes(status)) {
    const advice =
      "Check the bucket and its region in `state:`, and the credentials in the environment (AWS_PROFILE, AWS_ACCESS_KEY_ID); they need s3:GetObject, s3:PutObject and s3:ListBucket.";
    return refused(location, `the store answers ${status} ${name} (${describeReason(error)})`, advice, error);
  }
  if (status !== undefined) return unreachable(location, `the store answers ${status}`, error);
  if (name === "AbortError") return unreachable(location, "it does not respond", error);
  return connectionError(location, error);
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function errorStatus(error: unknown): number | undefined {
  const { $metadata } = Object(error) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}
