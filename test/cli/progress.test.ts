/** A reading that takes long is seen to go on. */
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { newFolder, type Setting, startProject } from "./hosting.js";

const commands = [["plan"], ["export"], ["sessions", "list"], ["apply", "-y"], ["pull"]];
const waits = { backoffMs: 1, settleMs: 0, progressMs: 1 };
const line = /^reading the account: \d+ requests? so far$/m;

async function run(command: readonly string[], setting: Setting, ...more: string[]) {
  const project = await startProject({
    files: { "avatarops.yaml": "contexts:\n  desk: { name: Context 1, prompt: Be kind. }\n" },
    world: generateDataset({ contexts: 3 }),
    emulator: { faults: [{ times: Number.POSITIVE_INFINITY, do: { kind: "delay", ms: 40 } }] },
  });
  const folder = command[0] === "export" ? [`${await newFolder()}/account`] : [];
  return project.avataropsWith({ waits, ...setting }, ...command, ...folder, ...more);
}

describe("a long reading", () => {
  test.each(commands)("of %s %s is told in plain lines where talk goes to a file", async (...command) => {
    const { stderr } = await run(command.filter(Boolean), {});
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain("\r");
  });

  test("is one line that changes on a terminal, and is gone in the end", async () => {
    const { stderr } = await run(["plan"], { talksToTerminal: true, environment: { NO_COLOR: "1" } });
    const parts = stderr.split("\r\u001B[2K");
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.at(-1)).not.toContain("reading");
    expect(parts[0]).toMatch(/^reading the account: \d+ requests? so far$/);
  });

  test("is plain lines in the log of a job, whose runner gives it a terminal", async () => {
    const { stderr } = await run(["plan"], { talksToTerminal: true, environment: { CI: "true" } });
    expect(stderr).toMatch(line);
    expect(stderr).not.toMatch(/[\r\u001B]/);
  });

  test.each([{ talksToTerminal: true }, {}])(
    "is not told of where it is to be quiet: %j",
    async (setting) => {
      expect((await run(["plan"], setting, "--quiet")).stderr).toBe("");
    },
  );

  test("is told of in a while only, so that a quick one says nothing", async () => {
    const { stderr } = await run(["plan"], { waits: { backoffMs: 1, settleMs: 0 } });
    expect(stderr).not.toContain("reading");
  });
});
