import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { mistakes } from "./mistakes.js";

test("every mistake is told at its place in the code and in the words of code", async () => {
  const told: string[] = [];
  for (const { what, main, files } of mistakes) {
    const project = await startProject({ files: { "avatarops.config.ts": main, ...files } });
    const { stdout } = await project.avatarops("validate");
    told.push(`### ${what}\n\n${stdout}`);
  }
  await expect(told.join("\n")).toMatchFileSnapshot("mistakes.txt");
  expect(told.join("\n")).not.toContain("4711");
});
