import { afterEach, expect, it, vi } from "vitest";
import { isReliableTimestamp } from "../../src/core/kinds/index.js";

afterEach(() => vi.unstubAllEnvs());

const second = Date.UTC(2026, 0, 1, 12, 0, 1);

it.each(["Asia/Tokyo", "America/Los_Angeles", "UTC"])(
  "reads a timestamp without a time zone as UTC if the local zone is %s",
  (zone) => {
    vi.stubEnv("TZ", zone);
    const texts = [
      "2026-01-01T12:00:00",
      "2026-01-01T12:00:00.000000",
      "2026-01-01T12:00:00Z",
      "2026-01-01T14:00:00+02:00",
    ];
    expect(texts.map((text) => isReliableTimestamp(text, second))).toEqual([false, false, false, false]);
    expect(texts.map((text) => isReliableTimestamp(text, second + 1_000))).toEqual([true, true, true, true]);
  },
);

it("does not rely on an invalid timestamp to detect edits", () => {
  expect([undefined, "", "yesterday"].map((text) => isReliableTimestamp(text, second))).toEqual([
    false,
    false,
    false,
  ]);
});

it("relies on a new timestamp to detect edits only if its digits show millisecond precision", () => {
  const texts = ["12:00:00.123Z", "12:00:00.000001", "12:00:00.100Z", "12:00:00.120Z", "12:00:00.5Z"];
  const settled = texts.map((text) => isReliableTimestamp(`2026-01-01T${text}`, second));
  expect(settled).toEqual([true, true, false, false, false]);
});
