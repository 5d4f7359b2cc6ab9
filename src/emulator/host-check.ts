import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { Refusal } from "./refusal.js";

/**
 * The refusal of a request that was meant for another host, if it was. A page in a browser may have its own name point at
 * this machine (DNS rebinding), and would then read and change what is kept here: its requests still carry its name.
 */
export function foreignHostIn(
  { headers: { host } }: IncomingMessage,
  listening: string,
): Refusal | undefined {
  if (host === undefined || isOwn(nameIn(host), nameIn(bracketed(listening)))) return undefined;
  return new Refusal(
    421,
    `The emulator does not answer to the host name of this request, only to ${listening} and localhost`,
  );
}

function isOwn(name: string | undefined, listening: string | undefined): boolean {
  if (name === undefined) return false;
  const isLoopback =
    name === "localhost" || name.endsWith(".localhost") || /^127(\.\d+){3}$/.test(name) || name === "[::1]";
  // Told to listen on every address it has, it answers to each: an address cannot be made to point elsewhere.
  const isEverywhere = listening === "0.0.0.0" || listening === "[::]";
  return isLoopback || name === listening || (isEverywhere && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0);
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The name of `name:port` in one spelling. */
function nameIn(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}
