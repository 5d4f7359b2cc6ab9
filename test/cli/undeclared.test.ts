import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import type { PlanDocument } from "../../src/output/documents/index.js";
import { type Project, saying, startApplied, startProject } from "./hosting.js";

const declared = `contexts:
  first: { name: Context 1, prompt: Be polite. }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Avatar 1 }
`;

const ids = {
  avatar: "10000000-0000-4000-8000-000000000001",
  voice: "20000000-0000-4000-8000-000000000000",
  second: "30000000-0000-4000-8000-000000000001",
  third: "30000000-0000-4000-8000-000000000002",
};

async function begun(yaml = declared): Promise<Project> {
  return startProject({
    files: { "avatarops.yaml": yaml },
    world: generateDataset({ avatars: 2, voices: 1, contexts: 3 }),
  });
}

async function jsonPlan(project: Project, ...argv: readonly string[]) {
  const { undeclared, requests }: PlanDocument = await project.json("plan", ...argv);
  return { undeclared: undeclared?.map(({ kind, id, label }) => [kind, label, id]), requests };
}

describe("plan --undeclared", () => {
  test("lists what the account holds and no file declares, by kind, name and id", async () => {
    const project = await begun();
    const { undeclared } = await jsonPlan(project, "--undeclared");
    expect(undeclared).toEqual([
      ["avatar", "Avatar 2", ids.avatar],
      ["voice", "Voice 1", ids.voice],
      ["context", "Context 2", ids.second],
      ["context", "Context 3", ids.third],
    ]);
    const text = await project.avatarops("plan", "--undeclared");
    expect(text.stdout).toEqual(saying("4 objects of the account are not declared in any file."));
    for (const [kind, label, id] of undeclared ?? [])
      expect(text.stdout).toMatch(new RegExp(`${kind} +${id} +${label}`));
    // Whole, so that it can be copied.
    expect(text.stdout).toContain(`\`avatarops import --write avatar.NAME ${ids.avatar}\`\n`);
    const markdown = await project.avatarops("plan", "--undeclared", "--format", "markdown");
    for (const [, label, id] of undeclared ?? [])
      expect(markdown.stdout).toContain(`| \`${id}\` | \`${label}\` |`);
  });

  test("costs no request where the lists were read whole", async () => {
    const project = await begun(`${declared}voices:\n  v: { id: ${ids.voice}, name: Voice 1 }\n`);
    const { requests } = await jsonPlan(project);
    expect((await jsonPlan(project, "--undeclared")).requests).toBe(requests);
    const empty = await begun("{}");
    expect((await jsonPlan(empty)).requests).toBe(0);
    // One page of avatars, which tell of voices, and one of contexts.
    expect(await jsonPlan(empty, "--undeclared")).toMatchObject({ requests: 2, undeclared: { length: 6 } });
  });

  test("reads lists of several pages to their end", async () => {
    const project = await startApplied({
      files: { "avatarops.yaml": declared.slice(0, declared.indexOf("avatars:")) },
      world: generateDataset({ contexts: 250 }),
    });
    expect((await jsonPlan(project)).requests).toBeLessThan(3);
    expect(await jsonPlan(project, "--undeclared")).toMatchObject({ undeclared: { length: 249 } });
  });

  test("keeps a comment short", async () => {
    const world = generateDataset({ contexts: 300 });
    for (const one of world.contexts) one.name = `${"x".repeat(300)}${one.id}`;
    const project = await startProject({ files: { "avatarops.yaml": "{}" }, world });
    const comment = await project.avatarops("plan", "--undeclared", "--format", "markdown");
    expect(comment.stdout).toContain("200 more objects");
    expect(Buffer.byteLength(comment.stdout)).toBeLessThan(60_000);
  });

  test("cannot be told of some objects only", async () => {
    const project = await begun();
    await project.expectRefused(["plan", "--undeclared", "--target", "context.first"], "remove --target");
  });
});

describe("a rename", () => {
  const named = (name: string) => `contexts:\n  first: { name: ${name}, prompt: Be polite. }\n`;

  test("to a name of the account is refused by the service, and the plan says so before", async () => {
    const world = generateDataset({ contexts: 250 });
    const project = await startApplied({ files: { "avatarops.yaml": named("Context 1") }, world });
    await project.write("avatarops.yaml", named("Context 250"));
    const { id } = world.contexts.find(({ name }) => name === "Context 250") ?? {};
    const planned = await project.avatarops("plan");
    expect(planned.stdout).toEqual(
      saying(
        `context.first is to be renamed to "Context 250", but the account has another context of that name, ${id}: the service will refuse it.`,
      ),
    );
    expect(await project.avatarops("apply", "-y")).toMatchObject({
      exit: 1,
      stdout: saying('The account has another context named "Context 250"'),
    });
    await project.write("avatarops.yaml", named("Another"));
    expect((await project.avatarops("plan")).stdout).not.toContain("will refuse");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  });

  test("to a name that its object gives up in the same plan is none that is refused", async () => {
    const two = (one: string, other: string) =>
      `contexts:\n  a: { name: ${one}, prompt: A. }\n  b: { name: ${other}, prompt: B. }\n`;
    const project = await startApplied({ files: { "avatarops.yaml": two("One", "Two") } });
    await project.write("avatarops.yaml", two("Two", "Three"));
    expect((await project.avatarops("plan")).stdout).not.toContain("will refuse");
    // The object that leaves the files stays in the account, and keeps its name.
    await project.write("avatarops.yaml", "contexts:\n  a: { name: Two, prompt: A. }\n");
    expect((await project.avatarops("plan")).stdout).toEqual(saying("the service will refuse it"));
  });
});

describe("the notice of undeclared objects", () => {
  test("names the commands that list and declare them", async () => {
    const project = await begun();
    expect((await project.avatarops("plan")).stdout).toEqual(
      saying(
        "note 2 contexts of the account are not declared in any file: `avatarops plan --undeclared` lists them, `avatarops import --write` declares them.",
      ),
    );
    // Who reviews a change has not made them, and a comment would say so for ever.
    const comment = await project.avatarops("plan", "--format", "markdown");
    expect(comment.stdout).not.toMatch(/not\s+declared/);
  });

  test("is silent of avatars and voices, which no project made: the list has them", async () => {
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
    const listed = await project.avatarops("plan", "--undeclared");
    expect(listed.stdout).toEqual(saying("2 objects of the account are not declared in any file."));
  });

  test("is left out with -q, and where they are listed", async () => {
    const project = await begun();
    for (const flag of ["-q", "--undeclared"])
      expect((await project.avatarops("plan", flag)).stdout).not.toMatch(/2\s+contexts\s+of/);
  });
});
