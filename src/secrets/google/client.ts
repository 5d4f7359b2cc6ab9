import type { SecretManagerServiceClient } from "@google-cloud/secret-manager";
import { openHttpClient, proxyIn } from "../../http/index.js";
import { withPackage } from "../../optional-packages/index.js";
import type { SourceContext } from "../source-kind.js";

export interface GoogleClient {
  readonly client: SecretManagerServiceClient;
  close(): Promise<void>;
}

/** A server refused. What it said is not kept, because it may contain a value or a token. */
export class GoogleAnswerError extends Error {
  readonly status: number;
  /** Whether it was one that logs in, and not Secret Manager. */
  readonly isLogin: boolean;
  /** Google's name for the status, such as FAILED_PRECONDITION. */
  readonly reason: string | undefined;

  constructor(status: number, isLogin: boolean, reason: string | undefined) {
    super(`status ${status}`);
    this.status = status;
    this.isLogin = isLogin;
    this.reason = reason;
  }
}

/** The longest value has 64 KB, in base64. */
const maxAnswerBytes = 2_000_000;

/**
 * A client of an address. It speaks JSON over HTTP with our own HTTP client: so it uses the proxies, reads no endless
 * answer, and sends each request once.
 */
export async function openGoogleClient(
  endpoint: URL,
  projectId: string,
  { environment, error }: SourceContext,
): Promise<GoogleClient> {
  const proxies = proxyIn(environment);
  if ("problem" in proxies) throw error("failed", `cannot be read. ${proxies.problem}`);
  if (environment.GOOGLE_SDK_NODE_LOGGING) {
    throw error(
      "failed",
      "is not read while GOOGLE_SDK_NODE_LOGGING is set, because Google's library would write the value to stderr. Unset it.",
    );
  }
  const { SecretManagerServiceClient } = await withPackage(
    "@google-cloud/secret-manager",
    "A secret in Google Secret Manager",
    () => import("@google-cloud/secret-manager"),
  );
  const http = openHttpClient({ proxy: proxies.proxy, timeoutMs: 30_000, maxAnswerBytes });
  const fetchOnce = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { status, text, headers } = await http.send(url, {
      method: init.method,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: bodyOf(init.body),
      signal: init.signal ?? undefined,
    });
    const isLogin = url.origin !== endpoint.origin || !url.pathname.startsWith("/v1/projects/");
    if (status < 200 || status >= 300) throw new GoogleAnswerError(status, isLogin, reasonIn(text));
    return new Response(text, { status, headers: { "content-type": headers["content-type"] ?? "" } });
  };
  const client = new SecretManagerServiceClient({
    fallback: true,
    // Else the library asks for it, with a right that nobody else needs.
    projectId,
    apiEndpoint: endpoint.hostname,
    port: Number(endpoint.port) || (endpoint.protocol === "http:" ? 80 : 443),
    protocol: endpoint.protocol.slice(0, -1),
    clientOptions: { transporterOptions: { fetchImplementation: fetchOnce, retryConfig: { retry: 0 } } },
  });
  try {
    // Its methods must not be called if this fails: they would let a rejection go unhandled, which ends the process.
    await client.initialize();
  } catch (thrown) {
    await http.close();
    throw thrown;
  }
  return {
    client,
    async close() {
      await client.close().catch(() => undefined);
      await http.close();
    },
  };
}

function bodyOf(body: RequestInit["body"]): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new Error("Bug: the client of Google sends a body of another kind.");
}

function reasonIn(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text)?.error?.status;
    return typeof status === "string" ? status : undefined;
  } catch {
    return undefined;
  }
}
