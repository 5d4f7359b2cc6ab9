import {
  type HttpClient,
  HttpError,
  isTlsError,
  isUnencrypted,
  type ProxyOptions,
  parseProxy,
  trustAdvice,
} from "../../base/http/index.js";
import { isMapping, parseJson } from "../../base/text/index.js";
import { SourceProblem } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";

export interface JsonApi {
  /** Name in messages, such as "Vault at https://vault.example.com:8200". */
  readonly title: string;
  readonly client: HttpClient;
  /** Advice for an unreachable or wrong server, as a sentence. */
  readonly advice: string;
  /** Advice for an untrusted certificate, as a sentence. Default: how to add a CA in Node. */
  readonly trust?: string;
}

export interface JsonResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type JsonApiRequest = NonNullable<Parameters<HttpClient["send"]>[1]> & {
  readonly signal?: AbortSignal | undefined;
};

/**
 * Sends a request once, with the client's limit on response size. Returns successful responses, and client errors (4xx)
 * for the caller to explain.
 *
 * @throws SourceProblem
 */
export async function requestJson(
  { title, client, advice, trust }: JsonApi,
  url: string,
  request: JsonApiRequest,
): Promise<JsonResponse> {
  const { status, text } = await client.send(url, request).catch((thrown: unknown) => {
    if (request.signal?.aborted) throw request.signal.reason;
    throw thrown instanceof HttpError ? toConnectionProblem(thrown, { title, advice, trust }) : thrown;
  });
  if (status === 429 || status >= 500)
    throw new SourceProblem("unreachable", `cannot be read: ${title} responded with status ${status}.`);
  if (status >= 300 && status < 400)
    throw new SourceProblem(
      "refused",
      `cannot be read: ${title} redirects to another URL, and credentials are not sent there. ${advice}`,
    );
  const body = parseJson(text);
  if (isMapping(body)) return { status, body };
  throw new SourceProblem(
    "malformed",
    `cannot be read: the response is not from ${title} (status ${status}). ${advice}`,
  );
}

/** Explains a missing or incomplete response. */
export function toConnectionProblem(
  { code, system = "", message }: HttpError,
  { title, advice, trust = trustAdvice }: Pick<JsonApi, "title" | "advice" | "trust">,
): SourceProblem {
  if (code === "too-long")
    return new SourceProblem(
      "too-long",
      `cannot be read: the response is too long to be from ${title}. ${advice}`,
    );
  if (code === "proxy-refused") return new SourceProblem("failed", `cannot be read: ${message}.`);
  if (isTlsError(system))
    return new SourceProblem(
      "failed",
      `cannot be read: no secure connection to ${title} (${message}). ${advice} ${trust}`,
    );
  return new SourceProblem(
    "unreachable",
    `cannot be read: no response from ${title} (${message}). ${advice}`,
  );
}

export function getText(object: unknown, property: string): string | undefined {
  const value = getProperty(object, property);
  return typeof value === "string" ? value : undefined;
}

export function getProperty(object: unknown, property: string): unknown {
  if (typeof object !== "object" || object === null || !Object.hasOwn(object, property)) return undefined;
  return (object as Record<string, unknown>)[property];
}

/** Reads the proxy settings from the environment, for all sources. @throws SourceProblem if one is malformed. */
export function readProxy({ environment }: Pick<SourceContext, "environment">): ProxyOptions {
  const proxies = parseProxy(environment);
  if ("proxy" in proxies) return proxies.proxy;
  throw new SourceProblem("failed", `cannot be read. ${proxies.problem}`);
}

/** Returns whether a string is a server URL that has no path and may receive credentials. */
export function isServer(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/` && !isUnencrypted(text);
}
