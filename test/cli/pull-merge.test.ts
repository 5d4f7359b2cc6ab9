/** Merges dashboard edits into changed files, as git merges branches. */
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply } from "./hosting.js";
import { commit, git } from "./in-git.js";

const manifest = `contexts:
  desk:
    name: Desk
    prompt: !file prompts/desk.md
    opening_text: "Hi!"
    links:
      - url: https://example.com/a
        faq: A
      - url: https://example.com/b
        faq: B
`;
const formatLines = (...changed: readonly string[]) =>
  ["You work at the desk.", "", "Be polite.", "", "Say goodbye.", "", "Never promise."]
    .map((line) => changed.find((one) => line && one.startsWith(line.slice(0, 6))) ?? line)
    .join("\n");

interface Sides {
  readonly applied?: string;
  readonly yours: string;
  readonly dashboard: string;
}

/** Starts an applied, committed project whose prompt then changes in the file and in the account. */
async function startConflict({ applied = formatLines(), yours, dashboard }: Sides): Promise<Project> {
  const project = await startAndApply({
    files: { "avatarops.yaml": manifest, "prompts/desk.md": `${applied}\n` },
  });
  git(project, "init", "--quiet", "-b", "main");
  commit(project);
  project.emulator.editContext("Desk", { prompt: dashboard });
  await project.write("prompts/desk.md", `${yours}\n`);
  commit(project);
  return project;
}

const readPrompt = (project: Project) => project.read("prompts/desk.md");

/** Both sides change the third line, and each side changes one other line. */
const conflict = {
  yours: formatLines("Be polite and brief.", "Say goodbye kindly."),
  dashboard: formatLines("Be polite and warm.", "Never promise anything."),
};

