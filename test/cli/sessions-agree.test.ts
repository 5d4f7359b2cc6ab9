import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

const since = "2026-11-20T06:00:00Z";
const until = "2026-11-21T06:00:00Z";
const period = ["--since", since, "--until", until];
const now = () => Date.parse("2026-11-22T06:00:00Z");
const infinite = "<1e999>";

/** Entries as a service may send them: at the bounds of the period, twice, and with values of other types. */
const entries = fc.array(
  fc.record(
    {
      id: fc.constantFrom(..."abcdefghij"),
      created_at: fc.oneof(
        fc.integer({ min: -3_600, max: 90_000 }).map((seconds) => {
          return new Date(Date.parse(since) + seconds * 1000).toISOString();
        }),
        fc.constantFrom(since, until, "2026-11-21T05:59:59.999Z", "2026-11-20T07:00:00+01:00"),
        fc.constantFrom("2026-11-22T06:00:30Z", "yesterday", null),
      ),
      duration: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom(0.1, 0.2, infinite, "3", null)),
      credits_consumed: fc.constantFrom(0.1, 0.2, 3, infinite, "3", null),
      is_sandbox: fc.constantFrom(true, false, null, "true"),
      mode: fc.constantFrom("FULL", "LITE"),
    },
    { requiredKeys: ["id"] },
  ),
  { maxLength: 12 },
);

describe("a list and a report of the same sessions", () => {
  test("agree on their number, credits and durations", async () => {
    await fc.assert(
      fc.asyncProperty(entries, entries, async (ended, active) => {
        const { avatarops, emulator } = await startProject({
          files: { "avatarops.yaml": "contexts: {}\n" },
          world: emptyDataset(),
          emulator: { now },
        });
        for (const [type, results] of Object.entries({ historic: ended, active })) {
          const data = { code: 100, data: { count: results.length, results }, message: "" };
          const body = JSON.stringify(data).replaceAll(`"${infinite}"`, "1e999");
          const match = { path: `/v1/sessions?type=${type}` };
          emulator.addFault({ match, do: { kind: "malformed", body }, times: 100 });
        }
        const json = async (...argv: string[]) => {
          const { exit, stdout, stderr } = await avatarops(...argv, ...period, "--format", "json");
          expect([exit, stderr]).toEqual([0, ""]);
          return JSON.parse(stdout);
        };
        const listed = async (...options: string[]) => {
          const { totals } = await json("sessions", "list", ...options);
          return totals.all;
        };
        const report = await json("sessions", "report", "--by", "mode");
        const [live, sandbox] = [
          await listed("--type", "historic", "--no-sandbox"),
          await listed("--type", "historic", "--sandbox"),
        ];
        expect(inList(report.totals)).toEqual(live);
        expect(inList(report.sandbox)).toEqual(sandbox);
        for (const { key, sandbox_sessions, ...group } of report.groups) {
          if (key === undefined) continue;
          const ofMode = await listed("--type", "historic", "--no-sandbox", "--mode", key);
          expect(inList(group)).toEqual(ofMode);
        }
        const ids = new Set(ended.map(({ id }) => id));
        if (!active.some(({ id }) => ids.has(id))) {
          const { duration, sessions_without_duration, ...still } = await listed("--no-sandbox");
          expect(report.active).toEqual(still);
        }
      }),
      { numRuns: 12 },
    );
  });
});

/** Totals of a report, as a list has them. */
function inList({ duration, ...totals }: { duration?: { sum: number } }) {
  return { ...totals, duration: duration?.sum ?? 0 };
}
