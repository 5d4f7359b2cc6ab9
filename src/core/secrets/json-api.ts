import {
  type HttpClient,
  HttpError,
  openHttpClient,
  type ProxyOptions,
  proxyIn,
} from "../../base/http/index.js";
import { parseJson } from "../../base/text/index.js";
import { failed, malformed, tooLong, unreachable } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";

/** A JSON API, which vaults speak. */
export interface JsonApi {
  /** As in messages: "Vault". */
  readonly title: string;
  /** Without a final slash. */
  readonly address: string;
  /** Those that log in. */
  readonly headers: Readonly<Record<string, string>>;
  /** What to check if it cannot be reached, or if something else answers; a sentence. */
  readonly advice: string;
}

export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

/** No vault's response about one secret is longer. */
const maxResponseBytes = 2_000_000;

/**
 * Asks for a path once. Answers with a success or another status below 500 that is the caller's to tell.
 *
 * @throws SourceError
 */
export async function getJson(api: JsonApi, path: string, context: SourceContext): Promise<JsonResponse> {
  const { title, address, advice } = api;
  const { signal } = context;
  const client = await openClient(address, context);
  const headers = { ...api.headers, accept: "application/json" };
  const response = await client.send(`${address}${path}`, { headers, signal }).catch((thrown: unknown) => {
    if (signal.aborted) throw signal.reason;
    if (!(thrown instanceof HttpError)) throw thrown;
    if (thrown.code === "too-long")
      throw tooLong(`cannot be read: the response is longer than any from ${title}. ${advice}`);
    throw unreachable(`cannot be read: ${title} does not respond. ${advice}`);
  });
  const { status, text } = response;
  if (status === 429 || status >= 500)
    throw unreachable(`cannot be read: ${title} responds with status ${status}.`);
  const body = parseJson(text);
  if (body === undefined || (status >= 300 && status < 400))
    throw malformed(`cannot be read: the response is not from ${title} (status ${status}). ${advice}`);
  return { status, body };
}

function openClient(address: string, context: SourceContext): Promise<HttpClient> {
  const open = async () => openHttpClient({ proxy: readProxy(context), timeoutMs: 30_000, maxResponseBytes });
  return context.connection(`HTTP ${address}`, open, (client) => client.close());
}

export function textIn(object: unknown, property: string): string | undefined {
  const value = propertyIn(object, property);
  return typeof value === "string" ? value : undefined;
}

export function propertyIn(object: unknown, property: string): unknown {
  if (typeof object !== "object" || object === null || !Object.hasOwn(object, property)) return undefined;
  return (object as Record<string, unknown>)[property];
}

/** The proxies of the environment, through which every source asks. @throws SourceError if one is malformed. */
export function readProxy({ environment }: Pick<SourceContext, "environment">): ProxyOptions {
  const proxies = proxyIn(environment);
  if ("proxy" in proxies) return proxies.proxy;
  throw failed(`cannot be read. ${proxies.problem}`);
}

/** The address of a server, without a final slash; undefined if it is none, or has credentials or a query. */
export function parseServerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
}
