/** A signal ends a process that computes: what cannot be called back can still be stopped. */
import { hostname } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import { newFolder, type Project, startProject } from "../cli/hosting.js";
import { type Ended, start } from "./child.js";

const busy = new URL("./busy.mjs", import.meta.url).href;
const manifest = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

/** A command that has begun to compute and will not end by itself. */
async function startBusy(folder: string, args: readonly string[], environment: Record<string, string>) {
  const { child, ended } = start(folder, args, environment);
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (text: string) => text.includes("computing") && resolve());
    ended.then(({ stdout, stderr }) => reject(new Error(`It ended: ${stdout}${stderr}`)), reject);
  });
  return {
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** As somebody who presses Ctrl-C until it helps. */
    async keepPressing(): Promise<Ended> {
      const pressing = setInterval(() => child.kill("SIGINT"), 50);
      return ended.finally(() => clearInterval(pressing));
    },
  };
}

async function startBusyAt(text: string, ...args: string[]) {
  const project = await startProject({ files: { "avatarops.yaml": manifest }, world: emptyDataset() });
  const running = await startBusy(project.folder, args, {
    AVATAROPS_BASE_URL: project.emulator.url,
    AVATAROPS_API_KEY: "test-key",
    AVATAROPS_TEST_BUSY_AT: text,
    NODE_OPTIONS: `--import ${busy}`,
  });
  return { project, running };
}

async function expectRecovered(project: Project): Promise<void> {
  const later = { hostname: hostname(), now: () => Date.now() + 60_000 };
  expect(await project.avataropsWith(later, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect([...project.emulator.world.contexts]).toHaveLength(1);
  await project.expectNothingToDo();
}

describe("a command that computes for ever", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "in a definition is ended by one %s",
    async (signal) => {
      const folder = await newFolder();
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${folder}/avatarops.config.ts`, 'console.error("computing");\nfor (;;);\n');
      const running = await startBusy(folder, ["validate"], {});
      running.kill(signal);
      expect(await running.ended).toMatchObject({ exit: null, signal });
    },
  );

  test.each(["SIGINT", "SIGTERM"] as const)("on an answer, planning, is ended by one %s", async (signal) => {
    const { running } = await startBusyAt('"results"', "plan");
    running.kill(signal);
    expect(await running.ended).toMatchObject({ exit: null, signal });
  });

  test("on an answer, before an apply writes, is ended by one SIGTERM, and the next apply goes on", async () => {
    const { project, running } = await startBusyAt('"results"', "apply", "--auto-approve");
    running.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ exit: null, signal: "SIGTERM" });
    await expectRecovered(project);
  });

  test.each([
    ["before an apply writes", '"results"'],
    ["while an apply writes", '"opening_text"'],
  ])(
    "on an answer, %s, is ended by Ctrl-C pressed again, and the next apply goes on",
    async (_when, text) => {
      const { project, running } = await startBusyAt(text, "apply", "--auto-approve");
      expect(await running.keepPressing()).toMatchObject({ exit: null, signal: "SIGINT" });
      await expectRecovered(project);
    },
  );
});
