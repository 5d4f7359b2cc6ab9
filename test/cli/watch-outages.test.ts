/** Checks `sessions watch` while the service is unavailable or rejects requests. */
import { describe, expect, test } from "vitest";
import { matchText } from "./hosting.js";
import { createSessionId, listLines, type Step, watch } from "./watching.js";

/** Attempts per poll. */
const attempts = 6;
const wait: Step = () => {};

function failFor(status: number, looks: number): Step {
  const match = { path: "/v1/sessions" };
  return ({ emulator }) =>
    emulator.addFault({ match, times: looks * attempts, do: { kind: "status", status } });
}

function createRateLimitStep(seconds: number): Step {
  const headers = { "retry-after": String(seconds) };
  return ({ emulator }) => emulator.addFault({ do: { kind: "status", status: 429, headers } });
}

describe("sessions watch", () => {
  test("survives an outage, backs off, and reports sessions that ended meanwhile", async () => {
    const { exit, stdout, stderr, scene } = await watch(
      [
        failFor(503, 5),
        ...[wait, wait, wait],
        ({ begin, end }) => {
          end(1, "SERVER_ERROR", { credits_consumed: 3 });
          begin(2);
          end(2, "ZOMBIE_SESSION_REAP", { credits_consumed: 1 });
        },
        wait,
      ],
      { before: ({ begin }) => begin(1) },
    );
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: "" });
    expect(scene.pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 5_000]);
    expect(listLines(stdout)).toEqual([
      `14:00:00 active ${createSessionId(1)} HOLOGRAM KIOSK`,
      "14:00:00 1 active; today 1 session, 0 credits",
      expect.stringMatching(/^14:00:05 nothing seen since 14:00:00: GET .*the service failed \(HTTP 503,/),
      "14:03:15 available again, after 3 min 15 s",
      `14:02:15 started ${createSessionId(2)} HOLOGRAM KIOSK`,
      `14:02:15 ended ${createSessionId(2)} ZOMBIE_SESSION_REAP after 0 s, 1 credit`,
      `14:02:15 ended ${createSessionId(1)} SERVER_ERROR after 2 min 15 s, 3 credits`,
      "14:03:15 0 active; today 2 sessions, 4 credits",
    ]);
  });

  test("reports when the cause of an outage changes", async () => {
    const { stdout } = await watch(
      [
        failFor(502, 1),
        ({ emulator }) => emulator.addFault({ times: attempts, do: { kind: "drop", when: "before" } }),
        wait,
      ],
      {},
      ...["--format", "json"],
    );
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ event, problem }) => [event, problem?.code]);
    expect(events).toEqual([
      ["summary", undefined],
      ["unavailable", "unavailable"],
      ["unavailable", "no-response"],
      ["available", undefined],
    ]);
  });

  test("starts during an outage", async () => {
    const { stdout, scene } = await watch([wait], { before: failFor(500, 1) });
    expect(listLines(stdout)).toEqual([
      expect.stringMatching(/^14:00:00 nothing seen yet: .*HTTP 500/),
      "14:00:10 available again",
      "14:00:10 0 active; today 0 sessions, 0 credits",
    ]);
    expect(scene.pauses).toEqual([10_000, 5_000]);
  });

  test("picks up today's sessions later if the first poll misses them", async () => {
    const { stdout } = await watch([wait], {
      before({ begin, end, emulator }) {
        begin(1, 60_000);
        end(1, "USER_CLOSED", { credits_consumed: 5 });
        const historic = { path: "/v1/sessions?type=historic" };
        emulator.addFault({ match: historic, skip: 1, times: attempts, do: { kind: "cut" } });
      },
    });
    expect(listLines(stdout).at(-1)).toBe("14:00:10 0 active; today 1 session, 5 credits");
  });

  test("waits as long as Retry-After requires after a 429", async () => {
    const { stdout, scene } = await watch([createRateLimitStep(300), wait]);
    expect(scene.pauses).toEqual([5_000, 300_000, 5_000]);
    expect(listLines(stdout)[1]).toMatch(/nothing seen since 14:00:00: .*limiting requests/);
  });

  test.each([401, 403])(
    "exits with an error if the key is rejected with %d, initially or later",
    async (status) => {
      const refused = failFor(status, 100);
      for (const [steps, before] of [
        [[], refused],
        [[wait, refused], wait],
      ] as const) {
        const { exit, stderr, scene } = await watch(steps, { before });
        expect([exit, stderr]).toEqual([1, matchText("The key came from")]);
        expect(scene.pauses).toHaveLength(steps.length);
      }
    },
  );

  test("exits if the first poll returns a proxy's 404 page, but continues if a later poll does", async () => {
    const page = { kind: "status", status: 404, body: "<html><title>No backend</title></html>" } as const;
    const match = { path: "/v1/sessions" };
    const wrong = await watch([], { before: ({ emulator }) => emulator.addFault({ match, do: page }) });
    expect([wrong.exit, wrong.scene.pauses]).toEqual([1, []]);
    const later = await watch([({ emulator }) => emulator.addFault({ match, do: page }), wait]);
    expect([later.exit, later.scene.pauses]).toEqual([130, [5_000, 10_000, 5_000]]);
  });

  test("prints its final error as one line with --format json", async () => {
    const { exit, stdout } = await watch([failFor(401, 100)], {}, "--format", "json");
    const lines = stdout.trimEnd().split("\n");
    expect(exit).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { event: "summary" },
      { format: "avatarops/error", code: "unauthorized" },
    ]);
  });
});
