import { describe, expect, test } from "vitest";
import {
  type Behavior,
  createEmptyDataset,
  createEndedSessions,
  type Emulator,
  type Session,
} from "../../src/emulator/index.js";
import { createStopper, matchText, startProject } from "./hosting.js";
import { createEndedSession } from "./serving.js";

const files = { "avatarops.yaml": "contexts: {}\n" };

describe("sessions list", () => {
  test("reads every page and shows totals, with separate totals for sandbox sessions", async () => {
    const sessions = createSessions(205, (n) => ({
      is_sandbox: n % 5 === 0,
      duration: 60,
      credits_consumed: n % 5 === 0 ? 0 : 2,
    }));
    const { avatarops } = await startProject({ files, world: { ...createEmptyDataset(), sessions } });

    const listed = await avatarops("sessions", "list", "--type", "historic", "--format", "json");

    expect(listed).toMatchObject({ exit: 0, stderr: "" });
    const document = JSON.parse(listed.stdout);
    expect(new Set(document.sessions.map(({ id }: { id: string }) => id)).size).toBe(205);
    const { sessions: _, ...rest } = document;
    await expect(JSON.stringify(rest, undefined, 2)).toMatchFileSnapshot("golden/sessions-totals.json.txt");
  });

  test("lists active sessions by default", async () => {
    const { avatarops, emulator } = await startProject({ files });

    const listed = await avatarops("sessions", "list");

    expect(listed).toEqual({
      exit: 0,
      stdout: "  0 active sessions: duration 0 (unit not documented), 0 credits.\n",
      stderr: "",
    });
    expect(emulator.requests.map(({ method, query }) => [method, query.type])).toEqual([["GET", "active"]]);
  });
});

