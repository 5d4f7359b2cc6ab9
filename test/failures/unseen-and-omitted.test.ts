/**
 * Checks that unreadable values count as unchanged since the last apply, and that undeclared values are not changed.
 */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { applySuccessfully, runUnwrapped, summarizeApply, summarizePlan } from "./commands.js";

describe("voice whose avatars still show its old name", () => {
  const id = "20000000-0000-4000-8000-000000000000";
  const named = (name: string) => `voices:\n  narrator: { id: ${id}, name: ${name} }\n`;
  async function startRenamed(avatars = 1) {
    const project = await startProject({
      files: { "avatarops.yaml": named("Ada") },
      world: generateDataset({ avatars, voices: 1 }),
      emulator: { behavior: { voiceNames: "outdated" } },
    });
    for (const [at, avatar] of project.emulator.world.avatars.entries())
      avatar.default_voice = { id, name: `Voice ${at + 1}` };
    await applySuccessfully(project);
    expect(project.emulator.world.voices[0]?.name).toBe("Ada");
    return project;
  }

  it("is not reported as drift by any command", async () => {
    const project = await startRenamed();
    await project.expectNothingToDo();
    await project.expectNothingToDo("--refresh", "full");
    expect(await project.avatarops("drift")).toMatchObject({ exit: 0 });
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    expect(await project.read("avatarops.yaml")).toBe(named("Ada"));
  });

  it("can be renamed again, even to its old name", async () => {
    const project = await startRenamed();
    for (const name of ["Bea", "Voice 1", "Cleo"]) {
      await project.write("avatarops.yaml", named(name));
      await applySuccessfully(project);
      expect(project.emulator.world.voices[0]?.name).toBe(name);
      await project.expectNothingToDo();
    }
  });

  it("is renamed back by the next apply if the first request is lost", async () => {
    const project = await startRenamed();
    await project.write("avatarops.yaml", named("Voice 1"));
    project.emulator.addFault("PATCH /v1/voices/* drop-before times=always");
    expect(await summarizeApply(project)).toMatchObject({
      exit: 4,
      outcomes: ["voice.narrator unknown no-response"],
    });
    project.emulator.clearFaults();
    await applySuccessfully(project);
    expect(project.emulator.world.voices[0]?.name).toBe("Voice 1");
    await project.expectNothingToDo();
  });

  it("is reported as drift once avatars show another name", async () => {
    const project = await startRenamed();
    const [avatar] = project.emulator.world.avatars;
    if (!avatar) throw new Error("There is no avatar.");
    avatar.default_voice = { id, name: "Theirs" };
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update voice.narrator drifted"] });
    avatar.default_voice = { id, name: "Ada" };
    await applySuccessfully(project);
    avatar.default_voice = { id, name: "Voice 1" };
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update voice.narrator drifted"] });
  });

  it("is not reported as drift if two avatars show different names", async () => {
    const project = await startRenamed(2);
    await project.expectNothingToDo();
    project.emulator.world.avatars.reverse();
    await project.expectNothingToDo();
  });
});

describe("undeclared field", () => {
  const live = { opening_text: "Welcome!", links: [{ url: "https://example.com/a", faq: "A" }] };
  const desk = (prompt: string, more = "") => `contexts:\n  desk: { name: Desk, prompt: ${prompt}${more} }\n`;
  const withLinks = ', links: [{ url: "https://example.com/a", faq: A }]';

  async function startAdopted(text: string) {
    const project = await startProject({ files: { "avatarops.yaml": text }, world: generateDataset({}) });
    project.emulator.addContext({ name: "Desk", prompt: "Old.", ...live });
    await applySuccessfully(project);
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

  it("keeps a value changed in the dashboard without causing drift", async () => {
    const project = await startAdopted(desk("Old."));
    project.emulator.editContext("Desk", { opening_text: "Hello!" });
    await project.expectNothingToDo();
    await project.write("avatarops.yaml", desk("New."));
    await applySuccessfully(project);
    expect(kept(project)).toEqual({ ...live, opening_text: "Hello!" });
    await project.expectNothingToDo();
  });

  it("is cleared if it was declared before, and is then unmanaged", async () => {
    const project = await startAdopted(desk("Old.", `${withLinks}, opening_text: Welcome!`));
    await project.write("avatarops.yaml", desk("Old."));
    expect(await summarizePlan(project)).toMatchObject({
      exit: 2,
      changes: ["update context.desk configured"],
      fields: ["context.desk opening_text", "context.desk links"],
    });
    await applySuccessfully(project);
    expect(kept(project)).toEqual({ opening_text: "", links: [] });
    await project.expectNothingToDo();
    project.emulator.editContext("Desk", { opening_text: "Theirs." });
    await project.expectNothingToDo();
    expect((await runUnwrapped(project, "state", "show", "context.desk")).stdout).not.toContain("Welcome!");
  });

  it("becomes managed once it is declared as empty", async () => {
    const project = await startAdopted(desk("Old."));
    await project.write("avatarops.yaml", desk("Old.", ', opening_text: "", links: []'));
    await applySuccessfully(project);
    expect(kept(project)).toEqual({ opening_text: "", links: [] });
    await project.expectNothingToDo();
    project.emulator.editContext("Desk", { opening_text: "Theirs." });
    expect(await summarizePlan(project)).toMatchObject({ changes: ["update context.desk drifted"] });
  });
});
