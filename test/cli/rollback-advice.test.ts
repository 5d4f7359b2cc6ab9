import { expect, test } from "vitest";
import { matchText, startAndApply, startProject } from "./hosting.js";

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
  expect(stdout).toEqual(matchText("was deleted, and a rollback does not re-create it"));
  expect(stdout).not.toContain("stays");
});

test("does not print `limited to` in the plan of a full rollback without changes", async () => {
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

test("recommends rollback instead of apply in the output of rollback --dry-run", async () => {
  const project = await startProject({ files: { "avatarops.yaml": one.replace("service", "# service") } });
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", one.replace("kind", "warm").replace("service", "# service"));
  await project.expectDone("apply", "-y");
  const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(stdout).toEqual(matchText("To roll back: `avatarops rollback --to 1`."));
  expect(stdout).not.toContain("avatarops apply");
});

const two = (prompt: string) =>
  `contexts:\n  a: { name: A, prompt: Be kind. }\n  b: { name: B, prompt: ${prompt} }\n`;

test("shows the restored serial and the number of unchanged objects in a full rollback", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": two("First.") } });
  await project.write("avatarops.yaml", two("Second."));
  await project.expectDone("apply", "-y");

  const { stdout: plan } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(plan).toMatch(/^Plan for http:\/\/[\d.:]+, back to serial 1\n/);
  expect(plan).toContain("1 to update; 1 unchanged.");
  const document = await project.json("rollback", "--to", "1", "--dry-run");
  expect(document).toMatchObject({ restored_serial: 1, summary: { update: 1, keep: 1 } });
  expect(document).not.toHaveProperty("targets");

  const { stdout: limited } = await project.expectDone("rollback", "context.b", "--to", "1", "--dry-run");
  expect(limited).toMatch(/, back to serial 1, limited to context\.b\n/);

  expect((await project.expectDone("rollback", "-y", "--to", "1")).stdout).toContain(
    "1 applied; 1 unchanged.",
  );
  const again = await project.expectDone("rollback", "-y", "--to", "1");
  expect(again.stdout).toContain("Nothing to do: 2 unchanged.");
});

test("recommends rollback --wait-for-idle in a rollback plan if sessions are active", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": two("First.") } });
  await project.write("avatarops.yaml", two("Second."));
  await project.expectDone("apply", "-y");
  project.emulator.addSession({});
  const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(stdout).toEqual(matchText("`avatarops rollback --wait-for-idle` waits until none is active"));
});
