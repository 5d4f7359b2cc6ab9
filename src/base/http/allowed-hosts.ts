type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Where credentials may be sent that a file of the project names: the hosts of `AVATAROPS_ALLOW_HOSTS`. An entry is a
 * host (`vault.example.com`), one with a port, a pattern for the hosts below one (`*.example.com`), or any of them after
 * `http://`, which does without TLS.
 */
export interface AllowedHosts {
  /**
   * What is wrong with an address: continues the name of its setting, with what to do. One of the environment is taken
   * as it is, but needs TLS.
   */
  check(address: string, from: "file" | "environment"): string | undefined;
}

/** Whether an environment pins where credentials go. */
export function isPinnedBy({ AVATAROPS_PIN: pin = "" }: Variables): boolean {
  return !["", "0", "false"].includes(pin.trim().toLowerCase());
}

/** The hosts that an environment allows; undefined: all. */
export function allowedHosts(
  environment: Variables,
  isPinned = isPinnedBy(environment),
): AllowedHosts | undefined {
  const { AVATAROPS_ALLOW_HOSTS: list } = environment;
  if (list === undefined && !isPinned) return undefined;
  const entries = (list ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return {
    check(address, from) {
      const matching = entries.filter((entry) => matches(entry, address));
      if (from === "file" && matching.length === 0)
        return `is not one to which credentials may be sent: the person who runs this must add ${hostIn(address)} to AVATAROPS_ALLOW_HOSTS`;
      return isExposed(address) && !matching.some((entry) => entry.startsWith("http://"))
        ? `would be sent credentials without TLS: use https://, or add http://${hostIn(address)} to AVATAROPS_ALLOW_HOSTS`
        : undefined;
    },
  };
}

/** Whether others on the way could read what is sent there. */
export function isExposed(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

/** Whether the host name of a URL is one of this machine: what is sent there does not leave it, and needs no TLS. */
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

/** An address for messages, without what may be a password: one that cannot be parsed is not shown. */
export function showAddress(address: string): string {
  if (!URL.canParse(address)) return "(not a valid URL, so it is not shown)";
  const { protocol, host, pathname, username, password, search } = new URL(address);
  return username || password || search ? `${protocol}//${host}${pathname}` : address;
}

function hostIn(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "its host";
}
