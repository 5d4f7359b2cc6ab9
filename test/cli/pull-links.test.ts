/** Tests `pull` and `promote` in projects where several names lead to one file. */
import { mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "./hosting.js";

interface Linked {
  readonly files: Readonly<Record<string, string>>;
  /** Targets of symlinks, by path. */
  readonly links: Readonly<Record<string, string>>;
}

async function startLinked({ files, links }: Linked, ...argv: readonly string[]): Promise<Project> {
  const project = await startProject({ files });
  for (const [file, target] of Object.entries(links)) {
    mkdirSync(path.join(project.folder, path.dirname(file)), { recursive: true });
    symlinkSync(target, path.join(project.folder, file));
  }
  await project.expectDone("apply", "-y", ...argv);
  return project;
}

const lines = "First line.\nSecond line.\nThird line.\nFourth line.\n";
const withFirst = lines.replace("First", "1st");
const withFourth = lines.replace("Fourth", "4th");

const plainTexts: Linked = {
  files: {
    "avatarops.yaml": `contexts:
  one: { name: One, prompt: !file prompts/a.md }
  two: { name: Two, prompt: !file prompts/b.md }
`,
    "prompts/a.md": lines,
  },
  links: { "prompts/b.md": "a.md" },
};

const linkedFolder: Linked = {
  files: {
    ...plainTexts.files,
    "avatarops.yaml": `contexts:
  one: { name: One, prompt: !file prompts/a.md }
  two: { name: Two, prompt: !file linked/a.md }
`,
  },
  links: { linked: "prompts" },
};

const partials: Linked = {
  files: {
    "avatarops.yaml": `templates: [prompts/*.md]
contexts:
  one: { name: One, prompt: !file prompts/one.md }
  two: { name: Two, prompt: !file prompts/two.md }
`,
    "prompts/one.md": "Hello.\n\n{{> tone}}\n",
    "prompts/two.md": "Goodbye.\n\n{{> voice}}\n",
    "partials/tone.md": lines,
  },
  links: { "partials/voice.md": "tone.md" },
};

const readLive = ({ emulator }: Project, name: string) =>
  emulator.world.contexts.find((one) => one.name === name)?.prompt ?? "";

/** Replaces a word of a live prompt. */
function editLive(project: Project, name: string, from: string, to: string): void {
  project.emulator.editContext(name, { prompt: readLive(project, name).replace(from, to) });
}

describe("pull of texts that share a file through a symlink", () => {
  test.each([
    ["a linked file", plainTexts],
    ["a linked folder", linkedFolder],
  ])("refuses different edits of two objects in %s", async (_, setup) => {
    const project = await startLinked(setup);
    editLive(project, "One", "First", "1st");
    editLive(project, "Two", "Fourth", "4th");
    expect(await project.avatarops("pull", "-y")).toMatchObject({
      exit: 1,
      stdout: matchText("context.two.prompt also uses the text in prompts/a.md"),
    });
    expect(await project.read("prompts/a.md")).toBe(lines);
  });

  test.each([
    ["a linked file", plainTexts, "prompts/a.md"],
    ["a linked partial", partials, "partials/tone.md"],
  ])("names the other object of %s, and changes it only with --auto-approve", async (_, setup, file) => {
    const project = await startLinked(setup);
    editLive(project, "One", "First", "1st");
    expect(await project.avatarops("pull", "context.one")).toMatchObject({
      exit: 7,
      stdout: matchText("context.two.prompt would also change"),
    });
    expect(await project.read(file)).toBe(lines);
    await project.expectDone("pull", "context.one", "-y");
    expect(await project.read(file)).toBe(withFirst);
    expect((await project.json("plan")).changes).toMatchObject([{ address: "context.two" }]);
  });

  test("joins edits to different lines of a linked partial", async () => {
    const project = await startLinked(partials);
    editLive(project, "One", "First", "1st");
    editLive(project, "Two", "Fourth", "4th");
    await project.expectDone("pull", "-y");
    expect(await project.read("partials/tone.md")).toBe(withFirst.replace("Fourth", "4th"));
  });

  test("inlines a linked partial with --here", async () => {
    const project = await startLinked(partials);
    editLive(project, "Two", "Fourth", "4th");
    await project.expectDone("pull", "--here");
    expect(await project.read("partials/tone.md")).toBe(lines);
    expect(await project.read("prompts/two.md")).toBe(`Goodbye.\n\n${withFourth}`);
    await project.expectNothingToDo();
  });
});

test("pull refuses edits that overlap in a file used as a document and as a whole text", async () => {
  const files = {
    "avatarops.yaml":
      "include: [contexts/*.md]\ncontexts: { whole: { name: Whole, prompt: !file contexts/one.md } }\n",
    "contexts/one.md": "---\nname: One\n---\nBe polite.\n",
  };
  const project = await startLinked({ files, links: {} });
  editLive(project, "One", "polite", "very polite");
  editLive(project, "Whole", "polite", "brief");
  expect(await project.avatarops("pull", "-y")).toMatchObject({
    exit: 1,
    stdout: matchText("several values overlap there"),
  });
  expect(await project.read("contexts/one.md")).toBe(files["contexts/one.md"]);
});

describe("promote", () => {
  test("writes nothing if the source environment's file is a symlink to the target's", async () => {
    const project = await startLinked(
      {
        files: {
          "avatarops.yaml": `contexts:
  one: { name: One, prompt: Shared. }
environments:
  dev: { contexts: { one: { prompt: !file dev/a.md } } }
  staging: { contexts: { one: { prompt: !file staging/a.md } } }
  production: { contexts: { one: { prompt: !file prod/a.md } } }
`,
          "prod/a.md": lines,
          "staging/a.md": withFirst,
        },
        links: { "dev/a.md": "../prod/a.md" },
      },
      ...["--env", "staging"],
    );
    await project.expectRefused(
      ["promote", "context.one", "--from", "staging", "--to", "production"],
      "the edit would unintentionally change context.one in dev",
    );
    expect(await project.read("prod/a.md")).toBe(lines);
  });

  test("writes through the target environment's symlink", async () => {
    const project = await startLinked(
      {
        files: {
          "avatarops.yaml": `contexts:
  one: { name: One, prompt: !file staging/a.md }
environments:
  staging: {}
  production: { contexts: { one: { prompt: !file prod/a.md } } }
`,
          "texts/a.md": lines,
          "staging/a.md": withFirst,
        },
        links: { "prod/a.md": "../texts/a.md" },
      },
      ...["--env", "staging"],
    );
    await project.expectDone("promote", "context.one", "--from", "staging", "--to", "production");
    expect(await project.read("texts/a.md")).toBe(withFirst);
  });
});
