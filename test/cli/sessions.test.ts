import { describe, expect, test } from "vitest";
import { emptyDataset, type Session } from "../../src/emulator/index.js";
import { startProject } from "./hosting.js";

const files = { "avatarops.yaml": "contexts: {}\n" };

describe("sessions list", () => {
  test("reads every page and adds up, with sandbox sessions apart", async () => {
    const sessions = many(205, (n) => ({
      is_sandbox: n % 5 === 0,
      duration: 60,
      credits_consumed: n % 5 === 0 ? 0 : 2,
    }));
    const { avatarops } = await startProject({ files, world: { ...emptyDataset(), sessions } });

    const listed = await avatarops("sessions", "list", "--type", "historic", "--format", "json");

    expect(listed).toMatchObject({ exit: 0, stderr: "" });
    const document = JSON.parse(listed.stdout);
    expect(new Set(document.sessions.map(({ id }: { id: string }) => id)).size).toBe(205);
    expect({ ...document, sessions: [] }).toEqual({
      format: "avatarops/sessions",
      version: 1,
      type: "historic",
      complete: true,
      totals: {
        all: {
          sessions: 205,
          duration: 12_300,
          sessions_without_duration: 0,
          credits_consumed: 328,
          sessions_without_credits: 0,
        },
        sandbox: {
          sessions: 41,
          duration: 2_460,
          sessions_without_duration: 0,
          credits_consumed: 0,
          sessions_without_credits: 0,
        },
      },
      sessions: [],
    });
  });

  test("shows enumeration values the document does not know", async () => {
    const sessions = many(1, () => ({ source: "PHONE", mode: "HOLOGRAM" }));
    const { avatarops } = await startProject({
      files,
      world: { ...emptyDataset(), sessions },
      emulator: { behaviour: { nulls: true } },
    });

    const listed = await avatarops("sessions", "list", "--type", "historic", "--format", "json");

    expect(listed.exit).toBe(0);
    expect(JSON.parse(listed.stdout).sessions).toMatchObject([{ source: "PHONE", mode: "HOLOGRAM" }]);
  });

  test("goes on where fields are missing, and says how many sessions state no number", async () => {
    const bare = { id: "5e000000-0000-4000-8000-000000000001" };
    const body = JSON.stringify({ code: 100, data: { count: 1, results: [bare] }, message: "" });
    const { avatarops, emulator } = await startProject({ files });
    emulator.addFault({ match: { path: "/v1/sessions" }, do: { kind: "malformed", body } });

    const listed = await avatarops("sessions", "list", "--format", "json");

    expect(listed.exit).toBe(0);
    const { sessions, totals } = JSON.parse(listed.stdout);
    expect(sessions).toMatchObject([bare]);
    expect(totals.all).toMatchObject({ sessions_without_duration: 1, sessions_without_credits: 1 });
  });

  test("asks for active sessions unless told otherwise", async () => {
    const { avatarops, emulator } = await startProject({ files });

    const listed = await avatarops("sessions", "list");

    expect(listed).toEqual({
      exit: 0,
      stdout: "  0 active sessions: duration 0 (unit not documented), 0 credits.\n",
      stderr: "",
    });
    expect(emulator.requests.map(({ method, query }) => [method, query.type])).toEqual([["GET", "active"]]);
  });

  test("is a table in Markdown", async () => {
    const sessions = many(2, () => ({ duration: 60, credits_consumed: 1 }));
    const { avatarops } = await startProject({ files, world: { ...emptyDataset(), sessions } });

    const listed = await avatarops("sessions", "list", "--type", "historic", "--format", "markdown");

    expect(listed.exit).toBe(0);
    expect(listed.stdout).toContain("2 historic sessions: duration 120");
    expect(listed.stdout.match(/<tr><td>/g)).toHaveLength(2);
  });
});

/** Sessions that have ended, told apart by their ids. */
function many(count: number, fieldsOf: (n: number) => Partial<Session>): Session[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `5e000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    avatar_id: "a0000000-0000-4000-8000-000000000000",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:01:00.000Z",
    ended_at: "2026-01-01T00:01:00.000Z",
    end_reason: "CLIENT_DISCONNECTED",
    source: "API",
    mode: "FULL",
    is_sandbox: false,
    max_session_duration: 600,
    duration: 60,
    credits_consumed: 1,
    ...fieldsOf(n),
  }));
}
