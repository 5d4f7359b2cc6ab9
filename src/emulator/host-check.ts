import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.js";

/**
 * Refuses a request for another host, because a web page may resolve its own name to this machine (DNS rebinding) to
 * read and change the data. These requests still contain the page's host name.
 */
export function checkHost({ headers: { host } }: IncomingMessage): Refusal | undefined {
  if (host === undefined || isLoopback(host)) return undefined;
  return new Refusal(
    421,
    "The emulator does not accept the host name of this request, only 127.0.0.1 and localhost",
  );
}

/** Returns whether `name:port` is this machine, in any spelling. */
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
