import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { newFolder, runIn } from "./hosting.js";

test("schema prints the file that ships with the package, to the byte, and needs no project", async () => {
  const shipped = readFileSync("avatarops.schema.json", "utf8");
  expect(await runIn(await newFolder(), ["schema"])).toEqual({ exit: 0, stdout: shipped, stderr: "" });
});
