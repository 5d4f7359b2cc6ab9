/** Checks that a pull into a manifest in JSON leaves valid JSON. */
import { describe, expect, test } from "vitest";
import { type Project, startProject } from "./hosting.js";

const terms = { url: "https://example.com/terms", faq: "Terms" };
const late = { url: "https://example.com/late", faq: 'Late: "when?"\nSee {terms}.' };

const desk = { name: "Desk", opening_text: "Hi", prompt: "Be brief.", links: [terms] };

/** Runs commands with a manifest in JSON. */
async function startWithJson() {
  const text = `${JSON.stringify({ contexts: { desk } }, null, 2)}\n`;
  const project = await startProject({ files: { "avatarops.json": text } });
  await project.expectDone("apply", "-y", "--file", "avatarops.json");
  return { ...project, text };
}

const edit = ({ emulator }: Project, fields: Parameters<Project["emulator"]["editContext"]>[1]) =>
  emulator.editContext("Desk", fields);

describe("pull into a manifest in JSON", () => {
  test("writes new links and texts as JSON", async () => {
    const project = await startWithJson();
    const [live] = project.emulator.world.contexts;
    const links = [...(live?.links ?? []), { ...late, id: "7d1f0c1e-0000-1000-8000-000000000001" }];
    edit(project, { links, opening_text: "Hi: you\u0007", prompt: 'Be kind.\n\n- \u2603 "Ask"\n' });
    await project.expectDone("pull", "-y", "--file", "avatarops.json");
    const written = JSON.parse(await project.read("avatarops.json"));
    expect(written.contexts.desk).toMatchObject({ links: [terms, late], opening_text: "Hi: you\u0007" });
    await project.expectNothingToDo("--file", "avatarops.json");
  });

  test("replaces only a changed text", async () => {
    const project = await startWithJson();
    edit(project, { prompt: "Be kind." });
    await project.expectDone("pull", "-y", "--file", "avatarops.json");
    expect(await project.read("avatarops.json")).toBe(project.text.replace("brief", "kind"));
  });
});
