// @module-tag night
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLong } from "../real/long.js";
import { type Project, startAndApply } from "./hosting.js";

/**
 * Git on Windows may check out files with CRLF, and web forms change line endings. Therefore comparisons ignore line
 * endings, and files are read with LF.
 */

const text = "You are the voice of the desk.\n\nAsk for the order number, then wait.\nBe kind.\n";
const toWindowsLineEnds = (lines: string) => lines.replaceAll("\n", "\r\n");

const files = {
  "avatarops.yaml": `include: [contexts/*.md]
contexts:
  beside: { name: Beside, prompt: !file prompts/beside.md }
  inline:
    name: Inline
    prompt: |
${text.replace(/^(?=.)/gm, "      ")}    opening_text: >-
      Two
      lines
`,
  "contexts/body.md": `---\nname: Body\nlinks: [{ url: https://example.com, faq: One }]\n---\n${text}`,
  "prompts/beside.md": text,
};
const contexts = ["Beside", "Inline", "Body"];

async function startAppliedProject(): Promise<Project> {
  const project = await startAndApply({ files });
  expect(project.emulator.world.contexts.map(({ prompt }) => prompt).join("")).not.toContain("\r");
  return project;
}

async function checkOut(project: Project, lineEnds: (lines: string) => string): Promise<void> {
  for (const [file, lines] of Object.entries(files)) await project.write(file, lineEnds(lines));
}

test("plans nothing after line endings change to CRLF or back to LF", async () => {
  const project = await startAppliedProject();
  for (const lineEnds of [toWindowsLineEnds, (lines: string) => lines]) {
    await checkOut(project, lineEnds);
    await project.expectNothingToDo("--refresh", "full");
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  }
  const writes = project.emulator.requests.filter(({ method }) => method !== "GET");
  expect(writes.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
});

describe("live prompt with CRLF line endings", () => {
  test("is neither reported as drift nor pulled", async () => {
    const project = await startAppliedProject();
    for (const { id, prompt } of project.emulator.world.contexts)
      project.emulator.editContext(id, { prompt: toWindowsLineEnds(prompt) });
    await project.expectNothingToDo();
    await project.expectNothingToDo("--refresh", "full");
    expect((await project.avatarops("pull")).stdout).toContain("Nothing to pull");
    expect(await project.read("prompts/beside.md")).toBe(text);
  });

  test("shows another edit in the plan without line ending changes", async () => {
    const project = await startAppliedProject();
    project.emulator.editContext("Body", {
      prompt: toWindowsLineEnds(text.replace("kind", "very kind")).trimEnd(),
    });
    const { stdout } = await project.avatarops("plan");
    expect(stdout).toContain("8 │ Be [-very -]kind.");
    expect(stdout).not.toMatch(/␍|order number/);
  });

  test.each([
    ["\n", "\n"],
    ["\r\n", "\r\n"],
  ])("keeps %j line endings in the files when it is pulled", async (_, end) => {
    const project = await startAppliedProject();
    await checkOut(project, (lines) => lines.replaceAll("\n", end));
    const edit = text.replace("kind.", "very kind.");
    for (const name of contexts) project.emulator.editContext(name, { prompt: toWindowsLineEnds(edit) });
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo("--refresh", "full");
    expect(await project.read("prompts/beside.md")).toBe(`${edit}\n`.replaceAll("\n", end));
    for (const file of Object.keys(files))
      expect((await project.read(file)).replaceAll(end, "")).not.toMatch(/[\r\n]/);
  });
});

test("leaves nothing to plan after pulling any mix of CR and LF", async () => {
  const project = await startAppliedProject();
  const lines = fc.array(fc.constantFrom("\r", "\n", "\r\n", "a", " ", "---"), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, fc.constantFrom(...contexts), async (parts, name) => {
      project.emulator.editContext(name, { prompt: parts.join("") });
      expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
      await project.expectNothingToDo("--refresh", "full");
    }),
    { numRuns: isLong ? 60 : 20 },
  );
});

test("sends no update if prompts differ only in line endings", async () => {
  const project = await startAndApply({
    files: { "avatarops.yaml": 'contexts:\n  a: { name: A, prompt: "one\\r\\ntwo" }\n' },
  });
  // A quoted string in YAML is sent unchanged.
  expect(project.emulator.world.contexts[0]?.prompt).toBe("one\r\ntwo");
  await project.write("avatarops.yaml", 'contexts:\n  a: { name: A, prompt: "one\\ntwo" }\n');
  await project.expectNothingToDo();
});
