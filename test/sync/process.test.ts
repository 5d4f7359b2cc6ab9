// @module-tag ci
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "./process.js";
import { startTeam } from "./team.js";

const formatDesk = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`;

test("applies new commits and serves metrics in a sync process until SIGTERM", async () => {
  const team = await startTeam("include: [more.yaml]\n");
  await team.commit({ "more.yaml": formatDesk("Be kind.") });
  const work = path.join(team.repository, "..", "work");
  const { child, ended, line, lines } = startProcess(team, "--work-dir", work, "--interval", "1s");

  await line(({ outcome }) => outcome === "applied");
  const { listens_on: url = "" } = await line(({ msg }) => msg === "started");
  expect([...team.emulator.world.contexts].map(({ prompt }) => prompt)).toEqual(["Be kind."]);

  const before = lines().length;
  const commit = await team.commit({ "more.yaml": formatDesk("Be kinder.") });
  await line(({ outcome }) => outcome === "applied", before);

  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics.split("\n")).toEqual(
    expect.arrayContaining([
      'avatarops_sync_cycles_total{outcome="applied"} 2',
      'avatarops_sync_cycles_total{outcome="failed"} 0',
      `avatarops_sync_commit_info{commit="${commit}"} 1`,
      'avatarops_sync_changes_total{action="update",status="applied"} 1',
      'avatarops_sync_service_requests_total{method="PATCH",status="200"} 1',
    ]),
  );
  expect(metrics.match(/^avatarops_sync_commit_info\{/gm)).toHaveLength(1);

  child.kill("SIGTERM");
  const { exit, stdout, stderr } = await ended;
  expect([exit, stderr]).toEqual([0, ""]);
  expect(lines().at(-1)).toMatchObject({ msg: "stopped" });
  expect(stdout + metrics).not.toMatch(/Be kind|test-key|correct-horse/);
  expect(readdirSync(work)).toEqual([]);
});

test("logs warnings from Node and libraries as JSON lines", async () => {
  const warn = `process.on("newListener", function warn(event) {
    if (event !== "warning") return;
    process.off("newListener", warn);
    setImmediate(() => process.emitWarning("Node 20 is old"));
  });`;
  const team = await startTeam(formatDesk("Be kind."), {
    environment: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warn)}` },
  });
  const { child, ended, line } = startProcess(team);
  expect(await line(({ msg }) => msg === "notice")).toMatchObject({
    level: "warn",
    problem: "Warning: Node 20 is old",
  });
  await line(({ msg }) => msg === "cycle");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ exit: 0, stderr: "" });
});

test("keeps sync within the rate limit and causes at most one rejection per create", async () => {
  const contexts = Array.from(
    { length: 12 },
    (_, at) => `  desk${at}: { name: Desk ${at}, prompt: Be kind. }\n`,
  );
  const team = await startTeam(`contexts:\n${contexts.join("")}`, {
    emulator: { behavior: { rateLimitPerSecond: 3 } },
  });
  const { child, ended, line } = startProcess(team);
  expect(await line(({ msg }) => msg === "cycle")).toMatchObject({ outcome: "applied" });
  expect(team.emulator.world.contexts).toHaveLength(12);
  const creates = team.emulator.requests.filter(({ method }) => method === "POST");
  expect(creates.length).toBeLessThanOrEqual(2 * 12);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ exit: 0 });
});

test("keeps sync responsive despite expensive include patterns", {
  tags: "night",
}, async () => {
  const hostile = Array.from({ length: 20 }, (_, at) => `  - "${"**/a/".repeat(150 + at)}*.yml"`);
  const team = await startTeam(`include:\n${hostile.join("\n")}\n`);
  await team.commit({ [`${"a/".repeat(400)}x.yaml`]: "{}" });
  const { child, ended, line } = startProcess(team);
  const { listens_on: url = "" } = await line(({ msg }) => msg === "started");
  expect(await line(({ msg }) => msg === "cycle")).toMatchObject({ outcome: "unchanged" });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ exit: 0, stderr: "" });
});

test("finishes and records a write and releases the lock before a sync process exits on SIGTERM", async () => {
  const team = await startTeam(formatDesk("Be kind."));
  let asked: (() => void) | undefined;
  const isWriting = new Promise<void>((resolve) => (asked = resolve));
  team.emulator.addFault({
    match: { method: "POST" },
    do: {
      kind: "run",
      async run() {
        asked?.();
        // Lets the signal arrive before the response.
        await isStopping;
      },
    },
  });
  const { child, ended, line } = startProcess(team);
  const isStopping = line(({ msg }) => msg === "stopping");
  await isWriting;
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ exit: 0 });
  expect([...team.emulator.world.contexts]).toHaveLength(1);
  const [state] = team.backend.states.values();
  expect([state?.lock, state?.text?.includes("context.desk")]).toEqual([undefined, true]);
  expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
});

test("removes a killed sync process's work folder at the next start, and shows sync in the history", async () => {
  const team = await startTeam("include: [more.yaml]\n");
  await team.commit({ "more.yaml": formatDesk("Be kind.") });
  const work = path.join(team.repository, "..", "work");
  const first = startProcess(team, "--work-dir", work);
  await first.line(({ outcome }) => outcome === "applied");
  const [left] = readdirSync(work);
  first.child.kill("SIGKILL");
  await first.ended.catch(() => undefined);
  expect(readdirSync(work)).toEqual([left]);
  const next = startProcess(team, "--work-dir", work);
  await next.line(({ msg }) => msg === "cycle");
  expect(readdirSync(work)).toEqual([expect.not.stringContaining(left ?? "")]);
  next.child.kill("SIGTERM");
  expect(await next.ended).toMatchObject({ exit: 0 });
  expect(readdirSync(work)).toEqual([]);
  expect(await team.atDesk("history")).toMatchObject({ stdout: expect.stringContaining("avatarops sync") });
});
