import { expect, test } from "vitest";
import { matchText, startProject } from "./hosting.js";

const formatManifest = (prompt: string) =>
  `contexts:\n  returns-desk-of-the-northern-warehouse: { name: Returns desk, prompt: ${prompt} }\n  b: { name: B, prompt: B }\n`;

test("does not wrap or truncate output to a pipe or a zero-width terminal", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Help.") } });
  await project.avatarops("apply", "-y");
  project.emulator.editContext("Returns desk", { prompt: "Edited in the dashboard by somebody else." });
  const planned = await project.avataropsWith({ columns: 0 }, "plan");
  const line = planned.stdout
    .split("\n")
    .find((one) => one.includes("Edited in the dashboard, so apply skips it"));
  expect(line).toContain("Overwrite it: `avatarops apply --overwrite-drift`.");
  expect(planned.stdout).toContain('context.returns-desk-of-the-northern-warehouse  "Returns desk"  drifted');
  const { id = "" } = project.emulator.world.contexts.find(({ name }) => name === "B") ?? {};
  expect((await project.avataropsWith({ columns: 0 }, "state", "list")).stdout).toContain(id);
  const refused = await project.avataropsWith({ columns: 0 }, "plan", "--target", "context.none");
  expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
  expect((await project.avataropsWith({ columns: 0 }, "plan", "--help")).stdout).toMatch(/\n {2,}--target/);
});

test.each([
  ["plan -f a.yaml -f b.yaml", "given twice"],
  ["plan --env a --env=b", "--env takes one value"],
  ["apply --format json --format text", "given twice"],
  ["plan --concurrency 1 --concurrency 2", "given twice"],
])("rejects a repeated option that takes one value: %s", async (line, why) => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Help.") } });
  const { exit, stderr, stdout } = await project.avatarops(...line.split(" "));
  expect([exit, stderr + stdout]).toEqual([1, matchText(why)]);
  await project.expectDone("plan", "--target", "context.b", "--target", "context.b", "-q", "-q");
});

test.each([
  [" yes\n", 0],
  ["y\nyes\n", 130],
  ["YES\n", 130],
  ["\n", 130],
  ["", 130],
])("accepts only yes as apply confirmation: %j exits with %i", async (typed, exit) => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Help.") } });
  const ran = await project.avataropsWith({ typed }, "apply");
  expect(ran, ran.stderr).toMatchObject({ exit });
  expect(project.emulator.world.contexts).toHaveLength(exit === 0 ? 2 : 0);
});

test('prints "Nothing to do" exactly once for an apply without changes', async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatManifest("Help.") } });
  project.emulator.addContext({ name: "Other" });
  for (const argv of [["-y"], []]) {
    await project.avatarops("apply", "-y");
    const ran = await project.avatarops("apply", ...argv);
    expect((ran.stdout + ran.stderr).match(/Nothing to do/g)).toHaveLength(1);
  }
});
