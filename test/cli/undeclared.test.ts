import { describe, expect, test } from "vitest";
import { createEmptyDataset, generateDataset } from "../../src/emulator/index.js";
import { matchText, type Project, startAndApply, startProject } from "./hosting.js";

const declared = `contexts:
  first: { name: Context 1, prompt: Be polite. }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Avatar 1 }
`;

async function startWithUndeclared(): Promise<Project> {
  return startProject({
    files: { "avatarops.yaml": declared },
    world: generateDataset({ avatars: 2, voices: 1, contexts: 3 }),
  });
}

describe("apply of a renamed object", () => {
  const named = (name: string) => `contexts:\n  first: { name: ${name}, prompt: Be polite. }\n`;

  test("names the object that already has the new name if the service rejects the rename", async () => {
    const world = generateDataset({ contexts: 250 });
    const project = await startAndApply({ files: { "avatarops.yaml": named("Context 1") }, world });
    await project.write("avatarops.yaml", named("Context 250"));
    const { id } = world.contexts.find(({ name }) => name === "Context 250") ?? {};
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 1,
      stdout: matchText(`The account has another context named "Context 250" (${id}).`),
    });
    await project.write("avatarops.yaml", named("Another"));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  });
});

describe("plan that gives an object a name already in use", () => {
  const two = (one: string, other = "") =>
    `contexts:\n  a: { name: ${one}, prompt: A. }\n${other && `  b: { name: ${other}, prompt: B. }\n`}`;

  test.each([
    ["an undeclared object", two("Context 2", "Two"), [], "context.a", "another context in the account"],
    ["a forgotten object", two("Two"), [], "context.a", "context.b"],
    [
      "an object outside --target",
      `${two("Three")}  c: { name: One, prompt: C. }\n`,
      ["--target", "context.c"],
      "context.c",
      "another context in the account",
    ],
  ])("shows a warning if %s keeps that name", async (_, after, options, address, owner) => {
    const world = generateDataset({ contexts: 3 });
    const project = await startAndApply({ files: { "avatarops.yaml": two("One", "Two") }, world });
    await project.write("avatarops.yaml", after);
    const { stdout } = await project.avatarops("plan", ...options);
    expect(stdout).toEqual(matchText(`note ${address} gets the name`));
    expect(stdout).toEqual(matchText(`which ${owner} (`));
  });

  test("shows no warning if the other object also gets a new name", async () => {
    const project = await startAndApply({ files: { "avatarops.yaml": two("One", "Two") } });
    await project.write("avatarops.yaml", two("Two", "Three"));
    expect((await project.expectDone("plan")).stdout).not.toContain("gets the name");
  });
});

describe("undeclared objects notice", () => {
  test("recommends the commands that list and declare these objects", async () => {
    const project = await startWithUndeclared();
    expect((await project.avatarops("plan")).stdout).toEqual(
      matchText(
        "note 2 contexts in the account are not declared in any file. List them: `avatarops prune`. Declare them: `avatarops import --write --all`.",
      ),
    );
    // A review comment omits the notice, because reviewers did not create these objects and each review would repeat
    // it.
    const comment = await project.avatarops("plan", "--format", "markdown");
    expect(comment.stdout).not.toMatch(/not\s+declared/);
  });

  test("shows the number of undeclared objects as a minimum if the list has no count", async () => {
    const project = await startAndApply({
      files: { "avatarops.yaml": declared },
      world: generateDataset({ avatars: 2, voices: 1, contexts: 250 }),
      emulator: { behavior: { listCount: "absent" } },
    });
    await project.write("avatarops.yaml", declared.replace("Be polite.", "Be kind."));
    const { stdout } = await project.avatarops("plan");
    expect(stdout).toEqual(
      matchText("note At least 99 contexts in the account are not declared in any file."),
    );
  });

  test("lists superseded secrets in a separate notice", async () => {
    const secret = (name: string) =>
      `  ${name}: { secret_name: ${name}, secret_type: LLM_API_KEY, secret_value: !env KEY }\n`;
    const settings = "service: { profile: liveavatar }\nsecrets:\n";
    const project = await startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": `${settings}${secret("llm")}` },
      emulator: { profile: "liveavatar" },
    });
    const apply = (KEY: string) => project.avataropsWith({ environment: { KEY } }, "apply", "-y");
    for (const key of ["one", "two"]) expect(await apply(key)).toMatchObject({ exit: 0 });
    const id = project.emulator.world.secrets[0]?.id;
    // Declaring another secret makes the plan list the account's secrets.
    await project.write("avatarops.yaml", `${settings}${secret("llm")}${secret("other")}`);
    const plan = async (...argv: string[]) =>
      (await project.avataropsWith({ environment: { KEY: "two" } }, "plan", ...argv)).stdout;
    const shown = await plan();
    expect(shown).toEqual(
      matchText(
        `note Superseded and still in the account: ${id} (secret.llm). Delete unused ones: \`avatarops prune ${id}\`.`,
      ),
    );
    expect(shown).not.toMatch(/not\s+declared/);
    expect(await plan("--format", "markdown")).not.toContain("Superseded");
  });

  test("omits avatars and voices, which no project creates", async () => {
    const world = generateDataset({ avatars: 2, voices: 1, contexts: 0 });
    const project = await startProject({ files: { "avatarops.yaml": declared }, world });
    for (const argv of [
      ["plan"],
      ["plan", "--format", "markdown"],
      ["plan", "--format", "json"],
      ["apply", "-y"],
    ]) {
      const silent = await project.expectDone(...argv);
      expect(silent.stdout + silent.stderr).not.toMatch(/undeclared|not\s+declared/);
    }
  });

  test("is omitted with -q", async () => {
    const project = await startWithUndeclared();
    expect((await project.avatarops("plan", "-q")).stdout).not.toMatch(/2\s+contexts\s+of/);
  });
});
