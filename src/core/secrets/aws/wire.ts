import { readFile } from "node:fs/promises";
import { openHttpClient } from "../../../base/http/index.js";
import { readProxy } from "../proxy.js";
import { failed } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** How the SDK sends a request: what it takes as `requestHandler`. */
export interface AwsWire {
  handle(request: SdkRequest, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
  destroy(): void;
}

/** A secret has 64 KB at most, which JSON may write six times as long. */
const maxResponseBytes = 1_000_000;

/**
 * Sends the requests of the SDK as all others are sent: through the proxies of the environment, which the SDK does not
 * look at, and with a limit on what is read of a response. Of certificates, it trusts those in `AWS_CA_BUNDLE`.
 */
export async function openAwsWire(context: SourceContext): Promise<AwsWire> {
  const proxy = readProxy(context);
  const http = openHttpClient({ proxy, ca: await certificates(context), maxResponseBytes });
  return {
    async handle({ protocol, hostname, port, path, query, method, headers, body }, { abortSignal } = {}) {
      const place = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
      // AWS_ENDPOINT_URL, that of a service, and the profile's: the SDK decides.
      context.checkAddress(place, "environment");
      const response = await http.send(`${place}${path}${queryText(query)}`, {
        method,
        headers: withoutCounted(headers),
        body: bodyText(body),
        signal: abortSignal,
      });
      const { status: statusCode, headers: responseHeaders, text } = response;
      return { response: { statusCode, headers: responseHeaders, body: new TextEncoder().encode(text) } };
    },
    destroy() {
      void http.close();
    },
  };
}

async function certificates({ environment }: SourceContext): Promise<string | undefined> {
  const file = environment.AWS_CA_BUNDLE;
  if (!file) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch {
    throw failed(
      "cannot be read: the file that AWS_CA_BUNDLE names cannot be read. Correct it, or unset it.",
    );
  }
}

/** What undici writes itself. */
function withoutCounted(headers: SdkRequest["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["host", "content-length"].includes(name.toLowerCase())),
  );
}

/** What the services that we ask are sent is text. */
function bodyText(body: unknown): string | null {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === "string" ? body : null;
}

/** As AWS signs it. */
function queryText(query: SdkRequest["query"] = {}): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [encode(name)] : [value].flat().map((one) => `${encode(name)}=${encode(one)}`),
  );
  return parts.length === 0 ? "" : `?${parts.sort().join("&")}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
