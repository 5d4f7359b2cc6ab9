import type { S3Client } from "@aws-sdk/client-s3";
import { openHttpClient, openSdkWire, toSdkError, toSdkOptions } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { assumedTransferBytes, getRequestLimitMs, withRetries } from "../retry.js";
import { StateError } from "../state-error.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import {
  assertHostAllowed,
  createNames,
  createRefusedError,
  createUnreachableError,
  describeReason,
  rejectPage,
  toConnectionError,
} from "./errors.js";
import { readProxy } from "./http-wire.js";
import { openLockable, type StoredPart, type SwapStore, type VersionedText } from "./lock-by-swap.js";
import { parseS3Address, type S3Address } from "./s3-address.js";

/**
 * Opens a state in S3 or a compatible store (`s3://bucket/path/production.json`). Records are S3 objects under
 * `.history/`, with numbers that count down.
 */
export async function openS3Store(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const address = parseS3Address(url);
  const { location, region, endpoint } = address;
  if (endpoint !== undefined) assertHostAllowed(location, endpoint, environment);
  const sdk = await withPackage(
    "@aws-sdk/client-s3",
    "State in S3",
    () => import("@aws-sdk/client-s3"),
    environment,
  );
  const proxy = readProxy(location, environment.environment ?? {});
  const http = openHttpClient({ proxy, idleMs: 60_000, maxResponseBytes: 500_000_000 });
  // The SDK chooses the endpoint from AWS_ENDPOINT_URL, the S3 variable or the profile.
  const wire = openSdkWire(http, (address) => {
    if (endpoint === undefined) assertHostAllowed(location, address, environment, "environment");
  });
  const client = new sdk.S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    forcePathStyle: address.pathStyle,
    ...toSdkOptions({
      ...wire,
      handle: (...call: Parameters<typeof wire.handle>) =>
        wire.handle(...call).catch((error: unknown) => {
          throw toSdkError(error);
        }),
    }),
    // Many compatible stores do not support the SDK's newer checksums.
    ...(endpoint === undefined ? {} : { requestChecksumCalculation: "WHEN_REQUIRED" }),
  });
  return openLockable(openObjects(sdk, client, address, environment), environment);
}

