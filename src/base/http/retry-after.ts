import type { HttpResponse } from "./client.js";

/** Reads Retry-After, which is a number of seconds or a date. Returns undefined if it is missing or invalid. */
export function readRetryAfterMs({ headers }: HttpResponse, nowMs: number): number | undefined {
  const text = headers["retry-after"];
  if (!text?.trim()) return undefined;
  // Compares the date with the response's Date header, if present, because our clock may differ.
  const serverNowMs = Date.parse(headers.date ?? "") || nowMs;
  const ms = Number.isNaN(Number(text)) ? Date.parse(text) - serverNowMs : Number(text) * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
