/** Checks the progress shown while a long read of the account runs. */
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

describe("read progress", () => {
  test.each(commands)("is printed as plain lines by %s %s if stderr is a file", async (...command) => {
    const { stderr } = await run(command.filter(Boolean), {});
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain("\r");
  });

  test("updates one line at a terminal and clears it at the end", async () => {
    const { stderr } = await run(["plan"], { talksToTerminal: true, environment: { NO_COLOR: "1" } });
    const parts = stderr.split("\r\u001B[2K");
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.at(-1)).not.toContain("reading");
    expect(parts[0]).toMatch(/^reading the account: \d+ requests? so far$/);
  });

  test("is printed as plain lines in a CI log even if the runner provides a terminal", async () => {
    const { stderr } = await run(["plan"], { talksToTerminal: true, environment: { CI: "true" } });
    expect(stderr).toMatch(line);
    expect(stderr).not.toMatch(/[\r\u001B]/);
  });

  test.each([{ talksToTerminal: true }, {}])("is omitted with --quiet: %j", async (setting) => {
    expect((await run(["plan"], setting, "--quiet")).stderr).toBe("");
  });

  test("is omitted for a short read", async () => {
    const { stderr } = await run(["plan"], { waits: { backoffMs: 1, settleMs: 0 } });
    expect(stderr).not.toContain("reading");
  });
});