describe("sessions list with many sessions", () => {
  const nowMs = Date.parse("2026-06-01T12:00:00Z");
  const now = () => nowMs;
  const listed = ["sessions", "list", "--type", "historic"];

  async function start(count: number, behavior: Partial<Behavior> = {}, everyMs = 3_600_000) {
    const world = { ...createEmptyDataset(), sessions: createEndedSessions(count, nowMs, everyMs) };
    const project = await startProject({ files, world, emulator: { behavior, now } });
    return { ...project, ids: world.sessions.map(({ id }) => id).reverse() };
  }

  test("prints the same sessions in every format, newest first", async () => {
    const { avatarops, avataropsWith, ids } = await start(700);
    const json = JSON.parse((await avatarops(...listed, "--format", "json")).stdout);
    expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(json).toMatchObject({ complete: true, totals: { all: { sessions: 700 } } });
    const text = (await avataropsWith({ columns: 160 }, ...listed)).stdout;
    expect(text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g)).toEqual(ids);
    expect(text).toContain("700 historic sessions");
  });

  test.each(["newest", "created", "shuffled"] as const)(
    "reads the pages beyond a count that is too small: %s",
    async (listOrder) => {
      const { avatarops, ids } = await start(201, { listOrder, listCount: "too-small" });
      const json = JSON.parse((await avatarops(...listed, "--format", "json")).stdout);
      expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual(ids);
      expect(json.complete).toBe(true);
    },
  );

  test.each(["newest", "created", "shuffled"] as const)(
    "reads the pages beyond a capped count: %s",
    async (listOrder) => {
      const { avatarops, emulator, ids } = await start(450, { listOrder });
      await capCount(emulator, 200);
      const json = JSON.parse((await avatarops(...listed, "--format", "json")).stdout);
      expect(json.sessions.map(({ id }: { id: string }) => id)).toEqual(ids);
      expect(json.complete).toBe(true);
      const report = await avatarops("sessions", "report", "--since", "9w", "--format", "json");
      const { totals, sandbox } = JSON.parse(report.stdout);
      expect(totals.sessions + sandbox.sessions).toBe(450);
    },
  );

  test("repeats the table header if a later session needs another column", async () => {
    const sessions = createSessions(300, (n) => ({
      created_at: new Date(nowMs + n * 1000).toISOString(),
      source: n < 50 ? "A_SOURCE_WITH_A_LONG_NAME" : "API",
    }));
    const { avataropsWith } = await startProject({ files, world: { ...createEmptyDataset(), sessions } });
    const { stdout } = await avataropsWith({ columns: 160 }, ...listed);
    expect(stdout.match(/A_SOURCE_WITH_A_LONG_NAME/g)).toHaveLength(50);
    expect(stdout.match(/^ {2}session {2}/gm)).toHaveLength(2);
  });

  test.each([
    [["--since", "7d"], 167],
    [["--since", "2026-05-31", "--until", "2026-06-01"], 24],
    [["--since", "2026-05-31", "--until", "2026-06-01", "--time-zone", "Pacific/Kiritimati"], 24],
    [["--since", "2026-05-31T10:00+02:00", "--until", "2026-05-31T09:00Z"], 1],
  ])("filters by %j", async (filters, count) => {
    const { avatarops } = await start(450);
    const { stdout, exit } = await avatarops(...listed, ...filters, "--format", "json");
    const { sessions, totals } = JSON.parse(stdout);
    expect({ exit, sessions: sessions.length }).toEqual({ exit: 0, sessions: count });
    expect(totals.all.sessions).toBe(count);
  });

  test("lists all sessions of a period if a list by end time begins as if it were by creation time", async () => {
    const toTime = (minutes: number) => new Date(nowMs - 86_400_000 + minutes * 60_000).toISOString();
    const sessions = createSessions(300, (n) => {
      // The 51st session outlasts 50 others, so it is the last on the second page.
      const ended_at = toTime(n === 50 ? 100.6 : n + 0.5);
      return { created_at: toTime(n), ended_at, updated_at: ended_at };
    });
    const world = { ...createEmptyDataset(), sessions };
    const behavior = { listOrder: "updated" } as const;
    const { avatarops } = await startProject({ files, world, emulator: { behavior, now } });
    const { stdout } = await avatarops(...listed, "--since", toTime(60), "--format", "json");
    const expected = sessions.slice(60).map(({ id }) => id);
    expect(JSON.parse(stdout).sessions.map(({ id }: { id: string }) => id)).toEqual(expected.reverse());
  });

  test("reports unrecognized entries and continues", async () => {
    const { avatarops, emulator } = await start(0);
    const of = (n: number, fields: object = {}) => ({ ...createSessions(n + 1, () => ({}))[n], ...fields });
    const results = [
      ...[of(0), of(1), 7, { mode: "FULL" }, { id: of(2).id }, of(3, { created_at: "yesterday" })],
      of(4, { duration: "9 s", is_sandbox: "no", mode: "HOLOGRAM", rooms: [{ id: 1 }] }),
    ];
    const body = JSON.stringify({ code: 100, data: { count: results.length, results }, message: "" });
    emulator.addFault({ times: Number.POSITIVE_INFINITY, do: { kind: "malformed", body } });
    const json = JSON.parse((await avatarops(...listed, "--format", "json")).stdout);
    const counted = Object.fromEntries(
      json.unknown_entries.map((each: { problem: string; entries: number }) => [each.problem, each.entries]),
    );
    expect(json.sessions).toHaveLength(5);
    expect(json.complete).toBe(true);
    expect(Object.keys(counted).sort()).toEqual([
      "created_at is not a time",
      "duration is not a number",
      "is_sandbox is not a boolean",
      "no created_at",
      "no id",
      "not an object",
    ]);
    const text = await avatarops(...listed, "--since", "9w");
    expect(text).toMatchObject({ exit: 0 });
    expect(text.stdout).toContain("Unrecognized entries:");
    expect(text.stdout).toContain("Left out because their creation time is unknown:");
  });

  test("prints an incomplete document and fails if a page cannot be read", async () => {
    const { avatarops, emulator, ids } = await start(900, { listOrder: "newest" });
    emulator.addFault({
      match: { path: "/v1/sessions?page=6" },
      times: 99,
      do: { kind: "status", status: 404 },
    });
    emulator.addFault({
      match: { path: "/v1/sessions?page=5" },
      times: 99,
      do: { kind: "status", status: 500 },
    });
    const { exit, stdout, stderr } = await avatarops(...listed, "--format", "json");
    const { sessions, complete, totals } = JSON.parse(stdout);
    expect({ exit, complete }).toEqual({ exit: 1, complete: false });
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 400));
    expect(totals.all.sessions).toBe(400);
    expect(stderr).toContain("error[");
  });

  test("prints an incomplete document after a stop signal", async () => {
    const { avataropsWith, emulator } = await start(900, { listOrder: "newest" });
    const { stop, onStoppable } = createStopper();
    emulator.addFault({
      match: { path: "/v1/sessions?page=5" },
      do: { kind: "run", run: () => void stop("SIGTERM") },
    });
    const { exit, stdout } = await avataropsWith({ onStoppable }, ...listed, "--format", "json");
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      130,
      { format: "avatarops/sessions", complete: false },
    ]);
  });

  test.each(["newest", "updated"] as const)(
    "prints all sessions of the pages before one that cannot be read: %s",
    async (listOrder) => {
      // Sessions start every minute and take up to ten, so some wait until their position is known.
      const { avataropsWith, emulator, ids } = await start(450, { listOrder }, 60_000);
      const match = { path: "/v1/sessions?page=2" };
      emulator.addFault({ match, times: 99, do: { kind: "status", status: 500 } });
      const { exit, stdout } = await avataropsWith({ columns: 160 }, ...listed);
      const printed: readonly string[] = stdout.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
      expect([exit, printed.length]).toEqual([1, 100]);
      expect(printed).toEqual(ids.filter((id) => printed.includes(id)));
      const json = await avataropsWith({}, ...listed, "--format", "json");
      expect(json.exit).toBe(1);
      expect(JSON.parse(json.stdout).sessions.map(({ id }: { id: string }) => id)).toEqual(printed);
    },
  );

  test.each([
    ["--since", "yesterday", "It must be a time such as"],
    ["--since", "2026-02-30", "It must be a time such as"],
    ["--since", "1970-01-01T99:99", "It must be a time such as"],
    ["--since", "2026-02-28T24:00", "It must be a time such as"],
    ["--since", "2026-02-28T10:00+25:00", "It must be a time such as"],
    ["--since", "2026-02-28T10:00+01:60", "It must be a time such as"],
    ["--until", "7", "It must be a time such as"],
    ["--time-zone", "Mars/Olympus", "It must be a time zone name"],
  ])("rejects %s %s", async (option, value, message) => {
    const { avatarops } = await startProject({ files });
    expect(await avatarops(...listed, option, value)).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText(message),
    });
  });
});

/** Returns ended sessions with consecutive ids. */
function createSessions(count: number, fieldsOf: (n: number) => Partial<Session>): Session[] {
  const id = (n: number) => `5e000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  return Array.from({ length: count }, (_, n) => createEndedSession({ id: id(n), ...fieldsOf(n) }));
}

/** Limits the count of each page of ended sessions, and keeps `next`. */
async function capCount(emulator: Emulator, count: number): Promise<void> {
  for (let page = 1, next = "first"; next; page++) {
    const query = `/v1/sessions?type=historic&page=${page}&page_size=100`;
    const response = await fetch(`${emulator.url}${query}`, { headers: { "X-API-KEY": "test-key" } });
    const { data } = (await response.json()) as { data: { next: string } };
    next = data.next;
    const body = JSON.stringify({ code: 100, data: { ...data, count } });
    const times = Number.POSITIVE_INFINITY;
    emulator.addFault({ match: { path: query }, times, do: { kind: "malformed", body } });
  }
}
