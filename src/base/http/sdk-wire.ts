import { type ParsedUrlQueryInput, stringify } from "node:querystring";
import { Readable } from "node:stream";
import { type HttpClient, HttpError } from "./client.js";

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: ParsedUrlQueryInput;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Sends an AWS SDK's requests, whose bodies must be text, with our HTTP client. Unlike the SDK, our client limits the
 * size of responses and uses the proxies in the environment.
 *
 * @param checkAddress Throws if credentials must not be sent to this address.
 */
export function openSdkWire(client: HttpClient, checkAddress: (address: string) => void) {
  return {
    async handle(
      { protocol, hostname, port, path, query, method, headers, body }: SdkRequest,
      { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
    ): Promise<unknown> {
      const address = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
      // The SDK takes the endpoint from AWS_ENDPOINT_URL, a service's variable or the profile.
      checkAddress(address);
      const response = await client.send(`${address}${path}?${stringify(query)}`, {
        method,
        headers: Object.fromEntries(
          Object.entries(headers).filter(([name]) => !undiciHeaders.has(name.toLowerCase())),
        ),
        body: body ? readText(body) : null,
        signal: abortSignal,
      });
      const { status: statusCode, headers: responseHeaders, text } = response;
      return { response: { statusCode, headers: responseHeaders, body: Readable.from([Buffer.from(text)]) } };
    },
    destroy() {
      void client.close();
    },
  };
}

/**
 * Options that make an AWS client send every request with this handler, including logins. The SDK reuses the client's
 * handler for logins at STS, but reads `clientConfig` for IAM Identity Center (SSO).
 */
export function toSdkOptions<Handler>(requestHandler: Handler) {
  return { requestHandler, clientConfig: { requestHandler } };
}

/** Reads only the bytes, because the SDK's byte arrays print a warning when they are used as text. */
function readText(body: string | Uint8Array): string {
  return typeof body === "string"
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
}

/** Headers that undici sets itself or does not support. */
const undiciHeaders: ReadonlySet<string> = new Set(["host", "content-length", "expect"]);

/** Error names used by the SDK, by our error code. */
const sdkNames: Readonly<Record<string, string>> = { aborted: "AbortError", timeout: "TimeoutError" };

/** Converts an HttpError to an error that an AWS SDK retries like its own errors. */
export function toSdkError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error;
  const name = sdkNames[error.code] ?? error.name;
  return Object.assign(new Error(error.message, { cause: error }), {
    name,
    code: error.system ?? error.code,
  });
}
