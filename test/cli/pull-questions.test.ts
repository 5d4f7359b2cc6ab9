/** Tests what `pull` asks before it writes. The command does not hold the lock while it waits for a reply. */
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply } from "./hosting.js";
import { commit, git } from "./in-git.js";

const files = {
  "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: !file prompts/desk.md }\n",
  "prompts/desk.md": "Applied.\n",
};
const readPrompt = (project: Project) => project.read("prompts/desk.md");
const named = ["pull", "context.desk", "--theirs"];

/** Starts an applied, committed project whose prompt was then edited in the account. */
async function startEdited(): Promise<Project> {
  const project = await startAndApply({ files });
  git(project, "init", "--quiet", "-b", "main");
  commit(project);
  project.emulator.editContext("Desk", { prompt: "In the dashboard." });
  return project;
}

describe("pull --theirs of a named object", () => {
  test("asks before dropping an uncommitted edit to the same prompt", async () => {
    const project = await startEdited();
    await project.write("prompts/desk.md", "Uncommitted.\n");
    const unasked = await project.avatarops(...named);
    expect(unasked).toMatchObject({ exit: 7, stdout: matchText("an uncommitted edit") });
    const typed = (text: string) => project.avataropsWith({ typed: `${text}\n` }, ...named);
    const refused = await typed("no");
    expect(refused).toMatchObject({
      exit: 130,
      stderr: matchText("This pull discards an uncommitted edit"),
    });
    expect(await readPrompt(project)).toBe("Uncommitted.\n");
    expect(await typed("yes")).toMatchObject({ exit: 0 });
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("drops an uncommitted edit with --auto-approve", async () => {
    const project = await startEdited();
    await project.write("prompts/desk.md", "Uncommitted.\n");
    await project.expectDone(...named, "-y");
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("replaces a committed prompt without asking", async () => {
    const project = await startEdited();
    await project.write("prompts/desk.md", "Committed.\n");
    commit(project);
    await project.expectDone(...named);
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("asks before dropping an unapplied edit outside a repository", async () => {
    const project = await startAndApply({ files });
    project.emulator.editContext("Desk", { prompt: "In the dashboard." });
    await project.write("prompts/desk.md", "Never applied.\n");
    const unasked = await project.avatarops(...named);
    expect(unasked).toMatchObject({ exit: 7, stdout: matchText("drop a value that is not applied yet") });
    const typed = (text: string) => project.avataropsWith({ typed: `${text}\n` }, ...named);
    expect(await typed("no")).toMatchObject({
      exit: 130,
      stderr: matchText("This pull discards an unapplied change"),
    });
    expect(await readPrompt(project)).toBe("Never applied.\n");
    expect(await typed("yes")).toMatchObject({ exit: 0 });
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("replaces an applied prompt outside a repository without asking", async () => {
    const project = await startAndApply({ files });
    project.emulator.editContext("Desk", { prompt: "In the dashboard." });
    await project.expectDone(...named);
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("does not ask about other uncommitted edits in the file", async () => {
    const project = await startEdited();
    await project.write("prompts/other.md", "New.\n");
    await project.expectDone(...named);
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });
});

describe("pull confirmation", () => {
  test("does not block an apply", async () => {
    const shared = `${files["avatarops.yaml"]}  copy: { name: Copy, prompt: !file prompts/desk.md }\n`;
    const project = await startAndApply({ files: { ...files, "avatarops.yaml": shared } });
    project.emulator.editContext("Desk", { prompt: "In the dashboard." });
    await project.write("avatarops.yaml", `${shared}  night: { name: Night, prompt: Sleep. }\n`);
    let applied: number | undefined;
    const typed = async () => {
      applied = (await project.avatarops("apply", "-y", "--target", "context.night")).exit;
      return "yes\n";
    };
    expect(await project.avataropsWith({ typed }, "pull")).toMatchObject({ exit: 0 });
    expect(applied).toBe(0);
    expect(await readPrompt(project)).toBe("In the dashboard.\n");
  });

  test("is invalid if the account or the file changes before the reply", async () => {
    for (const change of [
      async (project: Project) => project.emulator.editContext("Desk", { prompt: "Once more." }),
      (project: Project) => project.write("prompts/desk.md", "Edited meanwhile.\n"),
    ]) {
      const project = await startEdited();
      await project.write("prompts/desk.md", "Uncommitted.\n");
      const typed = async () => {
        await change(project);
        return "yes\n";
      };
      const { exit } = await project.avataropsWith({ typed }, ...named);
      expect(exit).not.toBe(0);
      expect(await readPrompt(project)).not.toContain("dashboard");
      expect(await readPrompt(project)).not.toContain("Once more");
    }
  });
});

describe("pull of a named object without dashboard edits", () => {
  test("asks before dropping a committed prompt that is not applied yet", async () => {
    const project = await startEdited();
    // The first pull merges. The second pull finds the merged prompt committed, but not applied.
    project.emulator.editContext("Desk", { prompt: "Applied.\nIn the dashboard." });
    await project.write("prompts/desk.md", "Mine.\n\nApplied.\n");
    commit(project);
    await project.expectDone("pull", "context.desk");
    commit(project);
    const merged = await readPrompt(project);
    expect(merged).toContain("Mine.");
    expect(await project.avatarops("pull", "context.desk")).toMatchObject({
      exit: 7,
      stdout: matchText("drop a committed value that is not applied yet"),
    });
    await project.expectDone("pull", "context.desk", "--ours");
    expect(await readPrompt(project)).toBe(merged);
    await project.expectDone("pull", "context.desk", "-y");
    expect(await readPrompt(project)).not.toContain("Mine.");
  });
});
