import { isIP } from "node:net";

/**
 * Whether the Host header names somebody else. A web page may let its own name resolve to this machine (DNS rebinding),
 * and could then read what is served here: its requests still carry its name. Numbers cannot be redirected.
 */
export function isForeignHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined) return false;
  const name = nameIn(header);
  if (name === undefined) return true;
  const isLoopback = name === "localhost" || name.endsWith(".localhost");
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
  return !isLoopback && !isAddress && !names.some((own) => nameIn(own) === name);
}

/** The name of `name:port`, normalised. */
function nameIn(host: string): string | undefined {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
