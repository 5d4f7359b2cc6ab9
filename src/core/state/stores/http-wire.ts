import { createHash } from "node:crypto";
import {
  HttpError,
  type HttpResponse,
  openHttpClient,
  type ProxyOptions,
  proxyIn,
} from "../../../base/http/index.js";
import { StateError } from "../state-error.js";
import {
  connectionError,
  describeReason,
  refused,
  refusePage,
  unreachable,
  wrongLocation,
} from "./errors.js";

/** Where a state is, how it is locked, and who asks: the settings of Terraform's http backend. */
export interface HttpBackend {
  /** Without settings and credentials. */
  readonly location: string;
  readonly address: URL;
  /** It is a server like GitLab or Gitea, by its path. */
  readonly isHosts: boolean;
  readonly updateMethod: string;
  readonly lockAddress: URL;
  readonly lockMethod: string;
  readonly unlockAddress: URL;
  readonly unlockMethod: string;
  /** The value of the header. */
  readonly authorization: string | undefined;
  readonly proxy: ProxyOptions;
}

type Variables = Readonly<Record<string, string | undefined>>;

const settings = ["update_method", "lock_address", "lock_method", "unlock_address", "unlock_method"] as const;

/**
 * The settings of a URL, as parameters of its query (`lock_address`), else as variables of the environment
 * (`TF_HTTP_LOCK_ADDRESS`), else by default: GitLab and Gitea lock at `…/lock`, with POST and DELETE, others at the
 * address itself with LOCK and UNLOCK.
 *
 * @throws StateError `unknown-store` for a setting that is no address or method; `refused` if the environment is wrong.
 */
export function readHttpBackend(url: URL, environment: Variables): HttpBackend {
  const address = new URL(url);
  for (const name of settings) address.searchParams.delete(name);
  const location = address.href;
  const setting = (name: (typeof settings)[number]) =>
    (url.searchParams.get(name) ?? environment[`TF_HTTP_${name.toUpperCase()}`]) || undefined;
  const method = (name: (typeof settings)[number], preset: string) => {
    const given = setting(name) ?? preset;
    if (/^[A-Z]{1,20}$/.test(given)) return given;
    throw wrongLocation(location, `has a ${name} that is not an HTTP method.`);
  };
  /** An address of the same server: the credentials are not sent to another one. */
  const below = (name: (typeof settings)[number], preset: URL) => {
    const given = setting(name);
    if (given === undefined) return preset;
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (url?.origin === preset.origin && url.username === "" && url.password === "") return url;
    throw wrongLocation(location, `has a ${name} that is not an address on ${preset.origin}.`);
  };
  const isHosts = /\/terraform\/state\/[^/]+$/.test(address.pathname);
  const usual = new URL(address);
  if (isHosts) usual.pathname += "/lock";
  const lockAddress = below("lock_address", usual);
  return {
    location,
    address,
    isHosts,
    updateMethod: method("update_method", "POST"),
    lockAddress,
    lockMethod: method("lock_method", isHosts ? "POST" : "LOCK"),
    unlockAddress: below("unlock_address", lockAddress),
    unlockMethod: method("unlock_method", isHosts ? "DELETE" : "UNLOCK"),
    authorization: authorizationFor(location, environment),
    proxy: proxyFor(location, environment),
  };
}

function authorizationFor(location: string, environment: Variables): string | undefined {
  const { TF_HTTP_USERNAME: username, TF_HTTP_PASSWORD: password } = environment;
  if (username) return basic(username, password ?? "");
  if (password) {
    throw refused(
      location,
      "TF_HTTP_PASSWORD is set, but TF_HTTP_USERNAME is not",
      "Set it too (GitLab accepts any name with a token).",
    );
  }
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
  // A large state may take long; a server that says nothing for a minute is not there.
  const client = openHttpClient({ proxy, idleMs: 60_000, maxResponseBytes: 500_000_000 });
  return {
    /**
     * Sends a request, once.
     *
     * @throws StateError `unreachable` if there is no response, or only a part of one, or a web page; `refused` if we may
     * not ask.
     */
    async send(method: string, url: URL, body?: string): Promise<HttpResponse> {
      const headers = {
        ...(authorization && { authorization }),
        ...(body !== undefined && { "content-type": "application/json", "content-md5": md5(body) }),
      };
      const response = await client.send(url, { method, headers, body }).catch((error: unknown) => {
        throw error instanceof HttpError ? connectionError(location, error) : error;
      });
      refuseDenied(location, response);
      refusePage(location, response.text, response.headers["content-type"], response.status);
      return response;
    },
    close: client.close,
  };
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("base64");
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
    status === 413
      ? "The state is larger than the server allows: raise its limit, or use another store."
      : "Check the address (`state:` in the manifest) and that the server speaks the protocol of Terraform's http backend, with locks.";
  return refused(location, `the server answers ${status} to ${deed}${said}`, advice);
}
