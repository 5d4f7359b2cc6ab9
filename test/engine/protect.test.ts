/** Tests `protect: true` in a declaration. The object stays managed until the protection is removed. */
import { describe, expect, test } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";

const other = "  other: { name: Other, prompt: Hi. }\n";
const desk = "  desk: { name: Desk, prompt: Hi., protect: true }\n";

async function startWith(manifest: string, files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = await startProject({
    files: { "avatarops.yaml": manifest, ...files },
    environment: { LLM_API_KEY: "the first key" },
    world: createSampleDataset(Date.now()),
  });
  await project.expectApplied();
  return project;
}

async function expectProtected(project: Project, address: string): Promise<string> {
  const plan = await project.avatarops("plan", "--format", "json");
  const { exit, changes } = JSON.parse(plan.stdout);
  expect([plan.exit, exit]).toEqual([1, "protected"]);
  expect(changes).toMatchObject([{ address, action: "protected" }]);
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran, ran.stdout).toMatchObject({ exit: 1, stdout: matchText("[protected]") });
  expect((await project.avatarops("state", "list")).stdout).toContain(address);
  return changes[0].notes.join(" ");
}

describe("protected declaration removed from the files", () => {
  const kinds: [address: string, manifest: string, files?: Readonly<Record<string, string>>][] = [
    ["context.desk", `contexts:\n${desk}${other}`],
    [
      "context.night",
      `include: [contexts/*.md]\ncontexts:\n${other}`,
      { "contexts/night.md": "---\nname: Night\nprotect: true\n---\nGood night.\n" },
    ],
  ];

  test.each(kinds)("keeps its object managed: %s", async (address, manifest, files) => {
    const project = await startWith(manifest, files);
    await project.write("avatarops.yaml", `contexts:\n${other}`);
    const note = await expectProtected(project, address);
    expect(note).toContain("declare it again with `protect: false` and apply");
    expect(note).toContain(`avatarops state forget ${address}`);
    expect(await project.avatarops("state", "forget", address)).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });

  test("is forgotten without a write to the account once its protection is removed", async () => {
    const project = await startWith(`contexts:\n${desk}${other}`);
    const written = () => project.emulator.requests.filter(({ method }) => method !== "GET").length;
    const before = written();
    await project.write("avatarops.yaml", `contexts:\n${desk.replace(", protect: true", "")}${other}`);
    expect((await project.avatarops("plan")).stdout).toContain('protect       "true" → "false"');
    await project.expectApplied();
    expect(written()).toBe(before);
    await project.write("avatarops.yaml", `contexts:\n${other}`);
    expect((await project.expectApplied()).stdout).toMatch(/forgotten +context\.desk/);
  });

  test("is forgotten if the object no longer exists", async () => {
    const project = await startWith(`contexts:\n${desk}${other}`);
    const { contexts } = project.emulator.world;
    contexts.splice(
      contexts.findIndex(({ name }) => name === "Desk"),
      1,
    );
    await project.write("avatarops.yaml", `contexts:\n${other}`);
    expect((await project.expectApplied()).stdout).toMatch(/forgotten +context\.desk/);
  });
});

describe("protect setting", () => {
  test("blocks a move to a new address unless the new declaration is also protected", async () => {
    const project = await startWith(`contexts:\n${desk}${other}`);
    const renamed = desk.replace("desk:", "reception:");
    await project.write("avatarops.yaml", `contexts:\n${renamed.replace(", protect: true", "")}${other}`);
    const plan = await project.avatarops("plan");
    expect(plan).toMatchObject({ exit: 1, stdout: matchText("Set `protect: true` there") });
    await project.write("avatarops.yaml", `contexts:\n${renamed}${other}`);
    await project.expectApplied();
    await project.write("avatarops.yaml", `contexts:\n${other}`);
    await expectProtected(project, "context.reception");
  });

  test("keeps protecting the current object if the declared id changes", async () => {
    const project = await startWith(`contexts:\n${other}`);
    const [first, second] = project.emulator.world.avatars;
    const declare = (id: string | undefined, more: string) =>
      project.write("avatarops.yaml", `avatars: { host: { id: ${id}, name: Reception${more} } }\n`);
    await declare(first?.id, ", protect: true");
    await project.avatarops("state", "forget", "context.other");
    await project.expectApplied();
    await declare(second?.id, ", protect: true");
    expect(await expectProtected(project, "avatar.host")).toContain(`The object ${first?.id} is protected`);
    expect(project.emulator.world.avatars.find(({ id }) => id === second?.id)?.name).toBe(second?.name);
  });

  test("still protects a secret after its rotation", async () => {
    const manifest =
      "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY, protect: true }\n";
    const project = await startWith(manifest);
    const environment = { LLM_API_KEY: "the second key" };
    expect(await project.avataropsWith({ environment }, "apply", "--auto-approve")).toMatchObject({
      exit: 0,
      stdout: matchText("superseded"),
    });
    const named = project.emulator.world.secrets.filter(({ secret_name: name }) => name === "llm");
    expect(named).toHaveLength(2);
    await project.write("avatarops.yaml", "contexts: {}\n");
    await expectProtected(project, "secret.llm");
  });
});