function openObjects(
  sdk: typeof import("@aws-sdk/client-s3"),
  client: S3Client,
  { location, bucket, key, endpoint }: S3Address,
  environment: StoreEnvironment,
): SwapStore {
  const keys = { state: key, lock: `${key}.lock` };
  const sizes = { state: assumedTransferBytes, lock: 0 };
  /** Server whose conditional writes have been verified. Recorded in the S3 objects. */
  const server = endpoint ?? "aws";
  let isVerified = false;

  /** Limits the time of a request, including the SDK's retries and the response. */
  const limitRequest = (bytes = 0) => ({
    abortSignal: AbortSignal.timeout(getRequestLimitMs(environment, bytes)),
  });

  async function get(objectKey: string, bytes?: number) {
    try {
      const response = await client.send(
        new sdk.GetObjectCommand({ Bucket: bucket, Key: objectKey }),
        limitRequest(bytes),
      );
      const text = await response.Body?.transformToString("utf-8");
      rejectPage(location, text ?? "", response.ContentType, response.$metadata.httpStatusCode);
      if (response.ETag === undefined || text === undefined) throw createNotS3Error(location);
      return { text, version: response.ETag, tried: response.Metadata?.tried };
    } catch (error) {
      if (getErrorName(error) === "NoSuchKey") return undefined;
      throw toS3Error(location, error);
    }
  }

  /** Writes an S3 object if its ETag is `version`. Returns the new ETag, or undefined if the ETag differs. */
  async function put(
    objectKey: string,
    text: string,
    version: string | undefined,
  ): Promise<string | undefined> {
    const object = { Bucket: bucket, Key: objectKey, Body: text, ContentType: "application/json" };
    const condition = version === undefined ? { IfNoneMatch: "*" } : { IfMatch: version };
    const command = new sdk.PutObjectCommand({ ...object, ...condition, Metadata: { tried: server } });
    try {
      const { ETag } = await client.send(command, limitRequest(text.length));
      if (ETag === undefined) throw createNotS3Error(location);
      return ETag;
    } catch (error) {
      const status = getErrorStatus(error);
      // 404 means that the S3 object is gone, so no ETag matches.
      if (status === 412 || (status === 404 && getErrorName(error) === "NoSuchKey")) return undefined;
      throw toS3Error(location, error);
    }
  }

  /** Verifies that the store enforces `IfNoneMatch` and `IfMatch`. If it does not, two runs could both own the lock. */
  async function assertConditionalWrites(): Promise<void> {
    const probe = `${key}.probe`;
    await put(probe, "Written to check whether the store supports conditional writes.\n", undefined);
    for (const version of [undefined, '"another"']) {
      if ((await put(probe, "The store does not support conditional writes.\n", version)) === undefined)
        continue;
      throw createRefusedError(
        location,
        `the store ignores the ${version ? "IfMatch" : "IfNoneMatch"} condition on writes, so two runs could write concurrently`,
        "Use an S3 store with conditional writes, such as Amazon S3, or another kind of store, such as `git+refs://origin/avatarops/production`.",
      );
    }
  }

  const historyFolder = `${key}.history/`;

  /**
   * Lists the numbers of the records, newest first. Skips other objects, such as a console's folder marker. Reads all
   * pages, because directory buckets list keys without order.
   */
  async function listRecords(): Promise<readonly number[]> {
    const numbers: number[] = [];
    let from: string | undefined;
    do {
      const list = { Bucket: bucket, Prefix: historyFolder, ContinuationToken: from };
      const page = await withRetries(environment, () =>
        client.send(new sdk.ListObjectsV2Command(list), limitRequest()).catch((error: unknown) => {
          throw toS3Error(location, error);
        }),
      );
      if (page.KeyCount === undefined && page.Name === undefined) throw createNotS3Error(location);
      for (const { Key = "" } of page.Contents ?? []) {
        const [, digits] = /^(\d{8})\.json$/.exec(Key.slice(historyFolder.length)) ?? [];
        if (digits !== undefined) numbers.push(Number(digits));
      }
      from = page.NextContinuationToken;
    } while (from !== undefined);
    return numbers.sort((one, other) => one - other);
  }

  const formatRecordKey = (number: number) => `${historyFolder}${String(number).padStart(8, "0")}.json`;

  /** Adds a record, unless an attempt without a response has already added it. */
  async function addRecord(record: string): Promise<void> {
    const [newest] = await listRecords();
    if (newest !== undefined && (await get(formatRecordKey(newest)))?.text === record) return;
    const number = newest === undefined ? firstRecord : newest - 1;
    const isAdded = await put(formatRecordKey(number), record, undefined);
    // Another run, which has lost its lock, added a record with this number.
    if (!isAdded) throw createUnreachableError(location, "another record was added at the same time");
  }

  async function readPart(part: StoredPart): Promise<VersionedText> {
    const { text, version, tried } =
      (await withRetries(environment, () => get(keys[part], sizes[part]))) ?? {};
    isVerified ||= tried === server;
    return { text: text?.startsWith(removed) ? undefined : text, version };
  }

  return {
    names: createNames(location, "from an earlier version in the bucket, if versioning is on"),
    async read(...parts) {
      const texts: VersionedText[] = [];
      for (const part of parts) texts.push(await readPart(part));
      return texts;
    },
    async swap(part, text, seen, { record, lock }) {
      if (!isVerified) await assertConditionalWrites();
      isVerified = true;
      if (lock && (await get(keys.lock))?.version !== lock.version) return undefined;
      if (record !== undefined) await addRecord(record);
      if (part === "state" && text === seen.text) return seen;
      const body = text ?? `${removed} ${environment.system.newId()}\n`;
      const version = await put(keys[part], body, seen.version);
      return version === undefined ? undefined : { text, version };
    },
    async *readHistory() {
      for (const record of await listRecords()) {
        const found = await withRetries(environment, () =>
          get(formatRecordKey(record), assumedTransferBytes),
        );
        if (found) yield found.text;
      }
    },
    close: async () => client.destroy(),
  };
}

const firstRecord = 99_999_999;

/**
 * Text that replaces a removed one. Nothing is deleted, because a delayed DELETE could remove a newer text. A unique id
 * follows, so that all ETags differ.
 */
const removed = "# Removed";

function createNotS3Error(location: string): StateError {
  return createUnreachableError(location, "the response is not from S3");
}

function toS3Error(location: string, error: unknown): StateError {
  if (error instanceof StateError) return error;
  const [status, name] = [getErrorStatus(error), getErrorName(error)];
  if (/^(Credentials|Token)ProviderError$/.test(name)) {
    const advice =
      "Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the CI job assume a role (OpenID Connect).";
    // The SDK's credential chain ends with this message. Any other message is from a configured login that failed.
    const isMissing = error instanceof Error && error.message.startsWith("Could not load credentials");
    return isMissing
      ? createRefusedError(location, "no S3 credentials were found", advice, error)
      : createRefusedError(
          location,
          `the login for S3 failed (${describeReason(error)})`,
          "Fix the credentials, or set others with AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
          error,
        );
  }
  // 409 means that another conditional write is in progress, possibly our own earlier attempt.
  if (status !== undefined && status >= 300 && status < 500 && ![408, 409, 429].includes(status)) {
    const advice =
      "Check the bucket and region in `state:`, and the credentials in the environment (AWS_PROFILE, AWS_ACCESS_KEY_ID). They need s3:GetObject, s3:PutObject and s3:ListBucket.";
    return createRefusedError(
      location,
      `the store responded with ${status} ${name} (${describeReason(error)})`,
      advice,
      error,
    );
  }
  if (status !== undefined)
    return createUnreachableError(location, `the store responded with ${status}`, error);
  if (name === "AbortError") return createUnreachableError(location, "the store did not respond", error);
  return toConnectionError(location, error);
}

function getErrorName(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function getErrorStatus(error: unknown): number | undefined {
  const { $metadata } = Object(error) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}
