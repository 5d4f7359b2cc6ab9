import { describe, expect, test } from "vitest";
import { startProject } from "../../cli/hosting.js";
import { canary, describeSource } from "./compliance.js";
import { keyringSource, startKeyring } from "./keyring.js";

/** Tests the documented example of a TypeScript source with a vault. */

describeSource("keyring", startKeyring);

describe("project-defined source", () => {
  const project = (files: Record<string, string>) => startProject({ files });
  const yaml = (source: string) =>
    `include: [keyring.ts]\nsecrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;

  test.each([
    ["an unknown field", "!keyring { name: one, adress: x }", 'no field "adress"', 'did you mean "address"?'],
    ["a field of another type", "!keyring { name: [one] }", "!keyring.name must be a string, not a list", ""],
    ["a long timeout", "!keyring { name: one, timeout_seconds: 3600 }", "seconds must be at most 600", ""],
    ["no fields", "!keyring one", "!keyring must be followed by its fields", "write !keyring { name: …"],
    ["a pasted token", `!keyring { name: hvs.${canary.slice(0, 8)} }`, "looks like a key or a token", ""],
    ["another tag", "!keyrin { name: one }", "there is no tag !keyrin", 'did you mean "!keyring"?'],
  ])("is rejected with its file and line: %s", async (_, source, message, hint) => {
    const on = await project({ "avatarops.yaml": yaml(source), "keyring.ts": keyringSource });
    const { exit, stderr, stdout } = await on.avatarops("validate");
    const output = (stdout + stderr).replace(/\s+/g, " ");
    expect(exit).toBe(1);
    expect(output).toContain(message);
    expect(output).toContain(hint);
    expect(output).toContain("avatarops.yaml:3");
    expect(output).not.toContain(canary.slice(0, 8));
  });

  test("is rejected as unknown if no file defines it", async () => {
    const on = await project({ "avatarops.yaml": yaml("!keyring { name: one }").replace(/^.*\n/, "") });
    const { exit, stdout, stderr } = await on.avatarops("validate");
    expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining("there is no tag !keyring")]);
  });

  test.each([
    ["throws an error", "{ throw new Error('oops'); }"],
    ["returns no text", "undefined as never"],
  ])("is reported by name if its `describe` %s", async (_, body) => {
    const code = keyringSource.replace(/describe: .*/, `describe: () => ${body},`);
    const manifest = yaml("!keyring { name: one, address: https://keyring.example }");
    const on = await project({ "avatarops.yaml": manifest, "keyring.ts": code });
    // Plans do not fail because of unreadable values.
    for (const [expected, ...command] of [
      [0, "plan"],
      [1, "apply", "-y"],
    ] as const) {
      const { exit, stdout, stderr } = await on.avatarops(...command);
      const output = (stdout + stderr).replace(/\s+/g, " ");
      expect(output).toContain("The keyring source cannot be described. Correct its `describe` function");
      expect(output).not.toContain("bug in avatarops");
      expect(exit).toBe(expected);
    }
    expect(on.emulator.world.secrets).toEqual([]);
    await on.write("avatarops.yaml", yaml("!env KEY"));
    const applied = await on.avataropsWith({ environment: { KEY: "a value" } }, "apply", "-y");
    expect(applied).toMatchObject({ exit: 0 });
    await on.write("avatarops.yaml", manifest);
    const { stdout, stderr } = await on.avatarops("plan");
    expect(stdout + stderr).not.toContain("bug in avatarops");
  });

  test("cannot have the name of another source", async () => {
    const code = keyringSource.replaceAll('"keyring"', '"env"');
    const on = await project({ "avatarops.yaml": yaml("!env KEY"), "keyring.ts": code });
    const { exit, stdout, stderr } = await on.avatarops("validate");
    expect([exit, stdout + stderr]).toEqual([
      1,
      expect.stringContaining('a source named "env" already exists'),
    ]);
  });
});
