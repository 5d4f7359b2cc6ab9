import type { S3Client } from "@aws-sdk/client-s3";
import { type StoreRetryOptions, withRetries } from "../retry.js";
import { StateError } from "../state-error.js";
import { connectionError, describeReason, refused, refusePage, unreachable } from "./errors.js";

export type Sdk = typeof import("@aws-sdk/client-s3");

export interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly name: string;
  /** For messages. */
  readonly location: string;
  readonly endpoint: string | undefined;
  readonly retry: StoreRetryOptions;
}

/**
 * An object that is only ever replaced if it is as it was last seen (`If-Match`, `If-None-Match`). It is never deleted,
 * because a late or repeated DELETE would hit what came after: a text that says so stands for "there is none". For
 * the same reason each text occurs once: with equal texts, ETags would be equal too.
 */
export interface S3Object {
  /** Its text as of now; undefined if there is none. */
  read(): Promise<string | undefined>;
  /**
   * Replaces it, or creates it if there was none; false if it is not as it was last seen. After a response that was
   * lost, or that came from a repetition, what is there decides. What did not arrive can be sent again: its condition
   * holds once.
   */
  replace(text: string): Promise<boolean>;
  /** One conditional write; the new ETag. */
  put(text: string, condition: PutCondition): Promise<string>;
}

export type PutCondition = { readonly IfNoneMatch: "*" } | { readonly IfMatch: string };

/** Sends nothing before the first call. */
export function openObject(bucket: Bucket, key: string): S3Object {
  const { sdk, client, name, location, retry } = bucket;
  let etag: string | undefined;

  const read = () =>
    withRetries(retry, async () => {
      try {
        const response = await client.send(new sdk.GetObjectCommand({ Bucket: name, Key: key }));
        const text = await response.Body?.transformToString("utf-8");
        refusePage(location, text ?? "", response.ContentType, response.$metadata.httpStatusCode);
        if (response.ETag === undefined || text === undefined) throw notS3(location);
        etag = response.ETag;
        return text;
      } catch (error) {
        if (errorName(error) !== "NoSuchKey") throw toStateError(bucket, error);
        etag = undefined;
        return undefined;
      }
    });

  const put: S3Object["put"] = async (text, condition) => {
    const object = { Bucket: name, Key: key, Body: text, ContentType: "application/json" };
    const response = await client.send(new sdk.PutObjectCommand({ ...object, ...condition }));
    if (response.ETag === undefined) throw notS3(location);
    return response.ETag;
  };

  return {
    read,
    put,
    replace(text) {
      const seen = etag;
      return withRetries(retry, async () => {
        try {
          etag = await put(text, seen === undefined ? { IfNoneMatch: "*" } : { IfMatch: seen });
          return true;
        } catch (error) {
          const failure = toStateError(bucket, error);
          if (failure.code === "refused" && !isConditionFailed(error)) throw failure;
          const now = await read().catch(() => {
            throw failure;
          });
          if (now === text) return true;
          if (isConditionFailed(error) || etag !== seen) return false;
          throw failure;
        }
      });
    },
  };
}

/** Keys that start with a prefix, in order. */
export async function* keysIn(bucket: Bucket, prefix: string): AsyncGenerator<string> {
  const { sdk, client, name, retry } = bucket;
  for (let from: string | undefined; ; ) {
    const list = new sdk.ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: from });
    const page = await withRetries(retry, () =>
      client.send(list).catch((error: unknown) => {
        throw toStateError(bucket, error);
      }),
    );
    if (page.KeyCount === undefined && page.Name === undefined) throw notS3(bucket.location);
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key;
    from = page.NextContinuationToken;
    if (from === undefined) return;
  }
}

/** Whether the store says that an object is not as the condition has it: nothing was written. */
export function isConditionFailed(error: unknown): boolean {
  const status = errorStatus(error);
  // 404: it is gone, so there is no ETag to match.
  return status === 412 || (status === 404 && errorName(error) === "NoSuchKey");
}

function notS3(location: string): StateError {
  return unreachable(location, "what answers there does not speak S3");
}

/** What an error of the SDK means to the user. */
export function toStateError(
  { location, name: bucket, endpoint: address }: Bucket,
  error: unknown,
): StateError {
  if (error instanceof StateError) return error;
  const [status, name] = [errorStatus(error), errorName(error)];
  if (name === "CredentialsProviderError" || name === "TokenProviderError") {
    const advice =
      "Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or let the CI job assume a role (OpenID Connect).";
    return refused(location, "there are no credentials for S3", advice, error);
  }
  if (name === "NoSuchBucket") {
    const advice = "Create it, or correct `state:` in the manifest.";
    return refused(location, `there is no bucket ${bucket}`, advice, error);
  }
  if (status === 301 || name === "PermanentRedirect") {
    const advice = "Add the bucket's region to `state:` in the manifest: `?region=eu-central-1`.";
    return refused(location, "the bucket is in another region", advice, error);
  }
  // 409: another conditional write of the object is under way, which may be our own, tried before.
  if (status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status)) {
    const advice =
      "Check the credentials in the environment (AWS_PROFILE, AWS_ACCESS_KEY_ID); they need s3:GetObject, s3:PutObject and s3:ListBucket.";
    return refused(location, `the store answers ${status} ${name} (${describeReason(error)})`, advice, error);
  }
  if (status !== undefined) return unreachable(location, `the store answers ${status}`, error);
  return connectionError(location, error, { address });
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function errorStatus(error: unknown): number | undefined {
  const { $metadata } = Object(error) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}
