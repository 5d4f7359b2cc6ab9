/** Reads sessions with only a base URL and a key. */
import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";
import { createEndedSession } from "./serving.js";

const ended_at = new Date(Date.now() - 3_600_000).toISOString();
const sessions = Array.from({ length: 3 }, (_, n) => {
  const times = { created_at: ended_at, updated_at: ended_at, ended_at };
  return createEndedSession({ id: `5e000000-0000-4000-8000-00000000000${n}`, ...times, duration: 2 });
});

const start = (files: Readonly<Record<string, string>> = {}) =>
  startProject({ files, world: { ...createEmptyDataset(), sessions } });

describe("sessions without a project", () => {
  test("are listed and reported with the base URL and key from the environment", async () => {
    const { avatarops, has } = await start();
    const listed = await avatarops("sessions", "list", "--type", "historic", "--format", "json");
    expect(listed).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(listed.stdout).totals.all).toMatchObject({ sessions: 3, credits_consumed: 3 });
    const reported = await avatarops("sessions", "report", "--format", "json");
    expect(reported.exit).toBe(0);
    expect(JSON.parse(reported.stdout).totals).toMatchObject({ sessions: 3, credits_consumed: 3 });
    expect(has(".avatarops")).toBe(false);
  });

  test("cannot be listed if the base URL is missing or an option selects a project", async () => {
    const { avatarops, avataropsWith } = await start();
    const nowhere = await avataropsWith(
      { environment: { AVATAROPS_BASE_URL: undefined } },
      "sessions",
      "list",
    );
    expect(nowhere).toMatchObject({ exit: 1, stderr: matchText("there is no file avatarops.yaml") });
    for (const named of [
      ["--file", "other.yaml"],
      ["--env", "staging"],
    ])
      expect(await avatarops("sessions", "list", ...named)).toMatchObject({ exit: 1 });
  });
});

describe("session duration unit", () => {
  const unitOf = async (
    { avataropsWith }: Awaited<ReturnType<typeof start>>,
    environment: Readonly<Record<string, string>>,
    ...argv: string[]
  ) => {
    const { stdout } = await avataropsWith(
      { environment },
      "sessions",
      "report",
      "--format",
      "json",
      ...argv,
    );
    const { duration_unit, duration_unit_configured } = JSON.parse(stdout);
    return [duration_unit, duration_unit_configured];
  };

  test("comes from the command line, the project or the environment, in this order", async () => {
    const fromEnvironment = { AVATAROPS_SESSION_DURATION_UNIT: "minutes" };
    const bare = await start();
    expect(await unitOf(bare, {})).toEqual(["seconds", false]);
    expect(await unitOf(bare, fromEnvironment)).toEqual(["minutes", true]);
    const project = await start({ "avatarops.yaml": "service: { session_duration_unit: milliseconds }\n" });
    expect(await unitOf(project, fromEnvironment)).toEqual(["milliseconds", true]);
    expect(await unitOf(project, fromEnvironment, "--duration-unit", "seconds")).toEqual(["seconds", true]);
    const { stdout } = await project.avatarops("sessions", "report", "--duration-unit", "minutes");
    expect(stdout).toMatch(/Longest +2 min[\s\S]*in minutes, as configured/);
  });

  test("is rejected from any source if it is invalid", async () => {
    const { avatarops, avataropsWith } = await start();
    expect(await avatarops("sessions", "list", "--duration-unit", "hours")).toMatchObject({ exit: 1 });
    const wrong = await avataropsWith(
      { environment: { AVATAROPS_SESSION_DURATION_UNIT: "hours" } },
      ...["sessions", "list"],
    );
    expect(wrong).toMatchObject({
      exit: 1,
      stderr: matchText("AVATAROPS_SESSION_DURATION_UNIT must be one of"),
    });
  });
});
