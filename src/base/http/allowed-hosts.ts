type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Hosts from `AVATAROPS_ALLOW_HOSTS` that may receive credentials when a project file names them. An entry is a host,
 * with or without a port, or a pattern for subdomains (`*.example.com`). The prefix `http://` allows requests without
 * TLS.
 */
export interface AllowedHosts {
  /**
   * Returns a clause that explains why the URL is not allowed, or undefined if it is. A URL from the environment only
   * needs TLS.
   */
  check(address: string, from: "file" | "environment"): string | undefined;
}

/** Returns whether the environment restricts the hosts that may receive credentials. */
export function isPinnedBy({ AVATAROPS_PIN: pin = "" }: EnvironmentVariables): boolean {
  return !["", "0", "false"].includes(pin.trim().toLowerCase());
}

/** Reads the allowed hosts. Returns undefined if all are allowed. */
export function parseAllowedHosts(
  environment: EnvironmentVariables,
  isPinned = isPinnedBy(environment),
): AllowedHosts | undefined {
  const { AVATAROPS_ALLOW_HOSTS: list } = environment;
  if (list === undefined && !isPinned) return undefined;
  const entries = (list ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return {
    check(address, from) {
      const matching = entries.filter((entry) => matches(entry, address));
      if (from === "file" && matching.length === 0)
        return `is not allowed to receive credentials. To allow it, add ${parseHost(address)} to AVATAROPS_ALLOW_HOSTS`;
      return isUnencrypted(address) && !matching.some((entry) => entry.startsWith("http://"))
        ? `would receive credentials without TLS. Use https://, or add http://${parseHost(address)} to AVATAROPS_ALLOW_HOSTS`
        : undefined;
    },
  };
}

/** Returns whether requests to a URL are sent without encryption. */
export function isUnencrypted(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

/** Returns whether a URL's host name is this machine. Requests to it need no TLS. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function matches(entry: string, address: string): boolean {
  if (!URL.canParse(address)) return entry === address;
  const { host, hostname } = new URL(address.toLowerCase());
  const wanted = entry
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "");
  return wanted.startsWith("*.")
    ? [host, hostname].some((name) => name.endsWith(wanted.slice(1)))
    : wanted === host || wanted === hostname;
}

/** Returns a URL for messages, without credentials. Hides an invalid URL. */
export function showAddress(address: string): string {
  if (!URL.canParse(address)) return "(not a valid URL, so it is not shown)";
  const { protocol, host, pathname, username, password, search } = new URL(address);
  return username || password || search ? `${protocol}//${host}${pathname}` : address;
}

function parseHost(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "its host";
}
