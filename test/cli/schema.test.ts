import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newFolder, runIn } from "./hosting.js";

test.each([
  ["avatarops.schema.json", []],
  ["front-matter.schema.json", ["--front-matter"]],
])(
  "schema prints %s as it ships with the package, to the byte, and needs no project",
  async (file, options) => {
    const shipped = readFileSync(file, "utf8");
    const printed = await runIn(await newFolder(), ["schema", ...options]);
    expect(printed).toEqual({ exit: 0, stdout: shipped, stderr: "" });
  },
);
