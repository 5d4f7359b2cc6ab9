// @module-tag night
import { cp, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, runIn, saying, startProject } from "./hosting.js";
import { apply, change, commit, git, json, long, promptAt, repository } from "./in-git.js";

test("shows an object as it was applied, with the texts of the commit", async () => {
  const project = await repository();
  await change(project, long("Second."));
  await project.write("prompts/desk.md", "Not applied.\n");
  expect(await promptAt(project, "1")).toBe(long("First."));
  expect(await promptAt(project, "HEAD")).toBe(long("Second."));
  const now = await project.avatarops("show", "context.desk");
  expect(now).toMatchObject({ exit: 0, stdout: saying("Second. You answer callers") });
});

test("finds a text that was committed after it was applied, and says so of one that never was", async () => {
  const project = await repository();
  await project.write("prompts/desk.md", long("Second."));
  await apply(project);
  commit(project);
  await project.write("prompts/desk.md", long("Third."));
  await apply(project);
  expect(await promptAt(project, "3")).toBe(long("Third."));
  await change(project, long("Fourth."));
  expect(await promptAt(project, "2")).toBe(long("Second."));
  const lost = await project.avatarops("show", "context.desk", "--at", "3");
  expect(lost).toMatchObject({
    exit: 1,
    stdout: saying("text not recorded"),
    stderr: saying("no commit since then has it"),
  });
  expect(lost.stdout).not.toMatch(/First|Second|Fourth/);
  expect(lost.stdout).toContain('"Desk"');
});

test("says what to do where the commit is not in the clone", async () => {
  const project = await repository();
  await change(project, long("Second."));
  const folder = await newFolder();
  git(project, "clone", "--quiet", "--depth", "1", `file://${project.folder}`, folder);
  await cp(path.join(project.folder, ".avatarops"), path.join(folder, ".avatarops"), { recursive: true });
  expect(await runIn(folder, ["show", "context.desk"])).toMatchObject({ exit: 0 });
  expect(await runIn(folder, ["show", "context.desk", "--at", "1"])).toMatchObject({
    exit: 1,
    stderr: saying("this clone is shallow: `git fetch --unshallow` gets the rest"),
  });
});

test("tells environments apart", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": [
        "contexts:",
        `  desk: { name: Desk, prompt: ${long("Everywhere.")} }`,
        "environments:",
        "  staging:",
        "    state: .avatarops/staging.json",
        `    contexts: { desk: { name: Desk (staging), prompt: ${long("Staging.")} } }`,
      ].join("\n"),
    },
  });
  git(project, "init", "--quiet");
  commit(project);
  await apply(project);
  await apply(project, "--env", "staging");
  await project.write(
    "avatarops.yaml",
    (await project.read("avatarops.yaml")).replaceAll("callers", "people"),
  );
  commit(project);
  await apply(project, "--env", "staging");
  const shown = await json(project, "show", "context.desk", "--env", "staging", "--at", "1");
  expect(shown.fields).toMatchObject([{ value: "Desk (staging)" }, { value: long("Staging.") }]);
  expect((await json(project, "show", "context.desk")).fields).toMatchObject([
    { value: "Desk" },
    { value: long("Everywhere.") },
  ]);
  const { records: listed } = await json(project, "history", "--env", "staging");
  expect(listed).toMatchObject([{ serial: 2, environment: "staging" }, { serial: 1 }]);
});

test("reads a project in a folder of the repository, with includes and links, and follows none out of it", async () => {
  const prompt = long("First.");
  const project = await startProject({
    files: {
      "outside.md": `${long("Outside.")}\n`,
      "avatars/avatarops.yaml": 'include: ["contexts/*.md"]\n',
      "avatars/texts/desk.md": `---\nname: Desk\n---\n${prompt}\n`,
      "avatars/contexts/night.md": `---\nname: Night\n---\n${long("Night.")}\n`,
    },
  });
  await symlink("../texts/desk.md", path.join(project.folder, "avatars/contexts/desk.md"));
  git(project, "init", "--quiet");
  commit(project);
  const main = ["-f", "avatars/avatarops.yaml"];
  await apply(project, ...main);
  await project.write("avatars/texts/desk.md", `---\nname: Desk\n---\n${long("Second.")}\n`);
  await apply(project, ...main);
  const shown = await json(project, "show", "context.desk", "--at", "1", ...main);
  expect(shown.fields).toMatchObject([{ value: "Desk" }, { value: prompt }]);
  expect(shown.at.commit.file).toBe("avatars/avatarops.yaml");

  commit(project);
  await project.write("avatars/texts/desk.md", `---\nname: Desk\n---\n${long("Third.")}\n`);
  await apply(project, ...main);
  const second = await json(project, "show", "context.desk", "--at", "2", ...main);
  expect(second.fields).toMatchObject([{ value: "Desk" }, { value: long("Second.") }]);

  // A commit that never loaded: its link leads out of the project.
  const state = "avatars/.avatarops/state.json.history";
  const include = await project.read("avatars/avatarops.yaml");
  await symlink("../outside.md", path.join(project.folder, "avatars/out.md"));
  await project.write(
    "avatars/avatarops.yaml",
    `${include}contexts: { out: { name: Out, prompt: !file out.md } }\n`,
  );
  const hostile = commit(project);
  const changed = (await project.read(state)).replaceAll(/"commit":"[0-9a-f]+"/g, `"commit":"${hostile}"`);
  await project.write(state, changed);
  await project.write("avatars/texts/desk.md", `---\nname: Desk\n---\n${long("Fourth.")}\n`);
  await project.write("avatars/avatarops.yaml", include);
  expect(await project.avatarops("show", "context.desk", "--at", "1", ...main)).toMatchObject({
    exit: 1,
    stderr: saying("leads outside the project folder through a link"),
  });
});

test("runs no TypeScript of an old commit, and finds the texts that are files of their own", async () => {
  const code = (opening: string) => `import { Context, Project, promptFile } from "avatarops";
import { writeFileSync } from "node:fs";
writeFileSync(new URL("ran-${opening.slice(0, 3)}", import.meta.url), "");
const project = new Project();
new Context(project, "desk", {
name: "Desk", prompt: promptFile("prompts/desk.md"), openingText: ${JSON.stringify(opening)},
});
export default project;
`;
  const project = await startProject({
    files: { "main.ts": code(long("One.")), "prompts/desk.md": long("First.") },
  });
  git(project, "init", "--quiet");
  commit(project);
  await apply(project, "-f", "main.ts");
  await project.write("main.ts", code(long("Two.")));
  await project.write("prompts/desk.md", long("Second."));
  commit(project);
  await apply(project, "-f", "main.ts");
  git(project, "rm", "--quiet", "--cached", "ran-One");
  await rm(path.join(project.folder, "ran-One"));
  const shown = await project.avatarops(
    "show",
    "context.desk",
    "--at",
    "1",
    "-f",
    "main.ts",
    "--format",
    "json",
  );
  expect(shown).toMatchObject({
    exit: 1,
    stderr: saying("TypeScript, which is not run for an old commit"),
  });
  expect(JSON.parse(shown.stdout).fields).toMatchObject([
    { field: "name", value: "Desk" },
    { field: "prompt", value: long("First.") },
    { field: "opening_text", value: { length: long("One.").length } },
  ]);
  expect([project.has("ran-One"), project.has("ran-Two")]).toEqual([false, true]);
});
