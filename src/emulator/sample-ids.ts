export const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Formats the time `days` days before `nowMs` like the service's timestamps. */
export function formatDaysBefore(nowMs: number, days: number): string {
  return new Date(nowMs - days * dayMs).toISOString();
}

/** Creates a fixed id that looks random. `prefix` is two hex digits that identify the resource. */
export function createSampleId(prefix: string, i: number): string {
  const digits = ((i + 1) * 0x9e3779b1) % 0x100000000;
  const head = digits.toString(16).padStart(8, "0");
  return `${prefix}${head.slice(2)}-${head.slice(0, 4)}-4a1b-9c2d-${(0x5ee0fe120000 + i).toString(16)}`;
}

/** Creates a readable id: `10000000-0000-4000-8000-00000000002a` is number 42 of the resource whose digit is 1. */
export function createNumberedId(digit: number, i: number): string {
  return `${digit}0000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

/** The first digit of avatar ids in a generated dataset. */
export const avatarDigit = 1;

/** Returns the id of the sample account's avatar number `i`. */
export function createSampleAvatarId(i: number): string {
  return createSampleId("a0", i);
}

/** Returns the id of the sample account's context number `i`. */
export function createSampleContextId(i: number): string {
  return createSampleId("c0", i);
}

/** The avatar that sandbox sessions use (§8). */
export const sandboxAvatarId = "dd73ea75-1218-4ef3-92ce-606d5f7fbc0a";
