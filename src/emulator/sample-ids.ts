export const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A time this many days before a moment, in the format of the data. */
export function daysBefore(nowMs: number, days: number): string {
  return new Date(nowMs - days * dayMs).toISOString();
}

/** Fixed and unlike one another, as ids of the service are; the first two digits say what it is. */
export function sampleId(prefix: string, i: number): string {
  const digits = ((i + 1) * 0x9e3779b1) % 0x100000000;
  const head = digits.toString(16).padStart(8, "0");
  return `${prefix}${head.slice(2)}-${head.slice(0, 4)}-4a1b-9c2d-${(0x5ee0fe120000 + i).toString(16)}`;
}

/** A readable id that says what it belongs to: `10000000-0000-4000-8000-00000000002a` is the 42nd of the first sort. */
export function numberedId(digit: number, i: number): string {
  return `${digit}0000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;
}

/** The first of the ids of avatars in a world of a wanted size. */
export const avatarDigit = 1;

/** An avatar of the sample account: its sessions are theirs. */
export function sampleAvatarId(i: number): string {
  return sampleId("a0", i);
}

/** A context of the sample account: its sessions are about them. */
export function sampleContextId(i: number): string {
  return sampleId("c0", i);
}

/** The avatar that sandbox sessions use (§8). */
export const sandboxAvatarId = "dd73ea75-1218-4ef3-92ce-606d5f7fbc0a";
