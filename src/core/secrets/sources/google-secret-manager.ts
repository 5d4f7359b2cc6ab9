import { HttpError, openHttpClient } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import {
  getProperty,
  getText,
  isServer,
  type JsonResponse,
  readProxy,
  requestJson,
  toConnectionProblem,
} from "../json-api.js";
import { jsonFieldSetting, readJsonField } from "../json-field.js";
import { findCause, SourceProblem } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const fields = {
  secret: {
    type: "string",
    required: true,
    pattern: /^projects\/[^/]+\/(locations\/[a-z0-9-]+\/)?secrets\/[A-Za-z0-9_-]{1,255}$/,
    description:
      "Resource name of the secret: projects/PROJECT/secrets/NAME, or projects/PROJECT/locations/LOCATION/secrets/NAME for a regional secret.",
  },
  version: {
    type: "string",
    pattern: /^[A-Za-z0-9_-]{1,63}$/,
    description: "Version number or alias. Default: latest.",
  },
  field: jsonFieldSetting,
  endpoint: {
    type: "url",
    description:
      "URL to use instead of Google's public endpoint, such as a Private Service Connect endpoint.",
  },
} as const satisfies SourceFields;

/** Fields of `!google-secret-manager`. */
export type GoogleSecretManagerFields = FieldsIn<typeof fields>;

/** A secret in Google Secret Manager, read over HTTP with Google's login library. */
export const googleSecretManager: SourceKind<GoogleSecretManagerFields> = {
  name: "google-secret-manager",
  title: "Google Secret Manager",
  fields,
  shorthand: {
    example: "!google-secret-manager projects/my-project/secrets/llm#api_key",
    meaning: "the resource name of a secret or of a secret version",
    read: (written) => (typeof written === "string" ? parseShorthand(written) : undefined),
  },
  check: ({ endpoint }) =>
    endpoint === undefined || isServer(endpoint)
      ? undefined
      : "has an endpoint that is not a server URL. Write it like https://secretmanager-internal.p.googleapis.com",
  describe: ({ secret, version, field }) =>
    `Google secret ${secret}${version === undefined ? "" : `, version ${version}`}${field === undefined ? "" : `, field ${field}`}`,
  packages: ["google-auth-library"],
  rights: {
    value: "secretmanager.versions.access (role Secret Manager Secret Accessor)",
    version: "secretmanager.versions.get (role Secret Manager Viewer)",
  },
  async read(fields, context) {
    const { status, body } = await ask(fields, ":access", context);
    if (status === 403)
      throw new SourceProblem(
        "refused",
        "cannot be read: the identity lacks permission to read the secret's value, or the Secret Manager API is not enabled in the project. Grant secretmanager.versions.access, for example with the role Secret Manager Secret Accessor. To plan unchanged secrets, Secret Manager Viewer is enough.",
      );
    assertSuccess(status, body);
    const data = getText(getProperty(body, "payload"), "data");
    if (data === undefined) throw createNotGoogleError();
    const value = Buffer.from(data, "base64");
    const version = readVersionNumber(body);
    return { value: fields.field === undefined ? value : readJsonField(value, fields.field), version };
  },
  async version(fields, context) {
    // The value of a numbered version never changes.
    if (/^\d+$/.test(fields.version ?? "")) return fields.version;
    const { status, body } = await ask(fields, "", context);
    // Without permission to read versions, the version is read together with the value.
    if (status === 403) return undefined;
    assertSuccess(status, body);
    const state = getText(body, "state");
    if (state === "DISABLED" || state === "DESTROYED")
      throw new SourceProblem(
        "refused",
        `cannot be read: its version is ${state.toLowerCase()}. Add a new version${state === "DISABLED" ? ", or enable this one" : ""}.`,
      );
    return readVersionNumber(body);
  },
};

const advice = "Check the network, the proxy and the endpoint.";

/** Sends a request to the REST API (https://cloud.google.com/secret-manager/docs/reference/rest). */
async function ask(
  fields: GoogleSecretManagerFields,
  method: "" | ":access",
  context: SourceContext,
): Promise<JsonResponse> {
  const { secret, version = "latest" } = fields;
  const [, project = ""] = secret.split("/");
  const { http, logIn } = await openGoogle(project, context);
  const headers = { ...(await logIn()), accept: "application/json" };
  const name = secret.split("/").map(encodeURIComponent).join("/");
  const api = { title: "Google Secret Manager", client: http, advice };
  const url = `${chooseAddress(fields)}/v1/${name}/versions/${version}${method}`;
  return requestJson(api, url, { headers, signal: context.signal });
}

/** @throws SourceProblem if the request failed. */
function assertSuccess(status: number, body: unknown): void {
  if (status === 200) return;
  if (status === 404)
    throw new SourceProblem(
      "not-found",
      "does not exist, or has no such version. Correct its name, or create it.",
    );
  if (status === 400 && getText(getProperty(body, "error"), "status") === "FAILED_PRECONDITION")
    throw new SourceProblem(
      "refused",
      "cannot be read: its version is disabled or destroyed. Add a new version, or enable this one if it is only disabled.",
    );
  throw new SourceProblem(
    "refused",
    `cannot be read: Google rejected the request (status ${status}). Check the secret's name and version, and log in again.`,
  );
}

