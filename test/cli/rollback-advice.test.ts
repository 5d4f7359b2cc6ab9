import { expect, test } from "vitest";
import { matchText, startProject } from "./hosting.js";

const one = "service: { profile: liveavatar }\ncontexts:\n  a: { name: A, prompt: Be kind. }\n";

test("reports that a rollback does not recreate a deleted object", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `${one}  b: { name: B, prompt: Be brief., on_removal: delete }\n` },
    emulator: { profile: "liveavatar" },
  });
  await project.expectDone("apply", "-y");
  const { contexts } = project.emulator.world;
  contexts.splice(
    contexts.findIndex(({ name }) => name === "B"),
    1,
  );
  await project.write("avatarops.yaml", one);
  await project.expectDone("apply", "-y", "--allow", "threshold");
  const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(stdout).toEqual(matchText("was deleted and is not created again"));
  expect(stdout).not.toContain("stays");
});

test("reports a rollback without changes as one of the whole account", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": one },
    emulator: { profile: "liveavatar" },
  });
  await project.expectDone("apply", "-y");
  for (const format of ["text", "markdown"]) {
    const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run", "--format", format);
    expect(stdout).not.toContain("limited to");
  }
});

test("recommends a rollback instead of an apply after rollback --dry-run", async () => {
  const project = await startProject({ files: { "avatarops.yaml": one.replace("service", "# service") } });
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", one.replace("kind", "warm").replace("service", "# service"));
  await project.expectDone("apply", "-y");
  const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(stdout).toEqual(matchText("To roll back: `avatarops rollback --to 1`."));
  expect(stdout).not.toContain("avatarops apply");
});
