import { expect, test } from "vitest";
import { openPace } from "../../src/core/api/pace.js";

/** A service with fixed windows of a second, in imagined time, asked as fast as the pace allows. */
function simulate(options: {
  allowedAt: (ms: number) => number;
  seconds: number;
  roundTripMs: number;
  offsetMs: number;
}) {
  const { allowedAt, seconds, roundTripMs, offsetMs } = options;
  const pace = openPace();
  const admittedMs: number[] = [];
  let throttled = 0;
  let window = -1;
  let count = 0;
  const pending: { atMs: number; sentMs: number; ok: boolean }[] = [];
  for (let ms = 0; ms < seconds * 1000; ms++) {
    while (pending[0] && pending[0].atMs <= ms) {
      const { sentMs, ok } = pending.shift() as (typeof pending)[0];
      if (ok) pace.admitted(ms);
      else pace.throttled(ms, sentMs, 1000);
    }
    while (pending.length < 8 && pace.delayMs(ms) === 0) {
      const current = Math.floor((ms + offsetMs) / 1000);
      count = current === window ? count + 1 : 1;
      window = current;
      const ok = count <= allowedAt(ms);
      if (ok) admittedMs.push(ms);
      else throttled++;
      pace.sent(ms);
      pending.push({ atMs: ms + roundTripMs, sentMs: ms, ok });
    }
  }
  const rate = (fromS: number, toS: number) =>
    admittedMs.filter((ms) => ms >= fromS * 1000 && ms < toS * 1000).length / (toS - fromS);
  return { rate, throttledShare: throttled / (admittedMs.length + throttled) };
}

test.each([
  [5, 0],
  [5, 700],
  [20, 0],
  [20, 300],
  [20, 990],
  [50, 500],
  [200, 0],
  [200, 600],
])(
  "%d requests a second are found out and used by 85 %%, with under 2 %% of 429 (window begins at %d ms)",
  (allowed, offsetMs) => {
    const { rate, throttledShare } = simulate({
      allowedAt: () => allowed,
      seconds: 60,
      roundTripMs: 5,
      offsetMs,
    });
    expect(rate(0, 60) / allowed).toBeGreaterThan(0.85);
    expect(throttledShare).toBeLessThan(allowed === 5 ? 0.06 : 0.02);
  },
);

test("a limit that is lifted does not slow us for ever, and one that falls is learned", () => {
  const allowedAt = (ms: number) => (ms < 10_000 ? 20 : ms < 70_000 ? 200 : 50);
  const { rate } = simulate({ allowedAt, seconds: 100, roundTripMs: 5, offsetMs: 0 });
  expect(rate(2, 10)).toBeLessThanOrEqual(20);
  expect(rate(60, 70)).toBeGreaterThan(100);
  expect(rate(80, 100)).toBeGreaterThan(40);
});

test("without a 429 nothing is slowed down", () => {
  const pace = openPace();
  for (let n = 0; n < 1000; n++) {
    expect(pace.delayMs(0)).toBe(0);
    pace.sent(0);
    pace.admitted(0);
  }
});

test("a rate given by the user is kept from the first request", () => {
  const pace = openPace(10);
  pace.sent(1000);
  expect(pace.delayMs(1000)).toBe(80); // 100 ms, less the lateness that is made up for
  pace.sent(1080);
  expect(pace.delayMs(1080)).toBe(100);
});
