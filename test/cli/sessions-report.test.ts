import { describe, expect, test } from "vitest";
import { createEmptyDataset, type Session } from "../../src/emulator/index.js";
import { matchText, type Project, type ProjectSetup, type Setting, startProject } from "./hosting.js";
import { createEndedSession } from "./serving.js";

/** Time on the service's clock. The local clock is hours behind. */
const now = Date.parse("2026-11-22T06:00:00Z");
const setting: Setting = { now: () => now - 5 * 3_600_000 };
const twoDays = ["--since", "2026-11-20T06:00", "--until", "2026-11-22T06:00"];

/** Sessions on two days, on the two days before, and outside both periods. */
const sessions = [
  createSessionAt("2026-11-22T06:00:00Z", { duration: 60, credits_consumed: 500 }),
  createSessionAt("2026-11-21T10:00:00Z", { duration: 60, credits_consumed: 0.1 }),
  createSessionAt("2026-11-21T11:00:00Z", { duration: 120, credits_consumed: 0.2, source: "PHONE" }),
  createSessionAt("2026-11-20T06:00:00Z", { duration: 600, credits_consumed: 5, mode: "HOLOGRAM" }),
  createSessionAt("2026-11-20T05:59:59Z", { duration: 10, credits_consumed: 2 }),
  createSessionAt("2026-11-18T05:59:59Z", { credits_consumed: 1000 }),
  createSessionAt("2026-11-21T12:00:00Z", { is_sandbox: true, duration: 60, credits_consumed: 0 }),
  createSessionAt("2026-11-22T05:58:30Z", { ended_at: null }),
];

describe("sessions report", () => {
  test("compares a period with the previous one and separates sandbox and active sessions", async () => {
    const report = await startReporter(sessions);

    const { exit, stdout, stderr } = await report(...twoDays, "--by", "source", "--format", "json");

    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const document = stdout
      .replace(/127\.0\.0\.1:\d+/, "service")
      .replace(/"(2026-11-22T06:00:).*"/, '"$1…"');
    await expect(document).toMatchFileSnapshot("golden/sessions-report.json.txt");
  });

  test("prints uncolored text to a pipe", async () => {
    const report = await startReporter(sessions);
    const { stdout } = await report(...twoDays, "--by", "day", "--budget", "100");
    const text = stdout.replace(/127\.0\.0\.1:\d+/, "service");
    await expect(text).toMatchFileSnapshot("golden/sessions-report.txt");
  });

  test("uses the service's clock instead of the local one", async () => {
    const report = await startReporter([
      createSessionAt("2026-11-22T05:00:00Z"),
      createSessionAt("2026-11-22T03:30:00Z"),
    ]);
    const { stdout } = await report("--since", "2h", "--format", "json");
    const { totals, previous_totals, period } = JSON.parse(stdout);
    expect([totals.sessions, previous_totals.sessions]).toEqual([1, 1]);
    expect(period.until).toMatch(/^2026-11-22T06:00:0/);
  });

  test("groups sessions by day in the given time zone", async () => {
    // 25 October has 25 hours in Berlin.
    const report = await startReporter([
      createSessionAt("2026-10-24T22:00:00Z"),
      createSessionAt("2026-10-25T22:59:59Z"),
      createSessionAt("2026-10-25T23:00:00Z"),
    ]);
    const zone = ["--since", "2026-10-25", "--until", "2026-10-27", "--time-zone", "Europe/Berlin"];
    const { stdout } = await report(...zone, "--by", "week", "--format", "json");
    const { days, groups, previous } = JSON.parse(stdout);
    expect(days).toEqual([
      { day: "2026-10-25", sessions: 2, credits_consumed: 2 },
      { day: "2026-10-26", sessions: 1, credits_consumed: 1 },
    ]);
    expect(groups).toMatchObject([
      { key: "2026-W43", sessions: 2, partial: true },
      { key: "2026-W44", sessions: 1, partial: true },
    ]);
    expect(previous.since).toBe("2026-10-22T22:00:00.000Z");
  });

  test("reports an empty period without a comparison", async () => {
    const report = await startReporter([]);
    const { exit, stdout } = await report("--since", "30d");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/Sessions +0 +0 +–\n/);
    expect(stdout).not.toMatch(/NaN|Infinity|per day/);
  });

  test.each([
    [["--since", "2026-12-01"], "--since is in the future"],
    [["--since", "2026-11-02", "--until", "2026-11-01"], "--since must be before --until"],
    [["--since", "2000-01-01"], "at most ten years"],
    [["--budget", "much"], "It must be a number of credits such as 500 or 12.5."],
    [["--time-zone", "Berlin"], "It must be a time zone name"],
  ])("rejects %j", async (argv, message) => {
    const report = await startReporter([]);
    const { exit, stdout, stderr } = await report(...argv);
    expect({ exit, stdout, stderr }).toEqual({ exit: 1, stdout: "", stderr: matchText(message) });
  });
});

