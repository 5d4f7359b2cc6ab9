import { createHash } from "node:crypto";
import {
  HttpError,
  type HttpResponse,
  openHttpClient,
  type ProxyOptions,
  proxyIn,
} from "../../../base/http/index.js";
import { StateError } from "../state-error.js";
import { connectionError, describeReason, refused, refusePage, unreachable } from "./errors.js";

/** Where a state is, how it is locked, and who asks. */
export interface HttpBackend {
  readonly location: string;
  readonly address: URL;
  /** It is a server like GitLab or Gitea, by its path. */
  readonly isHosts: boolean;
  readonly lockAddress: URL;
  /** The value of the header. */
  readonly authorization: string | undefined;
  readonly proxy: ProxyOptions;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * GitLab and Gitea lock at `…/lock`, with POST and DELETE, others at the address itself with LOCK and UNLOCK.
 *
 * @throws StateError `refused` if the environment is wrong.
 */
export function readHttpBackend(address: URL, environment: Variables): HttpBackend {
  const location = address.href;
  const isHosts = /\/terraform\/state\/[^/]+$/.test(address.pathname);
  const lockAddress = new URL(address);
  if (isHosts) lockAddress.pathname += "/lock";
  return {
    ...{ location, address, isHosts, lockAddress },
    authorization: authorizationFor(location, environment),
    proxy: proxyFor(location, environment),
  };
}

function authorizationFor(location: string, environment: Variables): string | undefined {
  const { TF_HTTP_USERNAME: username, TF_HTTP_PASSWORD: password } = environment;
  if (username || password) return basic(username ?? "", password ?? "");
  // The token of a job in GitLab's own CI, for that GitLab only.
  const { CI_API_V4_URL: api, CI_JOB_TOKEN: token } = environment;
  return api && token && location.startsWith(`${api}/`) ? basic("gitlab-ci-token", token) : undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function proxyFor(location: string, environment: Variables): ProxyOptions {
  const proxies = proxyIn(environment);
  if ("proxy" in proxies) return proxies.proxy;
  throw new StateError("refused", location, `Cannot use the state ${location}. ${proxies.problem}`);
}

/** The way to the server of a backend; it connects with the first request. */
export function openHttpWire({ location, authorization, proxy }: HttpBackend) {
  const client = openHttpClient({ proxy, maxResponseBytes: 500_000_000 });
  return {
    /**
     * Sends a request, once. A large state may take long, but a server that is silent for `idleMs` is gone.
     *
     * @throws StateError `unreachable` if there is no response, or only a part of one, or a web page; `refused` if we may
     * not ask.
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
        throw error instanceof HttpError ? connectionError(location, error) : error;
      });
      refuseDenied(location, response);
      refusePage(location, response.text, response.headers["content-type"], response.status);
      return response;
    },
    close: client.close,
  };
}

function refuseDenied(location: string, { status, text }: HttpResponse): void {
  if (status >= 300 && status < 400) {
    const advice =
      "Correct `state:` in the manifest: the credentials are sent to the address that it names, and to no other.";
    throw refused(location, "the server redirects to another address", advice);
  }
  // GitLab hides a project from those who may not see it; a missing state is "404 Not found".
  const isHidden = status === 404 && /Project Not Found/i.test(text);
  if (status !== 401 && status !== 403 && !isHidden) return;
  throw refused(
    location,
    `the server answers ${status} (${describeReason(text)})`,
    "Set TF_HTTP_USERNAME and TF_HTTP_PASSWORD in the environment to a user, or a token, that may read and write it.",
  );
}

/** The error for a response that is not one of the protocol. */
export function unexpected(location: string, deed: string, { status, text }: HttpResponse): StateError {
  const said = text === "" ? "" : ` (${describeReason(text)})`;
  if (status >= 500 || status === 408 || status === 429) {
    return unreachable(location, `the server answers ${status} to ${deed}${said}`);
  }
  const advice =
    "Check the address (`state:` in the manifest), and that the server speaks the protocol of Terraform's http backend, with locks, and takes a state of this size.";
  return refused(location, `the server answers ${status} to ${deed}${said}`, advice);
}
