import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { openService } from "../../src/core/api/index.js";
import { type Behavior, createEmptyDataset, type Session } from "../../src/emulator/index.js";
import { followSessions } from "../../src/sessions/reports/index.js";
import { startEmulator } from "../documented-emulator.js";
import { scaleRuns } from "../real/long.js";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse("2026-11-22T06:00:00Z");

/** Opens an account whose clock moves only on request. Sessions end when they reach their maximum duration. */
async function openAccount(behavior: Partial<Behavior> = {}, answersAheadMs = 0) {
  let clock = start;
  let count = 0;
  const emulator = await startEmulator({
    world: createEmptyDataset(),
    behavior,
    now: () => clock,
  });
  const service = openService({
    baseUrl: emulator.url,
    apiKey: "test-key",
    system: nodeSystem,
    retries: 0,
    backoffMs: 1,
  });
  const close = async () => {
    await service.close();
    await emulator.close();
  };
  onTestFinished(close);
  /** Starts a session of `ms` milliseconds, `ago` ms ago, and returns its id. */
  const begin = (ms: number, { ago = 0, ...fields }: Partial<Session> & { ago?: number } = {}): string => {
    const id = `5e000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
    const created_at = new Date(clock - ago).toISOString();
    emulator.addSession({ id, created_at, max_session_duration: ms / 1000, ...fields });
    return id;
  };
  const clocked = { ...service, sessions: service.sessions, getServerTime: () => clock + answersAheadMs };
  return {
    emulator,
    service: clocked,
    begin,
    now: () => clock,
    pass(ms: number) {
      clock += ms;
    },
    follow: () => followSessions(clocked, () => clock),
    close,
  };
}

const pickIds = (rows: readonly { readonly id?: string }[]) => rows.map(({ id }) => id);

describe("followSessions", () => {
  test("needs few requests to find an hours-long session far down the list", async () => {
    const { begin, pass, follow, emulator } = await openAccount();
    const long = begin(10 * hour);
    const follower = follow();
    await follower.poll();
    for (let n = 0; n < 350; n++) {
      pass(minute);
      begin(30_000);
    }
    pass(minute);
    expect((await follower.poll()).ended).toHaveLength(350);

    emulator.requests.length = 0;
    pass(minute);
    expect((await follower.poll()).ended).toEqual([]);
    // Expects requests for the active list and for the first and last page of the ended list. The first page
    // shows that the list begins with the oldest session, so new ones are on the last page.
    expect(emulator.requests).toHaveLength(3);

    pass(6 * hour);
    expect(pickIds((await follower.poll()).ended)).toEqual([long]);
  });

  test("reports no old sessions if it starts on an account without recent ones", async () => {
    const { begin, pass, follow } = await openAccount();
    for (let days = 90; days > 3; days--) begin(minute, { ago: days * 24 * hour });
    const follower = follow();
    await follower.poll();
    pass(minute);
    expect((await follower.poll()).ended).toEqual([]);
    const first = begin(minute);
    pass(2 * minute);
    expect(pickIds((await follower.poll()).ended)).toEqual([first]);
  });

  test("ignores a session with a start time in the future", async () => {
    const { begin, pass, follow } = await openAccount();
    begin(minute, { created_at: "2099-01-01T00:00:00Z", ended_at: "2099-01-01T00:01:00Z" });
    const follower = follow();
    await follower.poll();
    const one = begin(minute);
    pass(2 * minute);
    expect(pickIds((await follower.poll()).ended)).toEqual([one]);
    pass(24 * hour);
    expect((await follower.poll()).ended).toEqual([]);
  });

  test("reports a session that is listed late but within the look-back period", async () => {
    const { begin, pass, follow } = await openAccount();
    const follower = follow();
    begin(minute);
    await follower.poll();
    pass(12 * minute);
    await follower.poll();
    const late = begin(minute, { ago: 10 * minute });
    const tooLate = begin(minute, { ago: 3 * hour });
    const reportedIds = pickIds((await follower.poll()).ended);
    expect(reportedIds).toContain(late);
    expect(reportedIds).not.toContain(tooLate);
  });

  test("checks for a session that is missing from both lists at growing intervals, and drops it after a day", async () => {
    const { begin, pass, follow, emulator } = await openAccount();
    for (let n = 0; n < 300; n++) begin(1_000, { ago: (300 - n) * minute });
    const ghost = begin(hour, { ago: 300 * minute, max_session_duration: 10 * 3600 });
    const follower = follow();
    await follower.poll();
    emulator.world.sessions.splice(
      emulator.world.sessions.findIndex(({ id }) => id === ghost),
      1,
    );
    const pages: number[] = [];
    for (let n = 0; n < 9; n++) {
      pass(minute);
      emulator.requests.length = 0;
      await follower.poll();
      pages.push(emulator.requests.filter(({ query }) => query.type === "historic").length);
    }
    expect(pages.map((read) => read > 2)).toEqual([true, true, true, false, true, false, false, false, true]);
    pass(24 * hour);
    expect((await follower.poll()).lost).toBe(1);
    expect((await follower.poll()).lost).toBe(0);
  });
});

type Step =
  | { readonly do: "pass"; readonly minutes: number }
  | { readonly do: "begin"; readonly count: number; readonly minutes: number }
  | { readonly do: "poll"; readonly fails: Failure | undefined; readonly changes: boolean };
type Failure = "first request" | "later request";

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 200 }) }),
    fc.record({
      do: fc.constant("begin" as const),
      count: fc.integer({ min: 1, max: 90 }),
      minutes: fc.integer({ min: 1, max: 600 }),
    }),
    fc.record({
      do: fc.constant("poll" as const),
      fails: fc.option(fc.constantFrom<Failure>("first request", "later request"), { nil: undefined }),
      changes: fc.boolean(),
    }),
  ),
  { minLength: 5, maxLength: 25 },
);

test.each(["created", "updated", "shuffled"] as const)(
  "reports each session exactly once despite outages and clock skew, ordered by %s",
  async (listOrder) => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(-10, 0, 10), async (life, hoursAhead) => {
        const account = await openAccount({ listOrder }, hoursAhead * hour);
        try {
          // A page ordered by update can look like the newest page and hide a session that started and ended in
          // between.
          const isAmbiguous = listOrder === "updated";
          const lived = life.map((step) =>
            step.do === "poll" && isAmbiguous ? { ...step, changes: false } : step,
          );
          const { reportedIds, expected } = await runLife(account, lived);
          expect(reportedIds.toSorted()).toEqual(expected.toSorted());
        } finally {
          await account.close();
        }
      }),
      { numRuns: scaleRuns(8) },
    );
  },
);

async function runLife(account: Awaited<ReturnType<typeof openAccount>>, life: readonly Step[]) {
  const { emulator, begin, pass } = account;
  begin(30 * minute);
  begin(minute, { ago: hour });
  const follower = account.follow();
  await follower.poll();
  const reportedIds: (string | undefined)[] = [];
  const before = new Set(pickIds(emulator.world.sessions.filter(({ ended_at }) => ended_at !== null)));
  for (const step of life) {
    if (step.do === "pass") pass(step.minutes * minute);
    if (step.do === "begin") for (let n = 0; n < step.count; n++) begin((step.minutes + n) * minute);
    if (step.do !== "poll") continue;
    if (step.fails)
      emulator.addFault({
        skip: step.fails === "first request" ? 0 : 1,
        do: { kind: "drop", when: "before" },
      });
    if (step.changes)
      emulator.addFault({
        ...{ match: { path: "/v1/sessions?type=historic" }, times: 3 },
        do: {
          kind: "run",
          run() {
            pass(minute);
            for (let n = 0; n < 3; n++) begin(30_000 + n * 40_000);
          },
        },
      });
    const poll = await follower.poll().catch(() => undefined);
    reportedIds.push(...pickIds(poll?.ended ?? []));
    emulator.clearFaults();
  }
  pass(24 * hour);
  for (let n = 0; n < 2; n++) reportedIds.push(...pickIds((await follower.poll()).ended));
  const expected = pickIds(emulator.world.sessions).filter((id) => !before.has(id ?? ""));
  return { reportedIds, expected };
}
