import type { PointInTime } from "../../operations/index.js";

/** Returns a parser for whole numbers of at least `min`. It throws for any other string. */
export function createWholeNumberParser(min: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text.trim()) && number >= min) return number;
    throw new Error(`It must be a whole number of at least ${min}.`);
  };
}

const unitsMs: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 },
};

/** Parses a duration such as `30s`, `5m`, `1d` or `500ms`. A number without a unit is seconds. Returns ms. */
export function parseDurationMs(text: string): number {
  const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)?$/.exec(text.trim()) ?? [];
  const scale = unitsMs[unit];
  if (amount !== undefined && scale !== undefined) return Number(amount) * scale;
  throw new Error("It must be a duration such as 30s, 5m or 500ms.");
}

/** Minimum digest length in characters, including the version. At 108 bits, a prefix cannot be forged. */
const minDigestLength = 20;

/** Parses a plan digest, or its start. Returns the digest with its version. */
export function parsePlanDigest(text: string): string {
  const [written = "", version = "1", digest = ""] = /^(?:(\d+):)?([\w-]+)$/.exec(text.trim()) ?? [];
  if (written.length >= minDigestLength) return `${version}:${digest}`;
  throw new Error(`It must be a plan digest, or at least its first ${minDigestLength} characters.`);
}

/** Parses the time between two cycles. An interval below one second would overload other servers. Returns ms. */
export function parseIntervalMs(text: string): number {
  const ms = parseDurationMs(text);
  if (ms >= 1_000) return ms;
  throw new Error("It must be at least 1s.");
}

/** Parses `HOST:PORT` or `[::1]:8080`. Port 0 picks a free port. */
export function parseListenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new Error("It must be an address and a port such as 127.0.0.1:8080 or [::]:8080.");
}

/** Parses a full commit id. */
export function parseCommitId(text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw new Error("It must be a full commit id of 40 or 64 hexadecimal digits.");
}

/**
 * Parses a time, such as `7d` (seven days ago), `2026-03-01` (its start), `2026-03-01T12:30` or
 * `2026-03-01T12:30:00+02:00`.
 */
export function parsePointInTime(text: string): PointInTime {
  const [, amount, unit = ""] = /^(\d{1,6}(?:\.\d{1,6})?)\s?([smhdw])$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return { agoMs: Number(amount) * (unitsMs[unit] ?? Number.NaN) };
  const [, date, time = "00:00", zone] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/i.exec(
      text.trim(),
    ) ?? [];
  const localMs = Date.parse(`${date}T${time}Z`);
  // `Date.parse` turns February 30 into a day in March.
  if (!Number.isNaN(localMs) && new Date(localMs).toISOString().slice(0, 10) === date) {
    return zone === undefined ? { localMs } : { localMs, offsetMs: parseOffset(zone) };
  }
  throw new Error("It must be a time such as 7d, 12h, 2026-03-01 or 2026-03-01T12:30+01:00.");
}

/** Parses the end of a hold: a duration (`4h`) or a time with its zone. */
export function parseEndOfHold(text: string): { readonly atMs: number } | { readonly inMs: number } {
  const parsed = parsePointInTime(text);
  if ("agoMs" in parsed) return { inMs: parsed.agoMs };
  if (parsed.offsetMs !== undefined) return { atMs: parsed.localMs - parsed.offsetMs };
  throw new Error(
    "It must be a time with a time zone, such as 2026-03-01T08:00Z, or a duration, such as 4h.",
  );
}

function parseOffset(zone: string): number {
  if (zone.toUpperCase() === "Z") return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(":").map(Number);
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3_600_000 + minutes * 60_000);
}

/** Parses a time zone name. Throws if Node does not support the zone. */
export function parseTimeZone(text: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text.trim() }).resolvedOptions().timeZone;
  } catch {
    throw new Error("It must be a time zone name such as Europe/Berlin or UTC.");
  }
}

/** Parses a number of credits, which may be fractional. */
export function parseCredits(text: string): number {
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(text.trim())) return Number(text);
  throw new Error("It must be a number of credits such as 500 or 12.5.");
}
