import type { SecretClientOptions } from "@azure/keyvault-secrets";
import { openHttpClient, type ProxyOptions } from "../../../base/http/index.js";

type SdkTransport = NonNullable<SecretClientOptions["httpClient"]>;
type SdkHeaders = Awaited<ReturnType<SdkTransport["sendRequest"]>>["headers"];

/** Sends what the SDK asks for with our own client: through the proxies, and answers of a bounded length only. */
export interface AzureTransport extends SdkTransport {
  close(): Promise<void>;
}

/** A secret has at most 25 KB, a page of versions some more. */
const maxResponseBytes = 2_000_000;
/** The metadata endpoint of a machine in Azure, which no proxy reaches. */
const metadataHost = "169.254.169.254";

/** With `origin`, requests to other addresses are refused: a page of versions names where the next one is. */
export function openTransport(proxy: ProxyOptions, origin?: string): AzureTransport {
  const direct = { ...proxy, no: [proxy.no, metadataHost].filter(Boolean).join(",") };
  const client = openHttpClient({ proxy: direct, timeoutMs: 30_000, maxResponseBytes });
  return {
    async sendRequest(request) {
      const { url, method, headers, body, abortSignal, timeout } = request;
      if (origin !== undefined && new URL(url).origin !== origin) throw new OtherHostError();
      const stop = new AbortController();
      const abort = () => stop.abort();
      const timer = timeout > 0 ? setTimeout(abort, timeout) : undefined;
      abortSignal?.addEventListener("abort", abort);
      if (abortSignal?.aborted) abort();
      try {
        const response = await client.send(url, {
          method,
          headers: headers.toJSON(),
          body: typeof body === "string" ? body : null,
          signal: stop.signal,
        });
        if (origin !== undefined && response.status === 403)
          throw new RequestDeniedError(reasonIn(response.text));
        return {
          request,
          status: response.status,
          headers: toSdkHeaders(response.headers),
          bodyAsText: response.text,
        };
      } finally {
        clearTimeout(timer);
        abortSignal?.removeEventListener("abort", abort);
      }
    },
    close: client.close,
  };
}

/** A response names an address that is not the vault's. */
export class OtherHostError extends Error {}

/** The vault denies a request. The SDK does not keep why where it reads pages. */
export class RequestDeniedError extends Error {
  /** Key Vault's code, empty if there is none: `ForbiddenByRbac`, `SecretDisabled`. */
  readonly reason: string;

  constructor(reason: string) {
    super("denied");
    this.reason = reason;
  }
}

function reasonIn(text: string): string {
  try {
    return String(JSON.parse(text).error.innererror.code);
  } catch {
    return "";
  }
}

function toSdkHeaders(all: Readonly<Record<string, string>>): SdkHeaders {
  const headers = new Map(Object.entries(all));
  return {
    get: (name) => headers.get(name.toLowerCase()),
    has: (name) => headers.has(name.toLowerCase()),
    set: (name, value) => void headers.set(name.toLowerCase(), String(value)),
    delete: (name) => void headers.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(headers),
    [Symbol.iterator]: () => headers.entries(),
  };
}
