import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import type { SessionsReportDocument } from "../../src/output/documents/index.js";
import { type Beginning, type Setting, saying, startProject } from "./hosting.js";

const hourMs = 3_600_000;
const start = Date.parse("2026-03-01T00:00:00Z");

/** A project whose clock, and that of its service, is set by the test, in hours since the start. */
async function onClock(beginning: Beginning = {}, skewMs = 0) {
  const clock = { ms: start };
  const project = await startProject({
    world: emptyDataset(),
    emulator: { now: () => clock.ms },
    ...beginning,
  });
  const setting: Setting = { now: () => clock.ms + skewMs };
  const run = (...argv: string[]) => project.avataropsWith({ columns: 160, ...setting }, ...argv);
  return {
    project,
    run,
    at: (hour: number) => {
      clock.ms = start + hour * hourMs;
    },
    /** Sessions of these durations, in seconds, one after the other from that hour on. */
    talked(hour: number, durations: readonly number[], isSandbox = false) {
      for (const [n, duration] of durations.entries()) {
        const created = start + hour * hourMs + n * 60_000;
        project.emulator.addSession({
          created_at: new Date(created).toISOString(),
          updated_at: new Date(created + duration * 1000).toISOString(),
          ended_at: new Date(created + duration * 1000).toISOString(),
          ...{ duration, credits_consumed: duration / 100, is_sandbox: isSandbox },
        });
      }
    },
    async apply(prompt: string, more = "") {
      await project.write(
        "avatarops.yaml",
        `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n${more}`,
      );
      const ran = await run("apply", "-y");
      expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    },
    async report(...argv: string[]): Promise<SessionsReportDocument> {
      const ran = await run("sessions", "report", "--by", "deployment", "--format", "json", ...argv);
      expect(ran, ran.stderr).toMatchObject({ exit: 0 });
      return JSON.parse(ran.stdout);
    },
  };
}

/** Three applies, of which the second one changes no context, with sessions before, between and after. */
async function applied() {
  const it = await onClock({ environment: { KEY: "sk-1" } });
  it.at(24);
  await it.apply("Be kind.");
  it.at(36);
  const night = "  night: { name: Night, prompt: Whisper. }\n";
  const secrets =
    "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n";
  await it.apply("Be kind.", secrets);
  it.at(48);
  await it.apply("Be kinder.", `${night}${secrets}`);
  it.talked(12, [60, 80]);
  it.talked(30, [100, 120, 200]);
  it.talked(40, [300], true);
  it.talked(50, [10]);
  it.at(96);
  return it;
}

