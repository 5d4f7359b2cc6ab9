import type { Agent, Dispatcher } from "undici";

/** Addresses of HTTP proxies, as in the environment variables with the same names. */
export interface ProxyOptions {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts to reach directly, separated by commas. */
  readonly no?: string | undefined;
}

/**
 * The proxies in an environment, in lower or upper case; or what is wrong with one, by its variable. Never
 * repeats addresses: they may contain a password.
 */
export function proxyIn(
  environment: Readonly<Record<string, string | undefined>>,
): { readonly proxy: ProxyOptions } | { readonly problem: string } {
  const of = (name: string) => {
    const used = environment[name.toLowerCase()] === undefined ? name : name.toLowerCase();
    return { name: used, value: environment[used] };
  };
  const [http, https, no] = [of("HTTP_PROXY"), of("HTTPS_PROXY"), of("NO_PROXY")];
  for (const { name, value } of [http, https]) {
    if (!value || isProxy(value)) continue;
    return {
      problem: `The environment variable ${name} is not the address of a proxy: write it like http://proxy.example.com:3128, with user name and password percent-encoded, or unset it.`,
    };
  }
  return { proxy: { http: http.value, https: https.value, no: no.value } };
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

/**
 * What sends requests, through the proxies if there are any. undici takes longer to load than most rooms: call this
 * with the first request.
 */
export async function openDispatcher(
  proxy: ProxyOptions | undefined,
  settings: Agent.Options & { readonly requestTls?: { readonly ca: string } },
): Promise<Dispatcher> {
  const { Agent, EnvHttpProxyAgent } = await import("undici");
  if (!proxy?.http && !proxy?.https) return new Agent(settings);
  // "" and not undefined: with undefined undici would read the environment.
  const { http: httpProxy = "", https: httpsProxy = "", no: noProxy = "" } = proxy;
  return new EnvHttpProxyAgent({ ...settings, httpProxy, httpsProxy, noProxy });
}
