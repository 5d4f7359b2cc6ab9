/** Checks the output of `sessions watch` as text and JSON. */
import { describe, expect, test } from "vitest";
import { createSessionId, listLines, type Step, watch } from "./watching.js";

const minute = 60_000;
const hour = 60 * minute;

describe("sessions watch", () => {
  test("prints a line for each active, started and ended session, then totals", async () => {
    const { exit, stdout, stderr, scene } = await watch(
      [() => {}, ({ begin }) => begin(2), ({ end }) => end(1, "USER_DISCONNECTED", { credits_consumed: 0 })],
      { before: ({ begin }) => begin(1, 4 * minute, { is_sandbox: true }) },
    );
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: "" });
    expect(listLines(stdout)).toEqual([
      `14:00:00 active ${createSessionId(1)} HOLOGRAM KIOSK sandbox`,
      "14:00:00 1 active (1 in sandbox mode); today 1 session (1 in sandbox mode), 0 credits",
      `14:00:10 started ${createSessionId(2)} HOLOGRAM KIOSK`,
      "14:00:10 2 active (1 in sandbox mode); today 2 sessions (1 in sandbox mode), 0 credits",
      `14:00:15 ended ${createSessionId(1)} USER_DISCONNECTED after 4 min 15 s, 0 credits sandbox`,
      "14:00:15 1 active; today 2 sessions (1 in sandbox mode), 2 credits",
    ]);
    expect(scene.pauses).toEqual([5_000, 5_000, 5_000, 5_000]);
    expect(new Set(scene.emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("counts ended and active sessions created today", async () => {
    const { stdout } = await watch([], {
      before({ begin, end }) {
        // More sessions than fit on one page.
        for (let id = 10; id < 130; id++) {
          begin(id, 22 * hour - id * minute);
          end(id, "USER_CLOSED", { credits_consumed: 1000 });
        }
        begin(1, 15 * hour);
        end(1, "USER_CLOSED", { credits_consumed: 100 });
        begin(2, 13 * hour);
        end(2, "USER_CLOSED", { credits_consumed: 0.1 });
        begin(3, 12 * hour);
        end(3, "USER_CLOSED", { credits_consumed: 0.2, is_sandbox: true });
        begin(4, 30 * 1000);
        begin(5, 14.5 * hour);
      },
    });
    expect(listLines(stdout).at(-1)).toBe(
      "14:00:00 2 active; today 3 sessions (1 in sandbox mode), 2.3 credits",
    );
  });

  test.each([
    ["UTC", "2026-11-22T23:30:00Z", 2],
    ["Europe/Berlin", "2026-11-22T23:30:00Z", 1],
    ["America/New_York", "2026-11-22T23:30:00Z", 2],
  ])("starts the day at midnight in the time zone %s", async (zone, begun, sessions) => {
    const before: Step = ({ begin }) => {
      begin(1, hour);
      begin(2, 5 * minute);
    };
    const { stdout } = await watch([], { begun, before }, "--time-zone", zone);
    expect(stdout).toContain(`; today ${sessions} session`);
  });

  test("resets totals at midnight and counts late session ends for the previous day", async () => {
    const { stdout } = await watch(
      [() => {}, ({ end }) => end(1, "USER_CLOSED", { credits_consumed: 80 }), ({ begin }) => begin(2)],
      { begun: "2026-11-22T23:59:56Z", before: ({ begin }) => begin(1, hour) },
    );
    expect(listLines(stdout)).toEqual([
      `23:59:56 active ${createSessionId(1)} HOLOGRAM KIOSK`,
      "23:59:56 1 active; today 1 session, 120 credits",
      "00:00:01 1 active; today 0 sessions, 0 credits",
      `00:00:06 ended ${createSessionId(1)} USER_CLOSED after 1 h, 80 credits`,
      "00:00:06 0 active; today 0 sessions, 0 credits",
      `00:00:11 started ${createSessionId(2)} HOLOGRAM KIOSK`,
      "00:00:11 1 active; today 1 session, 0 credits",
    ]);
  });

  test("uses the service's clock instead of the local one", async () => {
    const { stdout } = await watch([({ begin }) => begin(1)], {
      begun: "2026-11-22T01:00:00Z",
      skewMs: -3 * hour,
    });
    expect(listLines(stdout).slice(0, 2)).toEqual([
      "01:00:00 0 active; today 0 sessions, 0 credits",
      `01:00:05 started ${createSessionId(1)} HOLOGRAM KIOSK`,
    ]);
    expect(stdout.split("\n")[0]).toMatch(/^2026-11-22T01/);
    expect(stdout).toContain("today 1 session,");
  });

  test("prints one JSON document per line with --format json", async () => {
    const { stdout } = await watch(
      [({ begin }) => begin(2), ({ end }) => end(2, "NO_CREDITS", { duration: 5 })],
      { before: ({ begin }) => begin(1, minute) },
      "--format",
      "json",
    );
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(documents.map(({ event }) => event)).toEqual([
      ...["active", "summary", "started", "summary", "ended", "summary"],
    ]);
    expect(documents[4]).toMatchObject({
      format: "avatarops/session-event",
      version: 1,
      at: "2026-11-22T14:00:10.000Z",
      session: { id: createSessionId(2), end_reason: "NO_CREDITS", duration: 5 },
    });
    expect({ ...documents[5], at: "" }).toEqual({
      ...{ format: "avatarops/session-event", version: 1, event: "summary", at: "" },
      ...{ active: 1, active_sandbox: 0, unknown: {} },
      today: {
        since: "2026-11-22T00:00:00.000Z",
        ...{ sessions: 2, sandbox_sessions: 0, credits_consumed: 4, sessions_without_credits: 0 },
      },
    });
  });

  test("prints hostile text in one short line without escape sequences", async () => {
    const reason = `\u001B[2J\u001B]0;owned\u0007\r\n##[error]\u202Efoo ${"x".repeat(10_000)}`;
    const steps: Step[] = [
      ({ begin, end }) => {
        begin(1);
        end(1, reason);
      },
    ];
    const [text, json] = [await watch(steps), await watch(steps, {}, "--format", "json")];
    for (const { stdout } of [text, json])
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]|##\[/);
    expect(listLines(text.stdout)).toHaveLength(4);
    expect(Math.max(...listLines(text.stdout).map((line) => line.length))).toBeLessThan(200);
    expect(JSON.parse(json.stdout.split("\n")[2] ?? "").session.end_reason).toBe(reason);
  });

  test("uses colors only if requested", async () => {
    const before: Step = ({ begin }) => begin(1);
    const colored = await watch([], { before, environment: { FORCE_COLOR: "1" } });
    const plain = await watch([], { before, environment: { FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001B");
    expect(colored.stdout).not.toBe(plain.stdout);
    expect(colored.stdout.replaceAll(/\u001B\[[\d;]*m/g, "")).toBe(plain.stdout);
  });

  test("counts unrecognized entries and continues", async () => {
    const body = JSON.stringify({ code: 100, data: { count: 2, results: [{ id: "1" }, { id: 7 }] } });
    const { exit, stdout } = await watch([({ begin }) => begin(2)], {
      before: ({ emulator }) =>
        emulator.addFault({ match: { path: "/v1/sessions?type=active" }, do: { kind: "malformed", body } }),
    });
    expect(exit).toBe(130);
    expect(listLines(stdout)).toEqual([
      "14:00:00 active 1",
      expect.stringMatching(
        /^14:00:00 1 active; today 0 sessions, 0 credits; unrecognized entries: .*id is not a/,
      ),
      `14:00:05 started ${createSessionId(2)} HOLOGRAM KIOSK`,
      "14:00:05 1 active; today 1 session, 0 credits",
    ]);
  });

  test("reads durations in the manifest's unit", async () => {
    const manifest = "service: { session_duration_unit: minutes }\ncontexts: {}\n";
    const before: Step = ({ begin }) => begin(1, hour);
    const ended = ({ end }: Parameters<Step>[0]) => end(1, "IDLE_TIMEOUT", { duration: 60 });
    const { stdout } = await watch([ended], { manifest, before });
    expect(stdout).toContain("IDLE_TIMEOUT after 1 h, 0 credits\n");
  });

  test("exits when its output pipe closes", async () => {
    let close = () => {};
    const { exit, scene } = await watch([() => close(), () => {}], {
      onClosable: (given) => {
        close = given;
      },
    });
    expect([exit, scene.pauses]).toEqual([0, [5_000]]);
  });

  test("polls at the given --interval, but at most once per second", async () => {
    const { scene } = await watch([() => {}], {}, "--interval", "2m");
    expect(scene.pauses).toEqual([120_000, 120_000]);
    const { exit, stderr } = await watch([], {}, "--interval", "0.5s");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("at least 1s")]);
    expect((await watch([], {}, "--time-zone", "Mars/Olympus")).stderr).toContain("Europe/Berlin");
  });
});
