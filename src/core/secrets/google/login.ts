import { HttpError, openHttpClient } from "../../../base/http/index.js";
import { MissingPackageError, withPackage } from "../../../base/optional-packages/index.js";
import { readProxy } from "../proxy.js";
import {
  failed,
  findCause,
  malformed,
  refused,
  SourceProblem,
  tooLong,
  unreachable,
} from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

/** Headers of a request to Google, with a token of the login. */
export type GoogleHeaders = () => Promise<Readonly<Record<string, string>>>;

/** A server that logs in refused. What it said is not kept, because it may contain a token. */
class RefusedLogin extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** The longest answer to a login has some KB. */
const maxResponseBytes = 2_000_000;

/**
 * Logs in as Google's own library does: by workload identity federation, as a service account, or as gcloud is. It
 * sends with our own HTTP client: so it uses the proxies, reads no endless response, and sends each request once.
 *
 * @throws SourceError, also from the headers.
 */
export function googleLogin(projectId: string, context: SourceContext): Promise<GoogleHeaders> {
  const { environment } = context;
  const open = async () => {
    const proxy = readProxy(context);
    if (environment.GOOGLE_SDK_NODE_LOGGING)
      throw failed(
        "is not read while GOOGLE_SDK_NODE_LOGGING is set, because Google's library would write the token to stderr. Unset it.",
      );
    const { GoogleAuth } = await withPackage(
      "google-auth-library",
      "A secret in Google Secret Manager",
      () => import("google-auth-library"),
    );
    const http = openHttpClient({ proxy, timeoutMs: 30_000, maxResponseBytes });
    const fetchOnce = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { status, text, headers } = await http.send(input instanceof Request ? input.url : input, {
        method: init.method,
        headers: Object.fromEntries(new Headers(init.headers)),
        body: textOfBody(init.body),
        signal: init.signal ?? undefined,
      });
      if (status < 200 || status >= 300) throw new RefusedLogin(status);
      return new Response(text, { status, headers: { "content-type": headers["content-type"] ?? "" } });
    };
    const auth = new GoogleAuth({
      // Else the library asks for it, with a right that nobody else needs.
      projectId,
      scopes: ["https://www.googleapis.com/auth/cloud-platform"],
      clientOptions: { transporterOptions: { fetchImplementation: fetchOnce, retryConfig: { retry: 0 } } },
    });
    const headers: GoogleHeaders = async () => {
      try {
        return Object.fromEntries(await auth.getRequestHeaders());
      } catch (thrown) {
        throw toLoginError(thrown, context);
      }
    };
    return { headers, close: http.close };
  };
  return context
    .connection(`login ${projectId}`, open, ({ close }) => close())
    .then(({ headers }) => headers);
}

function textOfBody(body: RequestInit["body"]): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new Error("Bug: Google's library sends a body of another kind.");
}

/** What an error of the library means. Its message is not used, because it may contain the response. */
function toLoginError(thrown: unknown, { signal }: SourceContext): unknown {
  if (thrown instanceof SourceProblem || thrown instanceof MissingPackageError) return thrown;
  if (signal.aborted) return signal.reason;
  const { code, status: own } = thrown as { readonly code?: unknown; readonly status?: unknown };
  // The library exchanges tokens by itself, past our client.
  const status = findCause(thrown, RefusedLogin)?.status ?? Number(own ?? 0);
  if (status === 429 || status >= 500)
    return unreachable(`cannot be read: Google's login responds with status ${status}.`);
  if (status > 0)
    return refused(
      `cannot be read: Google refuses the login (status ${status}). Check the workload identity pool and its provider, and that the service account lets it in; or log in again.`,
    );
  const connection = findCause(thrown, HttpError);
  if (connection?.code === "too-long")
    return tooLong("cannot be read: the response is longer than any from Google's login.");
  if (connection || (typeof code === "string" && /^E[A-Z_]+$/.test(code)))
    return unreachable("cannot be read: Google's login does not respond. Check the network and the proxy.");
  // The library says so by its message only.
  if (thrown instanceof Error && thrown.message.startsWith("Could not load the default credentials"))
    return refused(
      "cannot be read: there is no login for Google Cloud. In CI, use workload identity federation (GOOGLE_APPLICATION_CREDENTIALS names its file); elsewhere run `gcloud auth application-default login`.",
    );
  return malformed(
    "cannot be read: the response is not from Google's login, or the file that GOOGLE_APPLICATION_CREDENTIALS names is not one of credentials.",
  );
}
