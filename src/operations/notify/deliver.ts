import { createHmac } from "node:crypto";
import { HttpError, type HttpResponse, openHttpClient, readRetryAfterMs } from "../../base/http/index.js";
import { calculateBackoffMs } from "../../base/retry/index.js";
import type { NoticeTarget } from "../../core/manifest/index.js";
import { describe, isEnv, resolve, type SourceEnvironment, SourceError } from "../../core/secrets/index.js";
import { readProxy } from "../project/connect.js";
import { createSourceEnvironment, readAllowedHosts } from "../runtime/access.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";

/*
 * Posts notices according to https://www.standardwebhooks.com. All attempts share an id, but each has its own time and
 * signature. An attempt takes at most 5 s, and all of them together at most 20 s.
 */

const maxAttempts = 3;

function getWaits({ host: { waits } }: Runtime) {
  const { noticeMs: attemptMs = 5_000 } = waits ?? {};
  return { attemptMs, patienceMs: 4 * attemptMs };
}

/** Notice to post, with an id shared by all attempts. */
type WebhookMessage = Readonly<Record<"id" | "body", string>>;

/** Posts a notice. If the delivery fails, returns the reason as a clause without the URL. */
export async function deliver(
  runtime: Runtime,
  project: Project,
  target: NoticeTarget,
  message: WebhookMessage,
): Promise<string | undefined> {
  const patience = AbortSignal.timeout(getWaits(runtime).patienceMs);
  // Ignores the run's signal, because a stopped run is also reported.
  const sources = { ...createSourceEnvironment(runtime, project), signal: patience };
  try {
    const url = await readUrl(runtime, target, sources);
    const key = target.secret && readKey((await resolve(target.secret, sources)).reveal());
    return await send(runtime, url, key, message, patience);
  } catch (error) {
    if (error instanceof UndeliverableError || error instanceof SourceError) return error.message;
    throw error;
  }
}

class UndeliverableError extends Error {
  override readonly name = "UndeliverableError";
}

async function readUrl(
  runtime: Runtime,
  { url: source }: NoticeTarget,
  sources: SourceEnvironment,
): Promise<URL> {
  const text = (await resolve(source, sources)).reveal().trim();
  const createUndeliverableError = (what: string) =>
    new UndeliverableError(`the ${describe(source, sources.kinds)} ${what}`);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw createUndeliverableError("is not an HTTP URL.");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw createUndeliverableError("contains a user name or password.");
  const isOfRunner = isEnv(source) && !Object.hasOwn(runtime.host.fileVariables ?? {}, source.name);
  // The path may be a credential, so messages contain only the host.
  const problem = readAllowedHosts(runtime)?.check(url.origin, isOfRunner ? "environment" : "file");
  if (problem !== undefined) throw createUndeliverableError(`${problem}.`);
  return url;
}

/** Decodes the key in `whsec_…`: base64 of 24 to 64 bytes. */
function readKey(secret: string): Buffer {
  const [, text = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret.trim()) ?? [];
  const key = Buffer.from(text, "base64");
  if (key.length >= 24 && key.length <= 64) return key;
  throw new UndeliverableError(
    'its secret is not whsec_ followed by 24 to 64 base64-encoded bytes. Create one with `echo "whsec_$(openssl rand -base64 32)"`.',
  );
}

async function send(
  runtime: Runtime,
  url: URL,
  key: Buffer | undefined,
  { id, body }: WebhookMessage,
  patience: AbortSignal,
): Promise<string | undefined> {
  const { host, signal } = runtime;
  const { attemptMs, patienceMs } = getWaits(runtime);
  const proxy = readProxy(runtime);
  const client = openHttpClient({ proxy, timeoutMs: attemptMs, maxResponseBytes: 1_000_000 });
  try {
    for (let attempt = 1; ; attempt += 1) {
      const at = String(Math.floor(host.now() / 1000));
      const headers = {
        "content-type": "application/json",
        "user-agent": `avatarops/${host.version}`,
        "webhook-id": id,
        "webhook-timestamp": at,
        ...(key && { "webhook-signature": sign(key, `${id}.${at}.${body}`) }),
      };
      const { why, isTransient, afterMs } = await client
        .send(url, { method: "POST", headers, body, signal: patience })
        .then(
          (response) => judge(response, host.now()),
          (error: unknown) => judgeError(error, patienceMs),
        );
      if (why === undefined) return undefined;
      const waitMs = afterMs ?? calculateBackoffMs(host.waits?.backoffMs ?? 1_000, attempt, host.random);
      const isOver = attempt === maxAttempts || waitMs > patienceMs || patience.aborted || signal.aborted;
      if (isOver || !isTransient) return `${url.host} ${why}.`;
      await host.sleep(waitMs, AbortSignal.any([signal, patience]));
    }
  } finally {
    await client.close();
  }
}

function sign(key: Buffer, content: string): string {
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

/** Result of a delivery attempt. The notice was delivered if `why` is not set. */
interface DeliveryVerdict {
  readonly why?: string;
  /** Whether a retry may help. */
  readonly isTransient?: boolean;
  readonly afterMs?: number | undefined;
}

/** Redirects are not followed, because the notice and the URL path are only meant for this host. */
function judge(response: HttpResponse, nowMs: number): DeliveryVerdict {
  const { status } = response;
  if (status >= 200 && status < 300) return {};
  if (status === 410) return { why: "rejects further notices (410). Remove the webhook from `notify`" };
  if (status >= 300 && status < 400) return { why: `redirects (${status}). Use the new URL` };
  return {
    why: `responded with ${status}`,
    isTransient: status === 408 || status === 429 || status >= 500,
    afterMs: readRetryAfterMs(response, nowMs),
  };
}

function judgeError(error: unknown, patienceMs: number): DeliveryVerdict {
  if (!(error instanceof HttpError)) throw error;
  if (error.code === "aborted") return { why: `did not respond within ${patienceMs / 1000} s` };
  return { why: `cannot be reached: ${error.message}`, isTransient: error.code !== "too-long" };
}