test("shows costs (at the given price per credit) and concurrent sessions in sessions report", async () => {
  const price = "service: { credit_price: { amount: 0.12, currency: EUR } }\ncontexts: {}\n";
  const talked = (from: string, duration: number) =>
    createSessionAt(from, {
      duration,
      ended_at: new Date(Date.parse(from) + duration * 1_000).toISOString(),
      credits_consumed: 2.5,
    });
  const three = [
    talked("2026-11-21T10:00:00Z", 600),
    talked("2026-11-21T10:05:00Z", 600),
    talked("2026-11-21T10:10:00Z", 60),
  ];
  const report = await startReporter(three, { files: { "avatarops.yaml": price } });
  const json = await report(...twoDays, "--budget", "10", "--by", "day", "--format", "json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    credit_price: { amount: 0.12, currency: "EUR" },
    totals: { credits_consumed: 7.5, cost: 0.9 },
    groups: [{ cost: 0 }, { cost: 0.9 }, { cost: 0 }],
    budget: { consumed: 7.5, cost: 0.9 },
  });
  const { stdout } = await report(...twoDays, "--budget", "10", "--by", "day");
  expect(stdout).toMatch(/Cost +0\.90 EUR/);
  expect(stdout).toContain("7.5 of 10 credits consumed (75%), 0.90 EUR");
});

test.each(["text", "markdown", "html", "json"])(
  "shows no costs in sessions report if the service sends no credits: %s",
  async (format) => {
    const price = "service: { credit_price: { amount: 0.12, currency: EUR } }\ncontexts: {}\n";
    const entries = [{ id: "s-1", created_at: "2026-11-21T10:00:00Z", duration: 60 }];
    const { project, report } = await startWithSessions([], { files: { "avatarops.yaml": price } });
    for (const type of ["active", "historic"]) {
      const results = entries.map((entry) => ({ ...entry, id: type }));
      const body = JSON.stringify({ code: 100, data: { count: 1, results } });
      project.emulator.addFault({
        match: { path: `/v1/sessions?type=${type}` },
        do: { kind: "malformed", body },
        times: 100,
      });
    }
    const { exit, stdout } = await report(...twoDays, "--format", format);
    expect(exit).toBe(0);
    if (format !== "json") {
      expect(stdout).toContain("Still active (counted separately): 1 session.");
      expect(stdout.match(/Cost\b.{0,60}–/s)).not.toBeNull();
      // The previous period has no sessions, so it cost nothing.
      expect(stdout.match(/0\.00 EUR/g)).toHaveLength(format === "html" ? 2 : 1);
      return;
    }
    const { totals, active, previous_totals } = JSON.parse(stdout);
    expect([totals.sessions, active.sessions]).toEqual([1, 1]);
    expect([totals.cost, active.cost, previous_totals.cost]).toEqual([undefined, undefined, 0]);
  },
);

