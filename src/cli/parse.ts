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