describe("sessions report --by deployment", () => {
  test("sets sessions beside each apply that changed a context, by time alone, and says so", async () => {
    const it = await applied();
    const { by, by_note, groups, incomplete } = await it.report("--since", "2026-03-01");
    expect(by).toBe("deployment");
    expect(by_note).toContain(
      "by time alone: the list of sessions does not say which context a session used",
    );
    expect(incomplete).toEqual([]);
    expect(groups).toMatchObject([
      {
        ...{ key: "2026-03-01T00:00:00.000Z", sessions: 2, credits_consumed: 1.4, duration: { median: 70 } },
        during: { since: "2026-03-01T00:00:00.000Z", until: "2026-03-02T00:00:00.000Z" },
      },
      {
        ...{
          key: "2026-03-02T00:00:00.000Z #1",
          sessions: 3,
          credits_consumed: 4.2,
          duration: { median: 120 },
        },
        sandbox_sessions: 1,
        during: { since: "2026-03-02T00:00:00.000Z", until: "2026-03-03T00:00:00.000Z" },
        deployment: {
          serial: 1,
          at: "2026-03-02T00:00:00.000Z",
          command: "avatarops apply",
          addresses: ["context.desk"],
          plan_digest: expect.stringMatching(/^1:/),
        },
      },
      {
        ...{ sessions: 1, credits_consumed: 0.1, duration: { median: 10 }, partial: true },
        deployment: { at: "2026-03-03T00:00:00.000Z", addresses: ["context.desk", "context.night"] },
      },
    ]);
    expect(groups[0]?.deployment).toBeUndefined();
  });

  test("shows before and after of each in a terminal and in Markdown", async () => {
    const it = await applied();
    const argv = ["sessions", "report", "--by", "deployment", "--since", "2026-03-01"];
    const { stdout } = await it.run(...argv);
    expect(stdout).toMatch(
      /2 Mar 2026, 00:00 #1 +context\.desk +2 → 3 +2 → 3 +1\.4 → 4\.2 +1 min 10 s → 2 min +\+71%/,
    );
    expect(stdout).toMatch(
      /3 Mar 2026, 00:00 #3 +context\.desk and 1 other +3 → 1 +3 → 0\.5 +4\.2 → 0\.1 +2 min → 10 s +−92%/,
    );
    expect(stdout).toEqual(saying("Sessions are set beside deployments by time alone"));
    const markdown = (await it.run(...argv, "--format", "markdown")).stdout;
    expect(markdown).toContain("2 min → 10 s");
    expect(markdown).toContain("by time alone");
  });

  test("fits 80 columns", async () => {
    const it = await applied();
    const argv = ["sessions", "report", "--by", "deployment", "--since", "2026-03-01"];
    const { stdout } = await it.project.avataropsWith(
      { now: () => start + 96 * hourMs, columns: 80 },
      ...argv,
    );
    expect(stdout).toContain("2 → 3");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("begins with what was live when the period began", async () => {
    const it = await applied();
    const { groups } = await it.report("--since", "2026-03-02T12:00");
    expect(groups).toMatchObject([
      {
        deployment: { serial: 1 },
        partial: true,
        sessions: 0,
        during: { since: "2026-03-02T12:00:00.000Z" },
      },
      { deployment: { addresses: ["context.desk", "context.night"] }, sessions: 1 },
    ]);
  });

  test("counts a rollback, and names what it went back to", async () => {
    const it = await applied();
    expect(await it.run("rollback", "--to", "1", "-y", "context.desk")).toMatchObject({ exit: 0 });
    it.at(97);
    const last = (await it.report("--since", "2026-03-01")).groups.at(-1);
    expect(last?.deployment).toMatchObject({ command: "avatarops rollback", restored: { serial: 1 } });
  });

  test("does not count what only records: a pull, an import, a failed change", async () => {
    const it = await applied();
    const before = (await it.report("--since", "2026-03-01")).groups.length;
    it.project.emulator.editContext("Desk", { prompt: "Edited." });
    expect(await it.run("pull")).toMatchObject({ exit: 0 });
    it.project.emulator.addFault("PATCH /v1/contexts/* 400 times=9");
    await it.project.write("avatarops.yaml", "contexts:\n  desk: { name: Desk, prompt: Refused. }\n");
    expect((await it.run("apply", "-y")).exit).not.toBe(0);
    it.project.emulator.clearFaults();
    expect((await it.report("--since", "2026-03-01")).groups).toHaveLength(before);
  });

  test("counts what an interrupted apply had done, from when it was found", async () => {
    const it = await applied();
    const file = ".avatarops/state.json.history";
    const [first = "", ...others] = (await it.project.read(file)).split("\n");
    const { results: _, ...record } = JSON.parse(first);
    const found = { ...record, recovered: true, command: "avatarops plan" };
    await it.project.write(file, [JSON.stringify(found), ...others].join("\n"));
    const [, group] = (await it.report("--since", "2026-03-01")).groups;
    expect(group?.deployment).toMatchObject({ serial: 1, recovered: true, addresses: ["context.desk"] });
  });

  test("is one group without a state, and says that no deployment is known", async () => {
    const it = await onClock({ files: { "avatarops.yaml": "contexts: {}\n" } });
    it.talked(1, [30]);
    it.at(24);
    const { groups } = await it.report("--since", "2026-03-01");
    expect(groups).toMatchObject([{ sessions: 1 }]);
    const { stdout } = await it.run("sessions", "report", "--by", "deployment", "--since", "2026-03-01");
    expect(stdout).toEqual(saying("No apply that changed a context is known of this period."));
  });

  test("says how many records the history lacks", async () => {
    const it = await applied();
    const file = ".avatarops/state.json.history";
    const lines = (await it.project.read(file)).trimEnd().split("\n");
    await it.project.write(file, `${lines.at(-1)}\n`);
    const cut = await it.report("--since", "2026-03-01");
    expect(cut.groups).toHaveLength(2);
    expect(cut.incomplete).toMatchObject([{ reason: "history-incomplete", count: lines.length - 1 }]);
    await rm(path.join(it.project.folder, file));
    const none = await it.report("--since", "2026-03-01");
    expect(none.groups).toMatchObject([{ sessions: 6 }]);
    expect(none.incomplete).toMatchObject([{ reason: "history-incomplete", count: lines.length }]);
    await writeFile(path.join(it.project.folder, file), "not a record\n");
    expect((await it.report("--since", "2026-03-01")).incomplete[0]?.count).toBe(lines.length + 1);
  });

  test("says when this machine's clock differs from the service's", async () => {
    const it = await onClock({}, 7 * 60_000);
    it.at(1);
    await it.apply("Be kind.");
    it.at(2);
    const { groups, incomplete } = await it.report("--since", "2026-03-01", "--until", "2026-03-01T01:30");
    expect(groups.at(-1)?.deployment?.at).toBe("2026-03-01T01:07:00.000Z");
    expect(incomplete).toMatchObject([
      { reason: "clocks-differ", message: saying("7 minutes ahead of that of the service") },
    ]);
  });

  test("reads no further back than the last deployment before the period, and takes no lock", async () => {
    const it = await onClock();
    const file = ".avatarops/state.json.history";
    for (const hour of [0, 30, 60, 90]) {
      it.at(hour);
      await it.apply(`Prompt of hour ${hour}.`);
    }
    const lines = (await it.project.read(file)).trimEnd().split("\n");
    await it.project.write(file, `${["damaged", ...lines.slice(1)].join("\n")}\n`);
    it.at(91);
    const { groups, incomplete } = await it.report("--since", "2026-03-04T17:00");
    expect(groups.map(({ deployment }) => deployment?.serial)).toEqual([3, 4]);
    expect(incomplete).toEqual([]);
    expect(it.project.has(".avatarops/state.json.lock")).toBe(false);
  });

  test("takes hundreds of applies", async () => {
    const it = await onClock();
    await it.apply("Be kind.");
    const file = ".avatarops/state.json.history";
    const [record = ""] = (await it.project.read(file)).split("\n");
    const state = JSON.parse(await it.project.read(".avatarops/state.json"));
    const applies = 400;
    const records = Array.from({ length: applies }, (_, n) =>
      JSON.stringify({
        ...JSON.parse(record),
        serial: n + 1,
        at: new Date(start + n * hourMs).toISOString(),
      }),
    );
    await it.project.write(file, `${records.join("\n")}\n`);
    await it.project.write(".avatarops/state.json", JSON.stringify({ ...state, serial: applies }));
    it.talked(200, [30, 40, 50]);
    it.at(applies);
    const { groups, incomplete } = await it.report("--since", "2026-03-01");
    expect(incomplete).toEqual([]);
    expect(groups).toHaveLength(applies);
    expect(groups.filter(({ sessions }) => sessions > 0)).toMatchObject([
      { sessions: 3, deployment: { serial: 201 } },
    ]);
  });
});
