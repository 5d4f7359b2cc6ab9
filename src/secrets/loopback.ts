/** Whether a host name is this machine's own, as an emulator's: only there may a source speak HTTP without TLS. */
export function isLoopback(hostname: string): boolean {
  return hostname === "127.0.0.1" || hostname === "[::1]" || hostname === "localhost";
}
