/** The longest pause after setbacks, unless the interval is longer; ms. */
const longestPauseMs = 60_000;

/**
 * How long to wait after a look: the interval, and twice as long with each failure or 429 in a row; in any case as long
 * as the service asks. In ms.
 */
export function pauseMs(intervalMs: number, setbacks: number, askedMs = 0): number {
  const backedOff = Math.min(intervalMs * 2 ** setbacks, Math.max(intervalMs, longestPauseMs));
  return Math.max(backedOff, askedMs);
}
