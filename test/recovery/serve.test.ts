// @module-tag night
/** A process of `sessions serve` killed at any step on disk: the next one counts each session once. */
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { serving } from "../cli/serving.js";
import { thirds } from "../real/long.js";
import { start } from "./child.js";

/** On the same host, so that the lock of the killed one is seen to be a dead one's. */
const here = { hostname: hostname(), now: Date.now };

/** An account with a session that has ended since an earlier run. */
async function startCounted() {
  const project = {
    ...(await startProject({ files: { "avatarops.yaml": "contexts: {}\n" }, world: emptyDataset() })),
    now: Date.now,
    pass: () => {},
  };
  await serving(project, [], async () => {}, here);
  const at = new Date().toISOString();
  project.emulator.addSession({
    ended_at: at,
    end_reason: "USER_CLOSED",
    duration: 30,
    credits_consumed: 1.5,
  });
  return project;
}

type Counted = Awaited<ReturnType<typeof startCounted>>;

/** Runs the built command until it has polled, or is killed before that; says how it ended. */
async function runOnce({ folder, emulator }: Counted, dieAt: string) {
  const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
  const argv = ["sessions", "serve", "--port", "0", "--interval", "24h"];
  const { child, ended } = start(folder, argv, environment, dieAt);
  let url = "";
  child.stdout?.on("data", (text: string) => (url += text));
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!isOver) {
    const ready = url.includes("\n") && (await fetch(`${url.trim()}/readyz`).catch(() => undefined));
    if (ready && ready.status === 200) child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ended;
}

async function expectCountedOnce(project: Counted): Promise<void> {
  const seen: string[][] = [];
  const ran = await serving(
    project,
    [],
    async ({ metrics, next }) => {
      await next();
      seen.push(await metrics("ended_total"), await metrics("credits_total"), await metrics("seconds_sum"));
    },
    here,
  );
  expect(ran, ran.stderr).toMatchObject({ exit: 0 });
  expect(seen.map((lines) => lines.map((line) => line.split(" ")[1]))).toEqual([["1"], ["1.5"], ["30"]]);
}

describe("sessions serve killed at any step on disk", () => {
  for (const { which, isAlways, steps } of thirds(1)) {
    it(`counts each session once afterwards (${which})`, { tags: isAlways ? [] : "night" }, async () => {
      const whole = await runOnce(await startCounted(), "never:0");
      expect(whole, whole.stderr).toMatchObject({ exit: 0 });
      const total = Number(/steps: (\d+)/.exec(whole.stderr)?.[1]);
      expect(total).toBeGreaterThan(8);
      for (const step of steps(1, total)) {
        const project = await startCounted();
        const killed = await runOnce(project, `before:${step}`);
        expect(killed.signal, killed.stderr).toBe("SIGKILL");
        await expectCountedOnce(project);
      }
    });
  }
});