describe("pull after edits in both the files and the dashboard", () => {
  test("merges edits to different lines and reports the number of edits on each side", async () => {
    const project = await startConflict({
      yours: formatLines("Be polite and brief."),
      dashboard: formatLines("Never promise anything."),
    });
    expect(await project.avatarops("plan")).toMatchObject({ stdout: matchText("`pull` merges both") });
    const pulled = await project.avatarops("pull");
    expect(pulled).toMatchObject({
      exit: 0,
      stdout: matchText("Merged: 1 edit from the dashboard, 1 edit from the files."),
    });
    expect(await readPrompt(project)).toBe(
      `${formatLines("Be polite and brief.", "Never promise anything.")}\n`,
    );
    // The dashboard edit is recorded, so apply writes the merged prompt.
    await project.expectDone("apply", "-y");
    expect(project.emulator.world.contexts[0]?.prompt).toBe(
      formatLines("Be polite and brief.", "Never promise anything."),
    );
    await project.expectNothingToDo();
  });

  test("rejects edits to the same lines and shows both sides", async () => {
    const project = await startConflict(conflict);
    const refused = await project.avatarops("pull");
    expect(refused).toMatchObject({ exit: 7, stdout: matchText("changed the same lines") });
    for (const side of ["last applied  Be polite.", "dashboard     Be polite and warm."])
      expect(refused.stdout).toContain(side);
    expect(refused.stdout).toContain("yours         Be polite and brief.");
    for (const way of ["--ours", "--theirs", "--markers"]) expect(refused.stdout).toContain(way);
    expect(await readPrompt(project)).toBe(`${conflict.yours}\n`);
    expect(await project.avatarops("pull", "--ours", "--theirs")).toMatchObject({ exit: 1 });
  });

  test.for([
    ["--ours", "Be polite and brief."],
    ["--theirs", "Be polite and warm."],
  ] as const)("resolves only the conflicting lines with %s", async ([option, line]) => {
    const project = await startConflict(conflict);
    await project.expectDone("pull", option);
    const merged = formatLines(line, "Say goodbye kindly.", "Never promise anything.");
    expect(await readPrompt(project)).toBe(`${merged}\n`);
    await project.expectDone("apply", "-y");
    await project.expectNothingToDo();
  });

  test("writes conflict markers with --markers, and validate fails until the markers are removed", async () => {
    const project = await startConflict(conflict);
    expect(await project.avatarops("pull", "--markers")).toMatchObject({
      exit: 3,
      stdout: matchText("1 conflict to resolve"),
    });
    const markers = "<<<<<<< yours\nBe polite and brief.\n=======\nBe polite and warm.\n>>>>>>> dashboard";
    const rest = ["Say goodbye kindly.", "Never promise anything."];
    const written = await readPrompt(project);
    expect(written).toBe(`${formatLines(...rest).replace("Be polite.", markers)}\n`);
    expect(await project.avatarops("validate")).toMatchObject({
      exit: 1,
      stdout: matchText("merge-conflict"),
    });
    await project.write("prompts/desk.md", `${formatLines("Be polite, brief and warm.", ...rest)}\n`);
    await project.expectDone("apply", "-y");
    await project.expectNothingToDo();
  });

  const markdown = (text: string) => `---\nname: Desk\n---\n${text}\n`;
  const yaml = (style: string, separator: string) => (text: string) =>
    `contexts:\n  desk:\n    prompt: ${style}\n${text
      .split("\n")
      .map((line) => (line ? `      ${line}\n` : separator))
      .join("")}    name: Desk\n`;
  test.for<[string, string, (text: string) => string, number]>([
    ["a Markdown file", "contexts/desk.md", markdown, 6],
    ["a block in YAML", "avatarops.yaml", yaml("|-", "\n"), 6],
    ["a folded block in YAML", "avatarops.yaml", yaml(">- # Text", "\n\n\n"), 8],
    ["a plain text in YAML", "avatarops.yaml", yaml("", "\n\n\n"), 8],
  ])("names the conflicting line in %s", async ([, file, write, line]) => {
    const project = await startAndApply({
      files: { "avatarops.yaml": "include: [contexts/*.md]\n", [file]: write(formatLines()) },
    });
    project.emulator.editContext("Desk", { prompt: conflict.dashboard });
    await project.write(file, write(conflict.yours));
    const refused = await project.avatarops("pull");
    expect(refused).toMatchObject({ exit: 7, stdout: matchText(`${file}:${line}`) });
    const conflicts = [expect.objectContaining({ location: { file, line } })];
    expect(await project.json("pull")).toMatchObject({ refused: [{ conflicts }] });
    expect((await project.json("plan")).changes).toMatchObject([{ fields: [{ conflicts }] }]);
  });

  test("names the final line of the markers if other edits to the same file move them", async () => {
    const write = (text: string) => markdown(text).replace("name: Desk", "name: Desk\nopening_text: Hi");
    const project = await startAndApply({
      files: { "avatarops.yaml": "include: [desk.md]\n", "desk.md": write(formatLines()) },
    });
    project.emulator.editContext("Desk", {
      prompt: conflict.dashboard.replace("You work", "Good day.\nYou work"),
      opening_text: "Hi!\nWelcome!",
    });
    await project.write("desk.md", write(conflict.yours));
    const { pulled } = await project.json("pull", "--markers", "-y");
    const lines = (await project.read("desk.md")).split("\n");
    const line = lines.indexOf("<<<<<<< yours") + 1;
    expect(line).toBeGreaterThan(8);
    expect(pulled).toContainEqual(
      expect.objectContaining({
        field: "prompt",
        merged: expect.objectContaining({
          conflicts: [expect.objectContaining({ location: { file: "desk.md", line } })],
        }),
      }),
    );
  });

  test("names the line of a conflicting list entry", async () => {
    const project = await startConflict({ yours: formatLines(), dashboard: formatLines() });
    const [a, b] = project.emulator.world.contexts[0]?.links ?? [];
    if (!a || !b) throw new Error("no links");
    project.emulator.editContext("Desk", { links: [a, { ...b, faq: "Both" }] });
    await project.write("avatarops.yaml", manifest.replace("faq: B", "faq: Two"));
    expect(await project.json("pull")).toMatchObject({
      refused: [{ conflicts: [{ part: "[1].faq", location: { file: "avatarops.yaml", line: 10 } }] }],
    });
  });

  test.for<[string, string, string]>([
    ["the project allows markers", 'policies: { merge-conflict: { severity: "off" } }\n', "does not cover"],
    ["the text is quoted", "", "contains the text on a single line"],
  ])("rejects --markers if %s", async ([, policies, why]) => {
    const text = (word: string) =>
      `${policies}contexts:\n  desk: { name: Desk, prompt: "Be polite.\\nBe ${word}." }\n`;
    const project = await startAndApply({ files: { "avatarops.yaml": text("kind") } });
    project.emulator.editContext("Desk", { prompt: "Be polite.\nBe warm." });
    await project.write("avatarops.yaml", text("brief"));
    expect(await project.avatarops("pull", "--markers", "-y")).toMatchObject({
      exit: 1,
      stdout: matchText(why),
    });
    expect(await project.read("avatarops.yaml")).toBe(text("brief"));
  });

  test("merges lists by entry and by field", async () => {
    const project = await startConflict({ yours: formatLines(), dashboard: formatLines() });
    const [a, b] = project.emulator.world.contexts[0]?.links ?? [];
    if (!a || !b) throw new Error("no links");
    project.emulator.editContext("Desk", {
      links: [
        { ...a, faq: "All" },
        { ...b, faq: "Both" },
      ],
    });
    await project.write("avatarops.yaml", manifest.replace("example.com/b", "example.com/new"));
    await project.expectDone("pull");
    const text = await project.read("avatarops.yaml");
    expect(text).toBe(
      manifest
        .replace("example.com/b", "example.com/new")
        .replace("faq: A", "faq: All")
        .replace("B\n", "Both\n"),
    );
  });
});

