import { describe, expect, test } from "vitest";
import { matchText } from "./hosting.js";
import { begin, runSessionsServer, startProjectWithClock } from "./serving.js";

const full = 'mode="FULL",source="API",sandbox="false"';

describe("sessions serve", () => {
  test("shows active sessions and counts ended ones", async () => {
    const project = await startProjectWithClock();
    project.session(90);
    project.session(60, { mode: "LITE", source: "EMBED", is_sandbox: true });

    const ran = await runSessionsServer(project, [], async ({ metrics, next, pauses }) => {
      expect(await metrics("sessions_active")).toEqual([
        `avatarops_sessions_active{${full}} 1`,
        'avatarops_sessions_active{mode="LITE",source="EMBED",sandbox="true"} 1',
      ]);
      await next(120_000);
      const all = (await metrics()).join("\n");
      await expect(all).toMatchFileSnapshot("golden/sessions-serve.txt");
      await next();
      expect(await metrics("ended_total")).toHaveLength(2);
      expect(pauses).toEqual([30_000, 30_000, 30_000]);
    });

    expect(ran).toMatchObject({ exit: 0, stderr: matchText("Serving /metrics for Prometheus") });
    expect(project.emulator.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(ran.stdout + ran.stderr).not.toContain("test-key");
  });

  test("reports an outage, polls less often and omits active sessions from the metrics", async () => {
    const project = await startProjectWithClock();
    project.session(36_000);
    const ran = await runSessionsServer(project, [], async ({ metrics, get, next, pauses }) => {
      project.emulator.addFault({ times: Number.POSITIVE_INFINITY, do: { kind: "status", status: 503 } });
      await next();
      expect(await metrics("sessions_active")).toEqual([`avatarops_sessions_active{${full}} 1`]);
      expect(await metrics("sessions_up")).toEqual(["avatarops_sessions_up 0"]);
      for (let n = 0; n < 6; n++) await next();
      expect(await metrics("sessions_active")).toEqual([]);
      expect(await metrics("poll_errors")).toEqual([
        'avatarops_sessions_poll_errors_total{code="unavailable"} 7',
      ]);
      expect(await metrics("last_success")).toEqual([
        `avatarops_sessions_last_success_timestamp_seconds ${begin / 1000}`,
      ]);
      expect(pauses.map((ms) => ms / 1000)).toEqual([30, 10, 20, 40, 80, 160, 300, 300]);
      expect(await get("/healthz")).toEqual({ status: 200, text: "ok\n" });
      project.emulator.clearFaults();
      await next();
      expect(await metrics("sessions_active")).toEqual([`avatarops_sessions_active{${full}} 1`]);
    });
    expect(ran.exit).toBe(0);
    expect(ran.stderr.match(/could not be read/g)).toHaveLength(1);
    expect(ran.stderr.match(/can be read again/g)).toHaveLength(1);
  });

  test("is ready after the first successful poll", async () => {
    const project = await startProjectWithClock();
    project.emulator.addFault({ times: 6, do: { kind: "status", status: 503 } });
    await runSessionsServer(project, [], async ({ get, next, metrics }) => {
      expect(await get("/readyz")).toMatchObject({ status: 503 });
      expect(await metrics("last_success")).toEqual(["avatarops_sessions_last_success_timestamp_seconds 0"]);
      await next();
      expect(await get("/readyz")).toMatchObject({ status: 200 });
    });
  });

  test('limits the values of each metric label, and counts further or malformed values as "other"', async () => {
    const project = await startProjectWithClock();
    await runSessionsServer(project, [], async ({ next, metrics }) => {
      for (let n = 0; n < 40; n++) project.session(10, { mode: `MODE_${n}`, source: 'a"b\n{}' });
      await next();
      const modes = (await metrics("ended_total")).map(
        (line) => /mode="([^"]*)",source="other"/.exec(line)?.[1],
      );
      expect(modes.toSorted()).toEqual(
        [...Array.from({ length: 10 }, (_, n) => `MODE_${n}`), "other"].toSorted(),
      );
      expect(await metrics('mode="other",source="other",sandbox="false",reason="none"')).toEqual([
        'avatarops_sessions_ended_total{mode="other",source="other",sandbox="false",reason="none"} 30',
      ]);
    });
  });

  test("counts unrecognized entries and sessions without credits", async () => {
    const project = await startProjectWithClock();
    await runSessionsServer(project, [], async ({ next, metrics }) => {
      const created_at = new Date(begin + 10_000).toISOString();
      const id = (n: number) => `5e000000-0000-4000-8000-00000000000${n}`;
      const results = [
        { id: id(1), created_at, duration: "long", end_reason: "AGENT_HANG_UP", mode: "HOLOGRAM" },
        { id: id(2), created_at, duration: 30, credits_consumed: -5 },
        { mode: "FULL" },
        7,
      ];
      const body = JSON.stringify({ code: 100, data: { count: 4, results }, message: "" });
      project.emulator.addFault({
        match: { path: "/v1/sessions?type=historic" },
        do: { kind: "malformed", body },
      });
      await next();
      expect(await metrics("ended_total")).toEqual([
        'avatarops_sessions_ended_total{mode="HOLOGRAM",source="none",sandbox="false",reason="AGENT_HANG_UP"} 1',
        'avatarops_sessions_ended_total{mode="none",source="none",sandbox="false",reason="none"} 1',
      ]);
      expect(await metrics("incomplete_total")).toEqual([
        'avatarops_sessions_incomplete_total{missing="credits"} 2',
        'avatarops_sessions_incomplete_total{missing="duration"} 1',
      ]);
      const [unknown = ""] = await metrics("unknown_entries");
      expect(Number(unknown.split(" ")[1])).toBeGreaterThanOrEqual(2);
    });
  });

  test("accepts only requests with the machine's own host names", async () => {
    const project = await startProjectWithClock();
    await runSessionsServer(project, [], async ({ url, get }) => {
      const { port } = new URL(url);
      const statusOf = async (host: string) => (await get("/metrics", { host })).status;
      expect(await statusOf("127.0.0.1:9464")).toBe(200);
      expect(await statusOf(`localhost:${port}`)).toBe(200);
      expect(await statusOf(`attacker.example:${port}`)).toBe(421);
      for (const path of ["/", "/nothing"]) expect((await get(path)).status).toBe(404);
    });
  });
});

describe("sessions serve", () => {
  const nothing = async () => {
    throw new Error("It did not end.");
  };

  test("exits without changes if the key is rejected at the first poll", async () => {
    const project = await startProjectWithClock({ environment: { AVATAROPS_API_KEY: "wrong" } });
    expect(await runSessionsServer(project, [], nothing)).toMatchObject({
      exit: 1,
      stderr: matchText("AVATAROPS_API_KEY"),
    });
  });

  test("exits without changes if the port is taken", async () => {
    const project = await startProjectWithClock();
    await runSessionsServer(project, [], async ({ url }) => {
      const argv = ["--listen", new URL(url).host];
      expect(await runSessionsServer(project, argv, nothing)).toMatchObject({
        exit: 1,
        stderr: matchText("--listen"),
      });
    });
  });
});
