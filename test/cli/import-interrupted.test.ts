/** Tests `import` and `prune` while the outcome of a write is unknown. */
import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { expectSuccess, matchText, type Project, startProject } from "./hosting.js";

const secret =
  "secrets:\n  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY, on_rotation: delete_old }\n";
const theirs = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001";

/** Rotates a secret, but loses the response, while another user creates a secret of the same name. */
async function loseRotation() {
  const project = await startProject({
    files: { "avatarops.yaml": `service: { profile: liveavatar }\n${secret}` },
    ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
  });
  const { emulator } = project;
  const run = (KEY: string, ...argv: string[]) => project.avataropsWith({ environment: { KEY } }, ...argv);
  await expectSuccess(run("old", "apply", "-y"));
  emulator.addFault({
    match: { method: "POST" },
    do: {
      kind: "run",
      run: () =>
        void emulator.world.secrets.push({
          ...{ id: theirs, secret_name: "LLM", secret_type: "LLM_API_KEY" },
          created_at: new Date().toISOString(),
        }),
    },
  });
  emulator.addFault("POST /v1/secrets drop-after");
  expect(await run("new", "apply", "-y")).toMatchObject({ exit: 4 });
  const findId = (value: string) =>
    emulator.world.secrets.find(({ id }) => emulator.secretValue(id) === value)?.id ?? "";
  return { project, run, old: findId("old"), made: findId("new") };
}

const listIds = ({ emulator }: Project) => emulator.world.secrets.map(({ id }) => id).sort();

describe("import of a rotated secret whose create response was lost", () => {
  test("keeps the fingerprint of the sent value, and the old secret is deleted", async () => {
    const { project, run, old, made } = await loseRotation();
    expect((await run("new", "plan")).stdout).toContain(`avatarops import secret.llm ${made}`);
    const imported = await expectSuccess(run("new", "import", "secret.llm", made, "--format", "json"));
    expect(JSON.parse(imported.stdout)).toMatchObject({ id: made, superseded: [{ id: old, label: "LLM" }] });
    await expectSuccess(run("new", "apply", "-y"));
    expect(listIds(project)).toEqual([theirs, made].sort());
    await expectSuccess(run("new", "plan", "--detailed-exitcode"));
  });

  test("records no fingerprint for a secret with another name", async () => {
    const { project, run, old } = await loseRotation();
    const earlier = { id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120002", secret_name: "Other" };
    project.emulator.world.secrets.push({
      ...earlier,
      secret_type: "LLM_API_KEY",
      created_at: "2026-01-01T00:00:00.000Z",
    });
    const imported = await expectSuccess(run("new", "import", "secret.llm", earlier.id, "--format", "json"));
    expect(JSON.parse(imported.stdout)).toMatchObject({ id: earlier.id, superseded: [{ id: old }] });
    expect(await project.read(".avatarops/state.json")).not.toContain("fingerprints");
  });

  test("keeps the old fingerprint if the old secret is imported again", async () => {
    const { run, old } = await loseRotation();
    await expectSuccess(run("new", "import", "secret.llm", old));
    await expectSuccess(run("old", "plan", "--detailed-exitcode"));
    expect(await run("new", "plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
  });
});

test("import rejects another object while an update of the managed one has no outcome", async () => {
  const text = (prompt: string) => `contexts:\n  one: { name: One, prompt: ${prompt}, protect: true }\n`;
  const project = await startProject({ files: { "avatarops.yaml": text("First.") } });
  await project.expectApplied();
  const other = project.emulator.addContext({ name: "Other", prompt: "Theirs." });
  await project.write("avatarops.yaml", text("Second."));
  project.emulator.addFault("PATCH /v1/contexts/* drop-before times=always");
  expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 4 });
  project.emulator.clearFaults();
  const own = project.emulator.world.contexts.find(({ name }) => name === "One")?.id ?? "";
  await project.expectRefused(
    ["import", "context.one", other.id],
    `context.one is already bound to ${own}. To stop managing that object: \`avatarops state forget context.one\`.`,
  );
  await project.expectDone("import", "context.one", own);
  await project.expectApplied();
});

test("does not list the managed secret as undeclared while its successor is ambiguous", async () => {
  const { project, run, old } = await loseRotation();
  const listed = await run("new", "prune");
  expect(listed.stdout).not.toContain(old);
  expect(listed.stdout).not.toContain("removed from the files");
  const planned = await project.json("plan");
  expect(JSON.stringify(planned.notices)).toContain("2 secrets");
});

test("prune keeps the old secret until apply has recorded its successor", async () => {
  const { project, run, old } = await loseRotation();
  const { secrets } = project.emulator.world;
  secrets.splice(0, secrets.length, ...secrets.filter(({ id }) => id !== theirs));
  const listed = await run("new", "prune");
  expect(listed.stdout).toEqual(
    matchText("It is managed as secret.llm until the next apply. Run `avatarops apply` first."),
  );
  expect(await run("new", "prune", "-y", old)).toMatchObject({ exit: 1 });
  await expectSuccess(run("new", "apply", "-y"));
  await expectSuccess(run("new", "plan", "--detailed-exitcode"));
});
