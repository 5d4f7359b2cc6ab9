import { expect, test } from "vitest";
import { saying, startApplied } from "./hosting.js";

test("repeats --target in the command that passes a gate", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const yaml = (prompt: string) =>
    `thresholds: { max_percent: 10, min_objects: 1 }\ncontexts: { ${names.map((name) => `${name}: { name: ${name.toUpperCase()}, prompt: ${prompt} }`).join(", ")} }\n`;
  const project = await startApplied({ files: { "avatarops.yaml": yaml("One") } });
  await project.write("avatarops.yaml", yaml("Two"));
  const scope = ["--target", "context.a", "--target", "context.b"];
  const { exit, stderr } = await project.avatarops("apply", "-y", ...scope);
  expect(exit).toBe(7);
  expect(stderr).toEqual(saying("`avatarops apply --target context.a --target context.b --allow threshold`"));
  await project.expectDone("apply", "-y", ...scope, "--allow", "threshold");
  expect(project.emulator.world.contexts.filter(({ prompt }) => prompt === "Two")).toHaveLength(2);
});
