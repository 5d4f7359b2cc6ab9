/** Parses a whole number of at least `least`; throws if it is not one. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text.trim()) && number >= least) return number;
    throw new Error(`It must be a whole number of at least ${least}.`);
  };
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration such as `30s`, `5m` or `500ms`; a bare number is seconds. Returns ms; throws if it is not
 * one.
 */
export function durationMs(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  const scale = unitsMs[unit];
  if (amount !== undefined && scale !== undefined) return Number(amount) * scale;
  throw new Error("It must be a duration such as 30s, 5m or 500ms.");
}

/** In characters, without the version that it begins with. */
const shortestDigest = 12;

/** Parses the digest of a plan, or its beginning; throws if it is not one. Returns it with its version. */
export function planDigest(text: string): string {
  const [, version = "1", digest = ""] = /^(?:(\d+):)?([\w-]+)$/.exec(text.trim()) ?? [];
  if (digest.length >= shortestDigest) return `${version}:${digest}`;
  throw new Error(`It must be the digest of a plan, or at least its first ${shortestDigest} characters.`);
}

/** Parses the duration between two cycles; below a second it would be a load on others. Returns ms. */
export function intervalMs(text: string): number {
  const ms = durationMs(text);
  if (ms >= 1_000) return ms;
  throw new Error("It must be at least 1s.");
}

/** Parses `HOST:PORT`, also `[::1]:8080`; port 0 picks a free one. Throws if it is not one. */
export function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new Error("It must be an address and a port such as 127.0.0.1:8080 or [::]:8080.");
}

/** Parses the full id of a commit; throws if it is not one. */
export function commitId(text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw new Error("It must be the full id of a commit, 40 or 64 hexadecimal digits.");
}