describe("plan after edits in both the files and the dashboard", () => {
  test("shows both edits, compared with the last applied prompt", async () => {
    const project = await startConflict(conflict);
    const { stdout } = await project.avatarops("plan");
    expect(stdout).toContain("edited here and elsewhere: 1 conflict");
    expect(stdout).toMatch(/dashboard .*\n.*3 │ Be polite\{\+ and warm\+\}\./);
    expect(stdout).toMatch(/yours .*\n.*3 │ Be polite\{\+ and brief\+\}\./);
    const [{ fields }] = (await project.json("plan")).changes as [{ fields: object[] }];
    expect(fields).toMatchObject([
      {
        applied: formatLines(),
        conflicts: [
          {
            location: { file: "prompts/desk.md", line: 3 },
            yours: "Be polite and brief.",
            dashboard: "Be polite and warm.",
          },
        ],
      },
    ]);
  });

  test.for([
    [
      "a file edit that continues the dashboard edit",
      "One. Two.",
      "One. Two. Three. Four.",
      "One. Two. Three.",
      true,
    ],
    ["a file edit that surrounds the dashboard edit", "A B.", "A very new B, too.", "A new B.", true],
    [
      "a file edit that undoes the dashboard's deletion",
      "Be warm and kind.",
      "Be warm and kind, always.",
      "Be kind.",
      false,
    ],
    ["a file edit that only starts with the dashboard's word", "One", "Oneself", "Ones", false],
    [
      "a file edit with the dashboard's word in another sentence",
      "Do it. Say it.",
      "Do not do it. Say it.",
      "Do it. Do not say it.",
      false,
    ],
  ] as const)(
    "recognizes whether the files already contain the dashboard edit: %s",
    async ([, applied, yours, dashboard, isContained]) => {
      const project = await startConflict({ applied, yours, dashboard });
      const [change] = (await project.json("plan")).changes as { reason: string }[];
      expect(change?.reason).toBe(isContained ? "configured" : "conflicting");
    },
  );
});