describe("sessions report budget", () => {
  test.each(["text", "markdown", "json"])("is reported as kept or exceeded in %s format", async (format) => {
    const report = await startReporter(sessions);
    // Ended sessions used 5.3 credits, and the active session used 4.
    const kept = await report(...twoDays, "--budget", "9.3", "--format", format);
    const exceeded = await report(...twoDays, "--budget", "9.29", "--format", format);
    expect([kept.exit, kept.stderr, exceeded.exit]).toEqual([0, "", 7]);
    expect(exceeded.stdout + exceeded.stderr).toContain(
      "Budget exceeded: 9.3 of 9.29 credits consumed (100.1%).",
    );
    if (format === "json")
      expect(JSON.parse(exceeded.stdout).budget).toEqual({
        credits: 9.29,
        consumed: 9.3,
        status: "exceeded",
      });
    else expect(kept.stdout).toContain("Budget kept: 9.3 of 9.3 credits consumed (100%).");
  });

  test("counts the credits of ended sandbox sessions, in case the service charges them", async () => {
    const report = await startReporter([
      createSessionAt("2026-11-21T10:00:00Z", { credits_consumed: 1 }),
      createSessionAt("2026-11-21T12:00:00Z", { is_sandbox: true, credits_consumed: 50 }),
    ]);
    const { exit, stdout } = await report(...twoDays, "--budget", "50");
    expect(exit).toBe(7);
    expect(stdout).toContain("Sandbox sessions (counted separately): 1");
    expect(stdout).toContain("Budget exceeded: 51 of 50 credits consumed (102%).");
  });

  const entry = { id: "5e000000-0000-4000-8000-000000000001", created_at: "2026-11-21T10:00:00Z" };
  test.each<[name: string, reason: string, entries: readonly unknown[], count?: number]>([
    ["an entry without credits", "sessions-without-credits", [{ ...entry, duration: 1 }]],
    ["credits of another type", "sessions-without-credits", [{ ...entry, credits_consumed: "5" }]],
    ["an infinite number of credits", "sessions-without-credits", [{ ...entry, credits_consumed: "1e999" }]],
    ["an entry without an id", "unknown-entries", [{ ...entry, id: undefined, credits_consumed: 1 }]],
    ["an entry that is not an object", "unknown-entries", ["session"]],
    [
      "an entry without a time",
      "sessions-without-time",
      [{ ...entry, created_at: null, credits_consumed: 1 }],
    ],
    [
      "a time in the future",
      "sessions-in-future",
      [{ ...entry, created_at: "2026-11-23T10:00:00Z", credits_consumed: 1 }],
    ],
    ["fewer entries than counted", "unstable-list", [{ ...entry, credits_consumed: 1 }], 3],
  ])(
    "is not reported as kept if the session list contains %s",
    async (_, reason, entries, count = entries.length) => {
      const { project, report } = await startWithSessions([]);
      const data = { code: 100, data: { count, results: entries }, message: "" };
      const body = JSON.stringify(data).replace('"1e999"', "1e999");
      project.emulator.addFault({
        match: { path: "/v1/sessions?type=historic" },
        do: { kind: "malformed", body },
        times: 100,
      });
      const { exit, stdout, stderr } = await report(...twoDays, "--budget", "500", "--format", "json");
      const document = JSON.parse(stdout);
      expect(document.incomplete.map((one: { reason: string }) => one.reason)).toContain(reason);
      expect([exit, document.budget.status]).toEqual([1, "unknown"]);
      expect(stderr).toContain("Budget not checked");
    },
  );
});

/** Returns an ended session whose id contains the time of its creation. */
function createSessionAt(created_at: string, fields: Partial<Session> = {}): Session {
  const tail = String(Date.parse(created_at) / 1000).padStart(12, "0");
  const id = `5e000000-0000-4000-8000-${tail}`;
  return createEndedSession({ id, created_at, updated_at: created_at, ended_at: created_at, ...fields });
}

async function startWithSessions(listed: readonly Session[], setup: ProjectSetup = {}) {
  const project: Project = await startProject({
    files: { "avatarops.yaml": "contexts: {}\n" },
    world: { ...createEmptyDataset(), sessions: [...listed] },
    emulator: { now: () => now },
    ...setup,
  });
  const report = (...argv: string[]) => project.avataropsWith(setting, "sessions", "report", ...argv);
  return { project, report };
}

async function startReporter(listed: readonly Session[], setup: ProjectSetup = {}) {
  return (await startWithSessions(listed, setup)).report;
}
