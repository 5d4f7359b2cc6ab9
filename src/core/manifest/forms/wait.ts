/** Maximum wait for active sessions if `--wait-for-idle` is used and no time is given. */
export const defaultWaitMs = 10 * 60_000;

/** A duration in the files, such as `30s`, `10m` or `1.5h`. */
export const waitPattern = /^(\d{1,6}(?:\.\d{1,3})?)([smh])$/;

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration to milliseconds. Returns undefined if the text is not a duration. */
export function parseWaitMs(written: unknown): number | undefined {
  if (typeof written !== "string") return undefined;
  const [, amount, unit = ""] = waitPattern.exec(written) ?? [];
  const scale = unitsMs[unit];
  return amount === undefined || scale === undefined ? undefined : Number(amount) * scale;
}
