// @module-tag ci
import { marked } from "marked";
import { expect, test } from "vitest";
import { createEmptyDataset, type Session } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";

const hostile = `##[command]::set-output name=x::y</script><img src=x onerror=alert(1)>"\u202E\u001B[2J\n::error::z`;
const now = Date.parse("2026-11-22T06:00:00Z");
const at = "2026-11-21T10:00:00.000Z";
const session: Session = {
  ...{ id: "5e000000-0000-4000-8000-000000000001", created_at: at, updated_at: at, ended_at: at },
  ...{ avatar_id: "a", max_session_duration: 600, is_sandbox: false, duration: 60, credits_consumed: 2 },
  ...{ mode: hostile, source: hostile, end_reason: hostile },
};

test("shows session data as plain text in every report format", async () => {
  const { avatarops } = await startProject({
    files: { "avatarops.yaml": "contexts: {}\n" },
    world: { ...createEmptyDataset(), sessions: [session] },
    emulator: { now: () => now },
  });
  for (const format of ["text", "markdown", "html", "json"]) {
    const { exit, stdout } = await avatarops("sessions", "report", "--by", "source", "--format", format);
    expect(exit).toBe(0);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]|^\s*::\w|##\w*\[/m);
    const page = format === "markdown" ? await marked(stdout, { gfm: true }) : stdout;
    if (format === "markdown" || format === "html") expect(page).not.toMatch(/<img|<\/?script/);
    expect(stdout).toContain("[command]");
  }
});

test("shows a transcript as plain text and keeps each speaker's words", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": "service: { profile: liveavatar }\n" },
    world: { ...createEmptyDataset(), sessions: [session] },
    emulator: { now: () => now, profile: "liveavatar" },
  });
  const line = { role: hostile, transcript: hostile, extra: hostile };
  const data = { session_active: false, next_timestamp: null, transcript_data: [line, line] };
  const body = JSON.stringify({ code: 1000, data, message: "Success" });
  const path = "/v1/sessions/*/transcript";
  project.emulator.addFault({ match: { path }, times: 2, do: { kind: "malformed", body } });
  const show = ["sessions", "show", session.id, "--transcript"];
  const { exit, stdout } = await project.avatarops(...show);
  expect(exit).toBe(0);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]|^\s*::\w|##\w*\[/m);
  // Continuation lines are indented, so they do not look like a second speaker.
  const [, spoken = ""] = stdout.split("\n\n");
  expect(spoken.match(/^ {2}(?! )/gm)).toHaveLength(2);
  const json = (await project.avatarops(...show, "--format", "json")).stdout;
  expect(json).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]|^\s*::\w|##\w*\[/m);
  expect(JSON.parse(json).transcript.transcript_data).toEqual([line, line]);
});
