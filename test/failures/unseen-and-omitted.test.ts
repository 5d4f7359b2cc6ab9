/** What cannot be read is taken to be as last applied; what is not declared is left as it is. */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { applied, applyInShort, planInShort, tell } from "./telling.js";

describe("a voice", () => {
  // Voice 1 is the default voice of the avatar, Voice 2 of none.
  const voices = (seen: string, unseen: string) => `
voices:
  seen: { id: 20000000-0000-4000-8000-000000000000, name: ${seen} }
  unseen: { id: 20000000-0000-4000-8000-000000000001, name: ${unseen} }
`;
  async function startVoices() {
    const project = await startProject({
      files: { "avatarops.yaml": voices("Ada", "Bea") },
      world: generateDataset({ avatars: 1, voices: 2 }),
    });
    await applied(project);
    await project.expectNothingToDo();
    return project;
  }

  it("that no avatar shows is taken to be as last applied, whoever renamed it", async () => {
    const project = await startVoices();
    project.emulator.renameVoice("20000000-0000-4000-8000-000000000001", "Theirs");
    await project.expectNothingToDo();
    await project.expectNothingToDo("--refresh", "full");
  });

  it("that is an avatar's default voice shows its drift", async () => {
    const project = await startVoices();
    project.emulator.renameVoice("20000000-0000-4000-8000-000000000000", "Theirs");
    expect(await planInShort(project)).toMatchObject({ exit: 2, wants: ["update voice.seen drifted"] });
    expect(await applyInShort(project)).toMatchObject({ exit: 1, ended: ["voice.seen skipped drifted"] });
    await applied(project, "--overwrite-drift");
    expect(project.emulator.world.voices.map(({ name }) => name)).toEqual(["Ada", "Bea"]);
    await project.expectNothingToDo();
  });

  it("is renamed, seen or not", async () => {
    const project = await startVoices();
    await project.write("avatarops.yaml", voices("Anna", "Berta"));
    expect(await planInShort(project)).toMatchObject({
      wants: ["update voice.seen configured", "update voice.unseen configured"],
    });
    await applied(project);
    expect(project.emulator.world.voices.map(({ name }) => name)).toEqual(["Anna", "Berta"]);
    await project.expectNothingToDo();
  });

  it("with an id that does not exist is refused by the service, and holds up no other", async () => {
    const project = await startVoices();
    await project.write(
      "avatarops.yaml",
      `${voices("Anna", "Bea")}  nobody: { id: 20000000-0000-4000-8000-0000000000ff, name: Nobody }\n`,
    );
    const { exit, ended, problems } = await applyInShort(project);
    expect({ exit, ended }).toEqual({
      exit: 3,
      ended: ["voice.seen applied", "voice.nobody failed not-found"],
    });
    expect(problems[0]).toContain(
      "PATCH /v1/voices/20000000-0000-4000-8000-0000000000ff: the service did not find it",
    );
    expect(await planInShort(project)).toMatchObject({ wants: ["adopt voice.nobody given"] });
  });
});

describe("a field that is not declared", () => {
  const live = { opening_text: "Welcome!", links: [{ url: "https://example.com/a", faq: "A" }] };
  const desk = (prompt: string, more = "") => `contexts:\n  desk: { name: Desk, prompt: ${prompt}${more} }\n`;
  const withLinks = ', links: [{ url: "https://example.com/a", faq: A }]';

  async function startAdopted(text: string) {
    const project = await startProject({ files: { "avatarops.yaml": text }, world: generateDataset({}) });
    project.emulator.addContext({ name: "Desk", prompt: "Old.", ...live });
    await applied(project);
    await project.expectNothingToDo();
    return project;
  }
  const kept = (project: Awaited<ReturnType<typeof startAdopted>>) => {
    const [context] = project.emulator.world.contexts;
    return {
      opening_text: context?.opening_text,
      links: context?.links.map(({ url, faq }) => ({ url, faq })),
    };
  };

  it("keeps its live value when others are written", async () => {
    const project = await startAdopted(desk("Old."));
    await project.write("avatarops.yaml", desk("New."));
    await applied(project);
    expect(project.emulator.world.contexts[0]?.prompt).toBe("New.");
    expect(kept(project)).toEqual(live);
    await project.expectNothingToDo();
  });

  it("may change elsewhere without being drift, and is kept as it is then", async () => {
    const project = await startAdopted(desk("Old."));
    project.emulator.editContext("Desk", { opening_text: "Hello!" });
    await project.expectNothingToDo();
    await project.write("avatarops.yaml", desk("New."));
    await applied(project);
    expect(kept(project)).toEqual({ ...live, opening_text: "Hello!" });
    await project.expectNothingToDo();
  });

  it("is cleared when it was declared before, and from then on left alone", async () => {
    const project = await startAdopted(desk("Old.", `${withLinks}, opening_text: Welcome!`));
    await project.write("avatarops.yaml", desk("Old."));
    expect(await planInShort(project)).toMatchObject({
      exit: 2,
      wants: ["update context.desk configured"],
      fields: ["context.desk opening_text", "context.desk links"],
    });
    await applied(project);
    expect(kept(project)).toEqual({ opening_text: "", links: [] });
    await project.expectNothingToDo();
    project.emulator.editContext("Desk", { opening_text: "Theirs." });
    await project.expectNothingToDo();
    expect((await tell(project, "state", "show", "context.desk")).stdout).not.toContain("Welcome!");
  });

  it("is another thing than one that is declared empty", async () => {
    const project = await startAdopted(desk("Old."));
    await project.write("avatarops.yaml", desk("Old.", ', opening_text: "", links: []'));
    await applied(project);
    expect(kept(project)).toEqual({ opening_text: "", links: [] });
    await project.expectNothingToDo();
    project.emulator.editContext("Desk", { opening_text: "Theirs." });
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk drifted"] });
  });

  it("is not to be written as null, which could mean either", async () => {
    const project = await startAdopted(desk("Old."));
    await project.write("avatarops.yaml", desk("Old.", ", opening_text: null, links: null"));
    const ran = await tell(project, "apply", "--auto-approve");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("error[wrong-type] context.desk.opening_text must be text, not nothing");
    expect(ran.stderr).toContain("error[wrong-type] context.desk.links must be a list, not nothing");
    expect(kept(project)).toEqual(live);
  });
});
