import { BlockList, isIP } from "node:net";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { isLoopback } from "./allowed-hosts.js";

/** Network settings of the environment: proxies from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, and certificates. */
export interface ProxyOptions {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Comma-separated hosts and networks to reach directly. Loopback is always direct. */
  readonly no?: string | undefined;
  /** File in `NODE_EXTRA_CA_CERTS`. Node reads it at startup, so the path is only needed to explain TLS errors. */
  readonly extraCertificates?: string | undefined;
}

/**
 * Reads the proxies from lower- or upper-case variables. If a URL is invalid, returns a problem that names the
 * variable. Never shows URLs, because they may contain a password.
 */
export function parseProxy(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly proxy: ProxyOptions } | { readonly problem: string } {
  const readVariable = (name: string) => {
    const used = environment[name.toLowerCase()] === undefined ? name : name.toLowerCase();
    return { name: used, value: environment[used] };
  };
  const readProxyUrl = (name: string) => {
    const { value, ...variable } = readVariable(name);
    // As in curl and Go, the scheme is optional.
    return { ...variable, value: value && !/^[a-z][\w+.-]*:\/\//i.test(value) ? `http://${value}` : value };
  };
  const [http, https, no] = [
    readProxyUrl("HTTP_PROXY"),
    readProxyUrl("HTTPS_PROXY"),
    readVariable("NO_PROXY"),
  ];
  for (const { name, value } of [http, https]) {
    if (!value || isProxy(value)) continue;
    return {
      problem: `The environment variable ${name} is not a valid proxy URL. Write it like http://proxy.example.com:3128, with a percent-encoded user name and password, or unset it.`,
    };
  }
  const extraCertificates = environment.NODE_EXTRA_CA_CERTS || undefined;
  return { proxy: { http: http.value, https: https.value, no: no.value, extraCertificates } };
}

const schemes = new Set(["http:", "https:", "socks:", "socks5:"]);

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return schemes.has(protocol) && hostname !== "";
}

/** Sends requests through undici. */
export interface Sender {
  dispatch(
    request: Dispatcher.DispatchOptions & { readonly origin: string },
    handler: Dispatcher.DispatchHandler,
  ): void;
  /** Returns the variable that names the proxy, if the connection to the proxy itself failed. */
  findFailedProxy(origin: string, error: Error): "HTTP_PROXY" | "HTTPS_PROXY" | undefined;
  destroy(): Promise<void>;
}

/** Opens a connection pool, through proxies if configured. Loads undici, so call it only to send the first request. */
export async function openSender(
  { http, https, no }: ProxyOptions = {},
  settings: Agent.Options & { readonly requestTls?: { readonly ca: string } },
): Promise<Sender> {
  const { Agent, Pool, ProxyAgent } = await import("undici");
  const proxyErrors = new WeakSet<Error>();
  const openProxy = (address: string) => {
    const { username, password } = new URL(address);
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return new ProxyAgent({
      ...settings,
      uri: address,
      // undici drops a user name without a password.
      ...(username && { token: `Basic ${Buffer.from(user).toString("base64")}` }),
      // Many proxies allow tunnels to port 443 only.
      proxyTunnel: false,
      clientFactory(origin, options) {
        const { connect: open } = options as { readonly connect: buildConnector.connector };
        const client = new Pool(origin, {
          connect: (server, done) =>
            open(removeAddressName(server), (...result) => {
              if (result[0]) proxyErrors.add(result[0]);
              done(...result);
            }),
        });
        const connect = client.connect.bind(client) as (request: object) => Promise<unknown>;
        return Object.assign(client, {
          connect: (request: object) => connect(request).catch(throwTunnelError),
        });
      },
    });
  };
  const direct = new Agent(settings);
  const forHttp = http ? openProxy(http) : undefined;
  // As in curl and Go, the proxy for http is not used for https.
  const forHttps = https ? openProxy(https) : undefined;
  const bypasses = readNoProxy(no);
  const findProxy = (url: URL) => {
    if (bypasses(url)) return undefined;
    return url.protocol === "https:" ? forHttps : forHttp;
  };
  return {
    dispatch(request, handler) {
      (findProxy(new URL(request.origin)) ?? direct).dispatch(request, handler);
    },
    findFailedProxy(origin, error) {
      const url = new URL(origin);
      if (!findProxy(url) || !(proxyErrors.has(error) || isLocalFailure(error))) return undefined;
      return url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    },
    async destroy() {
      await Promise.all([direct, forHttp, forHttps].map((agent) => agent?.destroy()));
    },
  };
}

/** Returns whether this machine could not resolve or reach the address. For parallel attempts, checks the first. */
function isLocalFailure(error: Error): boolean {
  const { syscall, errors } = error as { readonly syscall?: unknown; readonly errors?: readonly unknown[] };
  return /^(?:connect|getaddrinfo)$/.test(String(syscall ?? Object(errors?.[0]).syscall));
}

/** Removes a TLS server name that is an IP address, because Node rejects it. */
function removeAddressName(server: buildConnector.Options): buildConnector.Options {
  const { servername, ...others } = server;
  return isIP(servername?.replace(/^\[|\]$/g, "") ?? "") > 0 ? others : server;
}

/**
 * Rethrows a tunnel error. Replaces undici's error for a closed socket, whose code would make undici reopen the tunnel
 * in an endless loop.
 */
function throwTunnelError(error: Error & { readonly code?: string }): never {
  throw error.code === "UND_ERR_SOCKET"
    ? new Error("the proxy closed the connection", { cause: error })
    : error;
}

/**
 * Parses `NO_PROXY` into a test for direct requests. Loopback is always direct, as in Go. An entry is a host with its
 * subdomains, an IP address, a network (`10.0.0.0/8`) or `*`, and may have a port.
 */
function readNoProxy(list = ""): (url: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  const matches = entries.map(readEntry);
  return (url) => isLoopback(url.hostname) || matches.some((isMatch) => isMatch(url));
}

function readEntry(entry: string): (url: URL) => boolean {
  if (entry === "*") return () => true;
  const [, named = entry, port] = (isIP(entry) === 0 && /^(.+):(\d+)$/.exec(entry)) || [];
  const host = named.replace(/^(\*?\.|\[)|\]$/g, "");
  const network = toNetwork(host);
  return ({ hostname, protocol, port: given }) => {
    if (port !== undefined && port !== (given || (protocol === "https:" ? "443" : "80"))) return false;
    const target = hostname.replace(/^\[|\]$/g, "");
    const version = isIP(target);
    if (network) return version > 0 && network.check(target, version === 6 ? "ipv6" : "ipv4");
    return target === host || (version === 0 && target.endsWith(`.${host}`));
  };
}

/** Parses an IP address or network. */
function toNetwork(text: string): BlockList | undefined {
  const [address = "", length] = text.split("/");
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const prefix = Number(length ?? most);
  if (version === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most) return undefined;
  const network = new BlockList();
  network.addSubnet(address, prefix, version === 6 ? "ipv6" : "ipv4");
  return network;
}
