/** Whether the host name of a URL is one of this machine: what is sent there does not leave it, and needs no TLS. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
