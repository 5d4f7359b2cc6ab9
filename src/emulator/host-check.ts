import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refusal } from "./refusal.js";

/**
 * Refuses a request for another host. A web page may let its own name resolve to this machine (DNS
 * rebinding), and could then read and change the data here: its requests still carry its name.
 */
export function foreignHostIn(
  { headers: { host } }: IncomingMessage,
  listening: string,
): Refusal | undefined {
  if (host === undefined || isOwn(nameIn(host), nameIn(bracketed(listening)))) return undefined;
  return new Refusal(
    421,
    `The emulator does not accept the host name of this request, only ${listening} and localhost`,
  );
}

function isOwn(name: string | undefined, listening: string | undefined): boolean {
  if (name === undefined) return false;
  const isLoopback =
    name === "localhost" || name.endsWith(".localhost") || /^127(\.\d+){3}$/.test(name) || name === "[::1]";
  // If it listens on every address, it accepts each: nobody can redirect an IP address.
  const isEverywhere = listening === "0.0.0.0" || listening === "[::]";
  return isLoopback || name === listening || (isEverywhere && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0);
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The name of `name:port`, normalised. */
function nameIn(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}
