import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.js";

/**
 * Refuses a request for another host. A web page may let its own name resolve to this machine (DNS
 * rebinding), and could then read and change the data here: its requests still carry its name.
 */
export function foreignHostIn({ headers: { host } }: IncomingMessage): Refusal | undefined {
  if (host === undefined || isLoopback(host)) return undefined;
  return new Refusal(
    421,
    "The emulator does not accept the host name of this request, only 127.0.0.1 and localhost",
  );
}

/** Whether `name:port` names this machine, in any spelling. */
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
