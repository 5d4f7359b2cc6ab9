/** Checks that signals end a process even while a long computation blocks its event loop. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { localMachine, newFolder, type Project, startProject } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { type Ended, start } from "./child.js";

const busy = new URL("./busy.mjs", import.meta.url).href;
const manifest = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

/** Starts a command that computes forever. */
async function startBusy(folder: string, args: readonly string[], environment: Record<string, string>) {
  const { child, ended } = start(folder, args, environment);
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (text: string) => text.includes("computing") && resolve());
    ended.then(({ stdout, stderr }) => reject(new Error(`The command ended: ${stdout}${stderr}`)), reject);
  });
  return {
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Presses Ctrl-C until the command ends. */
    async keepPressing(): Promise<Ended> {
      const pressing = setInterval(() => child.kill("SIGINT"), 50);
      return ended.finally(() => clearInterval(pressing));
    },
  };
}

async function startBusyAt(text: string, ...args: string[]) {
  const project = await startProject({ files: { "avatarops.yaml": manifest }, world: createEmptyDataset() });
  const running = await startBusy(project.folder, args, {
    AVATAROPS_BASE_URL: project.emulator.url,
    AVATAROPS_API_KEY: "test-key",
    AVATAROPS_TEST_BUSY_AT: text,
    NODE_OPTIONS: `--import ${busy}`,
  });
  return { project, running };
}

async function expectRecovered(project: Project): Promise<void> {
  const later = { ...localMachine, now: () => Date.now() + 60_000 };
  expect(await project.avataropsWith(later, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect([...project.emulator.world.contexts]).toHaveLength(1);
  await project.expectNothingToDo();
}

describe("command blocked by a computation that does not return", () => {
  test.each(isLong ? (["SIGINT", "SIGTERM", "SIGHUP"] as const) : (["SIGTERM"] as const))(
    "stops after a single %s while it evaluates a TypeScript project",
    async (signal) => {
      const folder = await newFolder();
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${folder}/avatarops.config.ts`, 'console.error("computing");\nfor (;;);\n');
      const running = await startBusy(folder, ["validate"], {});
      running.kill(signal);
      expect(await running.ended).toMatchObject({ exit: null, signal });
    },
  );

  test.each(isLong ? (["SIGINT", "SIGTERM"] as const) : (["SIGINT"] as const))(
    "stops after a single %s while it plans",
    async (signal) => {
      const { running } = await startBusyAt('"results"', "plan");
      running.kill(signal);
      expect(await running.ended).toMatchObject({ exit: null, signal });
    },
  );

  test.each([
    ["before an apply writes", '"results"'],
    ["while an apply writes", '"opening_text"'],
  ])("stops on repeated Ctrl-C %s, and the next apply completes the work", async (_when, text) => {
    const { project, running } = await startBusyAt(text, "apply", "--auto-approve");
    expect(await running.keepPressing()).toMatchObject({ exit: null, signal: "SIGINT" });
    await expectRecovered(project);
  });
});

describe("command that reads the account under the lock", () => {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const id = "1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de";
  const commands = [
    ["apply", "-y"],
    ["pull"],
    ["import", "context.spare", id],
    ["rollback", "--to", "1", "-y"],
  ];
  const all = signals.flatMap((signal) => commands.map((argv) => [signal, argv] as const));
  test.each(isLong ? all : all.filter(([signal, [name]]) => signal === "SIGINT" || name === "apply"))(
    "releases the lock after a single %s: %s",
    async (signal, argv) => {
      const project = await startProject({
        files: { "avatarops.yaml": manifest },
        world: createEmptyDataset(),
      });
      for (const word of ["kind", "calm"]) {
        await project.write("avatarops.yaml", manifest.replace("kind", word));
        expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
      }
      await project.write("avatarops.yaml", `${manifest}  spare: { name: Spare, prompt: Be brief. }\n`);
      const { child, ended } = start(project.folder, argv, {
        AVATAROPS_BASE_URL: project.emulator.url,
        AVATAROPS_API_KEY: "test-key",
      });
      const match = { method: "GET" };
      project.emulator.addFault({ match, do: { kind: "run", run: () => void child.kill(signal) } });
      project.emulator.addFault({ match, do: { kind: "delay", ms: 60_000 } });
      const stopped = await ended;
      expect(stopped, stopped.stdout + stopped.stderr).toMatchObject({ exit: 130, signal: null });
      expect(project.has(".avatarops/state.json.lock")).toBe(false);
      expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    },
  );
});
