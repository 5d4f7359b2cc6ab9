import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.js";

/**
 * Refuses requests for other host names. In a DNS rebinding attack, a web page points its own host name at this machine
 * to read and change the data, but the browser still sends that name.
 */
export function checkHost({ headers: { host } }: IncomingMessage): Refusal | undefined {
  if (host === undefined || isLoopback(host)) return undefined;
  return new Refusal(
    421,
    "The emulator accepts requests only for 127.0.0.1 and localhost, not for this host name",
  );
}

/** Returns whether `name:port` is this machine, under any of its loopback names and addresses. */
function isLoopback(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    /^127(\.\d+){3}$/.test(hostname) ||
    hostname === "[::1]"
  );
}
