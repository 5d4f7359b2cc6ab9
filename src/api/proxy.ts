import type { ProxyOptions } from "./wire.js";

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
