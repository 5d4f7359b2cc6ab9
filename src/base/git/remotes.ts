import type { GitSetting } from "./environment.js";

/** Returns the URL of `origin`, or of the only remote. May contain credentials. */
export function findOriginUrl(settings: readonly GitSetting[]): string | undefined {
  const remotes = new Map<string, string>();
  for (const [key, url] of settings) {
    const [, remote] = /^remote\.(.+)\.url$/s.exec(key) ?? [];
    // Git fetches from the first URL of a remote.
    if (remote !== undefined && url !== "" && !remotes.has(remote)) remotes.set(remote, url);
  }
  const [only, second] = remotes.values();
  return remotes.get("origin") ?? (second === undefined ? only : undefined);
}

/**
 * Returns the path to a repository on its host, or undefined for a local repository. `git@github.com:Team/Avatars.git`
 * and `https://TOKEN@github.com/team/avatars` both give `team/avatars`. Contains no credentials.
 */
export function readRepositoryPath(url: string): string | undefined {
  const [, scheme, rest] = /^(?:[\w-]+::)?([a-z][a-z\d+.-]*):\/\/(.*)$/is.exec(url) ?? [];
  if (scheme?.toLowerCase() === "file") return undefined;
  // A colon before the first slash is SSH's HOST:PATH, except after one letter (a Windows drive) and in `::` (a
  // helper).
  const isShort = scheme === undefined && /^(?![\w-]+::)[^/\\]{2,}:/.test(url);
  if (rest === undefined && !isShort) return undefined;
  const address = rest ?? url;
  // An unencoded password may contain `@`, `?` or `#`.
  const [plain = ""] = address.slice(address.lastIndexOf("@") + 1).split(/[?#]/);
  const [, ...path] = (isShort ? plain.replace(/^(\[[^\]]*\]|[^:]*):/, "$1/") : plain).split("/");
  const found = decode(path.filter((part) => part !== "").join("/"));
  return (
    found
      .replace(/\.git$/i, "")
      .normalize("NFC")
      .toLowerCase() || undefined
  );
}

/**
 * Returns a repository's name for messages. The name is the path on the host. For a local repository, it is the
 * folder's name without `.git`.
 */
export function parseRepositoryName(url: string): string | undefined {
  const isLocal = /^(?:file:\/\/[^/]*\/|[a-z]:[/\\]|[^:]*$)/i.test(url);
  if (!isLocal) return readRepositoryPath(url);
  const parts = url.split(/[/\\]/).filter((part) => part !== "" && part !== ".git");
  return (
    decode(parts.at(-1) ?? "")
      .replace(/\.git$/i, "")
      .normalize("NFC") || undefined
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns whether two results of `readRepositoryPath` name the same repository. HTTPS URLs of some hosts have a longer
 * path than SSH URLs, such as `git/team/avatars`. `_git` and `v3` occur only in Azure's paths.
 */
export function isSameRepository(one: string, other: string): boolean {
  const parts = [one, other].map((path) => path.split("/").filter((part) => part !== "_git"));
  const [short = [], long = []] = parts.toSorted((a, b) => a.length - b.length);
  if (short.length < 2) return one === other;
  return long.slice(-short.length).join("/") === short.join("/");
}