function chooseAddress({ secret, endpoint }: GoogleSecretManagerFields): string {
  if (endpoint !== undefined) return new URL(endpoint).origin;
  const location = /\/locations\/([^/]+)\//.exec(secret)?.[1];
  return location === undefined
    ? "https://secretmanager.googleapis.com"
    : `https://secretmanager.${location}.rep.googleapis.com`;
}

/** Reads the version number behind `latest` or an alias. */
function readVersionNumber(body: unknown): string {
  const number = /\/versions\/(\d{1,20})$/.exec(getText(body, "name") ?? "")?.[1];
  if (number === undefined) throw createNotGoogleError();
  return number;
}

function createNotGoogleError(): Error {
  return new SourceProblem(
    "malformed",
    `cannot be read: the response is not from Google Secret Manager. ${advice}`,
  );
}

function parseShorthand(written: string): Partial<GoogleSecretManagerFields> | undefined {
  const [, secret, version, field] =
    /^(projects\/[^#]*?)(?:\/versions\/([^/#]+))?(?:#(.+))?$/.exec(written) ?? [];
  return secret === undefined ? undefined : { secret, version, field };
}

/** A refused login. Omits the response, which may contain a token. */
class RefusedLogin extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** Maximum size of a response to a secret request or a login. */
const maxResponseBytes = 2_000_000;

/**
 * Prepares Google's login library with our HTTP client, which uses the environment's proxies, limits responses and does
 * not retry. `logIn` returns request headers.
 *
 * @throws SourceProblem, from this function and from `logIn`.
 */
function openGoogle(projectId: string, context: SourceContext) {
  const { environment } = context;
  const open = async () => {
    const proxy = readProxy(context);
    if (environment.GOOGLE_SDK_NODE_LOGGING)
      throw new SourceProblem(
        "failed",
        "is not read while GOOGLE_SDK_NODE_LOGGING is set, because Google's library would write the token to stderr. Unset it.",
      );
    const { GoogleAuth } = await withPackage(
      "google-auth-library",
      "A secret in Google Secret Manager",
      () => import("google-auth-library"),
      context,
    );
    const http = openHttpClient({ proxy, timeoutMs: 30_000, maxResponseBytes });
    const fetchOnce = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const { status, text, headers } = await http.send(input instanceof Request ? input.url : input, {
        method: init.method,
        headers: Object.fromEntries(new Headers(init.headers)),
        body: readBodyText(init.body),
        signal: init.signal ?? undefined,
      });
      if (status < 200 || status >= 300) throw new RefusedLogin(status);
      return new Response(text, { status, headers: { "content-type": headers["content-type"] ?? "" } });
    };
    const auth = new GoogleAuth({
      // Without this id, the library would request it, which needs an extra permission.
      projectId,
      scopes: ["https://www.googleapis.com/auth/cloud-platform"],
      clientOptions: { transporterOptions: { fetchImplementation: fetchOnce, retryConfig: { retry: 0 } } },
    });
    const logIn = async () => {
      try {
        shareTransporter(await auth.getClient());
        return Object.fromEntries(await auth.getRequestHeaders());
      } catch (thrown) {
        throw toLoginError(thrown, context);
      }
    };
    return { http, logIn };
  };
  return context.connection(`login ${projectId}`, open, ({ http }) => http.close());
}

/**
 * Makes the token exchange (workload identity federation) use the client's transporter. By default, it would follow
 * redirects and choose proxies differently.
 */
function shareTransporter(client: { readonly transporter: unknown }): void {
  if ("stsCredential" in client)
    Object.assign(Object(client.stsCredential), { transporter: client.transporter });
}

function readBodyText(body: RequestInit["body"]): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === "string" || body instanceof URLSearchParams) return String(body);
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new Error("Bug: Google's library sends an unsupported body.");
}

/** Explains an error from Google's library without its message, which may contain the response. */
function toLoginError(thrown: unknown, { signal }: SourceContext): unknown {
  if (signal.aborted) return signal.reason;
  const { code, status: own } = thrown as { readonly code?: unknown; readonly status?: unknown };
  // Requests to the metadata server bypass our client, so their status is only in the library's error.
  const status = findCause(thrown, RefusedLogin)?.status ?? Number(own ?? 0);
  if (status === 429 || status >= 500)
    return new SourceProblem(
      "unreachable",
      `cannot be read: Google's login server responded with status ${status}.`,
    );
  if (status > 0)
    return new SourceProblem(
      "refused",
      `cannot be read: Google rejected the login (status ${status}). Check the workload identity pool, its provider and its access to the service account, or log in again.`,
    );
  const connection = findCause(thrown, HttpError);
  if (connection) return toConnectionProblem(connection, { title: "Google's login", advice });
  // The runner explains system errors.
  if (typeof code === "string" && /^E[A-Z_]+$/.test(code)) return thrown;
  // The library has no error code for this.
  if (thrown instanceof Error && thrown.message.startsWith("Could not load the default credentials"))
    return new SourceProblem(
      "refused",
      "cannot be read: no Google Cloud login was found. In CI, use workload identity federation (set GOOGLE_APPLICATION_CREDENTIALS to its file). Elsewhere, run `gcloud auth application-default login`.",
    );
  return new SourceProblem(
    "malformed",
    "cannot be read: the response is not from Google's login server, or GOOGLE_APPLICATION_CREDENTIALS does not point to a credentials file. Check both.",
  );
}
