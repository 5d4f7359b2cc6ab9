import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { matchText, newFolder, runIn } from "./hosting.js";

test.each([
  ["avatarops.schema.json", []],
  ["schemas/plan-v1.schema.json", ["plan"]],
  ["schemas/drift-v1.schema.json", ["drift"]],
])("prints the packaged %s unchanged, even without a project", async (file, options) => {
  const shipped = readFileSync(file, "utf8");
  const printed = await runIn(await newFolder(), ["generate", "schema", ...options]);
  expect(printed).toEqual({ exit: 0, stdout: shipped, stderr: "" });
});

test.each([[["generate", "schema", "plam"], "Allowed choices are plan, outcome, drift,"]])(
  "rejects an unknown schema: %j",
  async (argv, message) => {
    const { exit, stdout, stderr } = await runIn(await newFolder(), argv);
    expect([exit, stdout, stderr]).toEqual([1, "", matchText(message)]);
  },
);
