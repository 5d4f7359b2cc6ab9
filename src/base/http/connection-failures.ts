/*
 * Messages from Node and undici for a failed connection, with the sentence that replaces each. `$1` is the address or
 * host name.
 */
const failures: readonly (readonly [pattern: RegExp, clause: string])[] = [
  [/^connect ECONNREFUSED (\S+)$/, "$1 refused the connection"],
  [/^(?:connect )?ECONNREFUSED$/, "the connection was refused"],
  [/^connect (?:EHOSTUNREACH|ENETUNREACH) (\S+)(?: .*)?$/, "this machine has no route to $1"],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, "this machine has no route to the server"],
  [/^connect ETIMEDOUT (\S+)$/, "$1 did not accept the connection in time"],
  [/^ETIMEDOUT$|^Connect Timeout Error\b.*$/, "the server did not accept the connection in time"],
  [/^getaddrinfo ENOTFOUND (\S+)$/, "the host name $1 cannot be resolved"],
  [/^getaddrinfo EAI_AGAIN (\S+)$/, "the host name $1 cannot be resolved at the moment"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "the host name cannot be resolved"],
  [
    /^(?:(?:read |write )?(?:ECONNRESET|EPIPE)|socket hang up|other side closed)$/,
    "the server closed the connection",
  ],
  [/^(?:Headers|Body) Timeout Error$/, "the server stopped sending data"],
];

/** Describes a failed connection as a clause. Returns other messages unchanged. */
export function describeConnectionFailure(message: string): string {
  const [pattern, clause] = failures.find(([one]) => one.test(message)) ?? [];
  return pattern && clause !== undefined ? message.replace(pattern, clause) : message;
}
