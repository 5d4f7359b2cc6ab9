import { createHash } from "node:crypto";
import {
  HttpError,
  type HttpResponse,
  openHttpClient,
  type ProxyOptions,
  parseProxy,
} from "../../../base/http/index.js";
import { StateError } from "../state-error.js";
import {
  createRefusedError,
  createUnreachableError,
  describeReason,
  rejectPage,
  toConnectionError,
} from "./errors.js";
import { type HttpSettings, readHttpSettings } from "./http-settings.js";

export interface HttpBackend extends HttpSettings {
  readonly location: string;
  /** Whether the path belongs to a code host such as GitLab or Gitea. */
  readonly isCodeHost: boolean;
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Whether the environment's credentials are for another server, so they are not sent. */
  readonly hasForeignCredentials: boolean;
  readonly proxy: ProxyOptions;
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings.
 *
 * @throws StateError `unknown-store` for an invalid setting, or `refused` for invalid proxy variables.
 */
export function readHttpBackend(url: URL, environment: EnvironmentVariables): HttpBackend {
  const isCodeHost = /\/terraform\/state\/[^/]+$/.test(url.pathname);
  const settings = readHttpSettings(url, environment, isCodeHost);
  const location = settings.address.href;
  return {
    ...settings,
    ...{ location, isCodeHost },
    ...readAuthorization(location, environment),
    proxy: readProxy(location, environment),
  };
}

function readAuthorization(
  location: string,
  environment: EnvironmentVariables,
): Pick<HttpBackend, "authorization" | "hasForeignCredentials"> {
  const { TF_HTTP_ADDRESS: other, TF_HTTP_USERNAME: username, TF_HTTP_PASSWORD: password } = environment;
  const hasCredentials = Boolean(username || password);
  const hasForeignCredentials = hasCredentials && Boolean(other) && !isSameServer(other ?? "", location);
  if (hasCredentials && !hasForeignCredentials)
    return { authorization: formatBasic(username ?? "", password ?? ""), hasForeignCredentials };
  // Sends the CI job token only to the GitLab instance that issued it.
  const { CI_API_V4_URL: api, CI_JOB_TOKEN: token } = environment;
  const isOwnHost = api && token && location.startsWith(`${api}/`);
  return {
    authorization: isOwnHost ? formatBasic("gitlab-ci-token", token) : undefined,
    hasForeignCredentials,
  };
}

function isSameServer(address: string, location: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(location).origin;
}

function formatBasic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Reads the proxies from a state's environment. */
export function readProxy(location: string, environment: EnvironmentVariables): ProxyOptions {
  const proxies = parseProxy(environment);
  if ("proxy" in proxies) return proxies.proxy;
  throw new StateError("refused", location, `Cannot use the state ${location}. ${proxies.problem}`);
}

/** Opens a client, which connects with its first request. */
export function openHttpWire(backend: HttpBackend) {
  const { location, authorization, proxy } = backend;
  const client = openHttpClient({ proxy, maxResponseBytes: 500_000_000 });
  return {
    /**
     * Sends a request once. A large state may take a long time, so the request is aborted only after `idleMs` without
     * data.
     *
     * @throws StateError `unreachable` for a missing or incomplete response or a web page, or `refused` for denied
     * access.
     */
    async send(method: string, url: URL, body: string | undefined, idleMs: number): Promise<HttpResponse> {
      const headers = {
        ...(authorization && { authorization }),
        ...(body !== undefined && {
          "content-type": "application/json",
          "content-md5": createHash("md5").update(body).digest("base64"),
        }),
      };
      const response = await client.send(url, { method, headers, body, idleMs }).catch((error: unknown) => {
        throw error instanceof HttpError ? toConnectionError(location, error) : error;
      });
      assertAllowed(backend, response);
      rejectPage(location, response.text, response.headers["content-type"], response.status);
      return response;
    },
    close: client.close,
  };
}

function assertAllowed(
  { location, hasForeignCredentials }: HttpBackend,
  { status, text }: HttpResponse,
): void {
  if (status >= 300 && status < 400) {
    const advice =
      "Set `state:` in the manifest to the final URL. Credentials are sent only to the URL in `state:`.";
    throw createRefusedError(location, "the server redirects to another URL", advice);
  }
  // GitLab hides a project from users without access. For a missing state, it responds "404 Not found".
  const isHidden = status === 404 && /Project Not Found/i.test(text);
  if (status !== 401 && status !== 403 && !isHidden) return;
  throw createRefusedError(
    location,
    `the server responded with ${status} (${describeReason(text)})`,
    hasForeignCredentials
      ? "TF_HTTP_USERNAME and TF_HTTP_PASSWORD were not sent, because TF_HTTP_ADDRESS names another server. Set them to credentials for this server, and unset TF_HTTP_ADDRESS."
      : "Set the environment variables TF_HTTP_USERNAME and TF_HTTP_PASSWORD to credentials with read and write access.",
  );
}

/** Creates the error for a response that violates the protocol. */
export function createUnexpectedError(
  location: string,
  operation: string,
  { status, text }: HttpResponse,
): StateError {
  const reason = text === "" ? "" : ` (${describeReason(text)})`;
  if (status >= 500 || status === 408 || status === 429) {
    return createUnreachableError(location, `the server responded to ${operation} with ${status}${reason}`);
  }
  const advice =
    "Check `state:` in the manifest. The server must support Terraform's http backend with locking, and states of this size.";
  return createRefusedError(location, `the server responded to ${operation} with ${status}${reason}`, advice);
}
