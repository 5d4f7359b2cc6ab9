/**
 * Tests deployments that deviate from the documentation. Stored values must match the request. Other
 * differences are tolerated.
 */
import { describe, expect, it } from "vitest";
import { type Behavior, generateDataset } from "../../src/emulator/index.js";
import { startAndApply, startProject } from "../cli/hosting.js";
import { applySuccessfully, listContextNames, summarizeApply, summarizePlan } from "./commands.js";

describe("service that silently truncates a prompt", () => {
  const manifest = (prompt: string) =>
    `contexts:\n  desk: { name: Desk, prompt: "${prompt}" }\n  shop: { name: Shop, prompt: Short. }\n`;
  const cutTo10 = { behavior: { promptCutAt: 10 } };
  const complaint =
    "The service stored a different prompt. Sent: 26 characters. Stored: 10 characters. Shorten or correct it, then apply again.";

  it("causes a create error that names the field and both sizes, and leaves the object managed", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": manifest("Be kind, and above all be.") },
      emulator: cutTo10,
    });
    expect(await summarizeApply(project)).toEqual({
      exit: 3,
      outcomes: ["context.desk failed not-as-sent", "context.shop applied"],
      problems: [complaint],
      notes: [],
    });
    const id = project.emulator.world.contexts.find(({ name }) => name === "Desk")?.id;
    expect(JSON.parse(await project.read(".avatarops/state.json")).objects["context.desk"].id).toBe(id);
    expect(await summarizePlan(project)).toMatchObject({
      exit: 2,
      changes: ["update context.desk configured"],
      fields: ["context.desk prompt"],
    });
    expect(await summarizeApply(project)).toMatchObject({ exit: 1, problems: [complaint] });
    expect(listContextNames(project)).toEqual(["Desk", "Shop"]);

    await project.write("avatarops.yaml", manifest("Be kind."));
    await applySuccessfully(project);
    await project.expectNothingToDo();
  });
});

describe("context on a service that merges links instead of replacing them", () => {
  const link = (name: string) => `{ url: "https://example.com/${name}", faq: ${name} }`;
  const manifest = (...names: string[]) =>
    `contexts:\n  desk: { name: Desk, prompt: Be kind., links: [${names.map(link).join(", ")}] }\n`;

  it("can get a newly declared link", async () => {
    const project = await startAndApply({
      files: { "avatarops.yaml": manifest("a", "b") },
      emulator: { behavior: { links: "merge" } },
    });
    await project.write("avatarops.yaml", manifest("a", "b", "c"));
    await applySuccessfully(project);
    await project.expectNothingToDo();
    expect(project.emulator.world.contexts[0]?.links.map(({ faq }) => faq)).toEqual(["a", "b", "c"]);
  });

  const kept =
    "Some services do not remove or reorder entries. Declare the entries as stored, or change them in the dashboard.";

  it.each([
    ["an undeclared link", manifest("a", "b"), 2],
    ["all links", "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n", 0],
  ])("matches the files again after a dashboard edit removes %s", async (_what, text, sent) => {
    const project = await startAndApply({
      files: { "avatarops.yaml": manifest("a", "b", "c") },
      emulator: { behavior: { links: "merge" } },
    });
    await project.write("avatarops.yaml", text);
    expect(await summarizeApply(project)).toMatchObject({
      exit: 1,
      problems: [`The service stored different links. Sent: ${sent} links. Stored: 3 links. ${kept}`],
    });
    const [live] = project.emulator.world.contexts;
    if (!live) throw new Error("nothing was created");
    const declared = live.links.filter(({ url }) => text.includes(url));
    project.emulator.editContext(live.id, { links: declared });
    await applySuccessfully(project);
    await project.expectNothingToDo();
  });

  it("matches the files again once the links are declared in the stored order", async () => {
    const project = await startAndApply({
      files: { "avatarops.yaml": manifest("a", "b") },
      emulator: { behavior: { links: "merge" } },
    });
    await project.write("avatarops.yaml", manifest("b", "a"));
    expect(await summarizeApply(project)).toMatchObject({
      exit: 1,
      problems: [`The service stored different links. Sent: 2 links. Stored: 2 links. ${kept}`],
    });
    await project.write("avatarops.yaml", manifest("a", "b"));
    await project.expectNothingToDo();
  });
});

describe("undocumented service behavior", () => {
  const manifest = (prompt: string) => `
contexts:
  desk: { name: Desk, prompt: ${prompt}, opening_text: "", links: [] }
  shop: { name: Shop, prompt: "Greet \${name}.", opening_text: Hi., links: [{ url: "https://example.com/a" }] }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Host }
voices:
  mara: { id: 20000000-0000-4000-8000-000000000001, name: Mara }
`;
  // Each behavior is in one row. Behaviors in the same row do not affect each other.
  const behaviors: readonly Partial<Behavior>[] = [
    {
      ...{ successCode: 1000, nulls: true, extraFields: true, nextStyle: "null", timestampPrecision: "us" },
      requireAllOnPatch: true,
    },
    { timestampPrecision: "s", nextStyle: "marker", listOrder: "updated", contextNames: "free" },
    { nextStyle: "absent", listOrder: "shuffled" },
  ];
  for (const behavior of behaviors) {
    it(`is tolerated: ${JSON.stringify(behavior)}`, async () => {
      const project = await startAndApply({
        files: { "avatarops.yaml": manifest("Be kind.") },
        world: generateDataset({ avatars: 1, voices: 2, contexts: 230 }),
        emulator: { behavior },
      });
      await project.expectNothingToDo();
      await project.expectNothingToDo("--refresh", "full");
      await project.write("avatarops.yaml", manifest("Be brief."));
      expect(await summarizePlan(project)).toMatchObject({ changes: ["update context.desk configured"] });
      await applySuccessfully(project);
      await project.expectNothingToDo();
      expect(project.emulator.world.contexts).toHaveLength(232);
    });
  }

  it("is tolerated if it is a success code that the manifest lists", async () => {
    const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
    const project = await startProject({
      files: { "avatarops.yaml": desk },
      emulator: { behavior: { successCode: 0 } },
    });
    const refused = await project.avatarops("plan");
    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(refused.stderr).toContain("code 0");
    await project.write("avatarops.yaml", `service: { success_codes: [0] }\n${desk}`);
    await applySuccessfully(project);
    await project.expectNothingToDo();
    expect(listContextNames(project)).toEqual(["Desk"]);
  });
});
