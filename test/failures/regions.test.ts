/** Regions of a prompt that a running system writes: what is in them is neither seen as a change nor written over. */
import { describe, expect, it } from "vitest";
import type { BlameDocument, DriftDocument } from "../../src/output/documents/index.js";
import { type Project, saying, startProject } from "../cli/hosting.js";
import { inRepository } from "../cli/in-git.js";
import { isLong } from "../real/long.js";
import { applied, applyInShort, planInShort, tell, writes } from "./telling.js";

const region = (inside: string, name = "specials") => `<!-- BEGIN ${name} -->${inside}<!-- END ${name} -->`;
const text = (inside: string, before = "Be kind.") => `${before}\n${region(inside)}\nThe end.`;
const ours = "\nNone today.\n";
const theirs = "\nToday: ${dish}, $& and $1 off.\r\n";
const manifest = `contexts:
  desk:
    name: Desk
    prompt: !file desk.md
    ignore_changes: [specials]
`;

async function startApplied(prompt = text(ours)): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": manifest, "desk.md": `${prompt}\n` } });
  await applied(project);
  return project;
}

function edit({ emulator }: Project, prompt: string): void {
  emulator.editContext("Desk", { prompt });
}

function promptOf({ emulator }: Project): string | undefined {
  return emulator.world.contexts[0]?.prompt;
}

describe("a region that somebody else writes", () => {
  it("is made with the text of the files, and what is written there afterwards is no change", async () => {
    const project = await startApplied();
    expect(promptOf(project)).toBe(text(ours));
    for (const inside of [theirs, text(ours).repeat(5_000).replaceAll("specials", "other")]) {
      edit(project, text(inside));
      await project.expectNothingToDo();
      await project.expectNothingToDo("--refresh", "full");
      expect(await tell(project, "drift")).toMatchObject({ exit: 0 });
      const before = writes(project);
      await applied(project);
      expect(writes(project)).toEqual(before);
      expect(await tell(project, "pull")).toMatchObject({ exit: 0 });
      expect(await project.read("desk.md")).toBe(`${text(ours)}\n`);
      expect(promptOf(project)).toBe(text(inside));
    }
  });

  it("stays as it is when the rest is changed, as it is right before the write", async () => {
    const project = await startApplied();
    edit(project, text(theirs));
    await project.write("desk.md", text("\nAnother default.\n", "Be brief."));
    const shown = await tell(project, "plan");
    expect(shown.stdout).toContain("Be [-kind-]{+brief+}.");
    expect(shown.stdout).not.toContain("Today");
    project.emulator.addFault({
      match: { method: "GET", path: /^\/v1\/contexts\/[^/]+$/ },
      skip: 1,
      do: { kind: "run", run: () => edit(project, text("\nNewer.\n")) },
    });
    expect(await applyInShort(project, "--refresh", "full")).toMatchObject({
      exit: 0,
      ended: ["context.desk applied"],
    });
    expect(promptOf(project)).toBe(text("\nNewer.\n", "Be brief."));
    await project.expectNothingToDo();
  });

  it("makes no saved plan stale", async () => {
    const project = await startApplied();
    await project.write("desk.md", text(ours, "Be brief."));
    expect(await tell(project, "plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    edit(project, text(theirs));
    expect(await tell(project, "apply", "plan.json")).toMatchObject({ exit: 0 });
    expect(promptOf(project)).toBe(text(theirs, "Be brief."));
    await project.expectNothingToDo();
  });

  it("hides no edit around it: it is drift, and pull takes it without what is inside", async () => {
    const project = await startApplied();
    edit(project, text(theirs, "Be rude."));
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk drifted"] });
    const drift = await tell(project, "drift");
    expect(drift).toMatchObject({ exit: 2, stdout: saying("Be [-kind-]{+rude+}.") });
    expect(drift.stdout).not.toContain("Today");
    expect(await tell(project, "pull")).toMatchObject({ exit: 0 });
    expect(await project.read("desk.md")).toBe(`${text(ours, "Be rude.")}\n`);
    await project.expectNothingToDo();
    expect(promptOf(project)).toBe(text(theirs, "Be rude."));
  });

  it("is of no apply for blame, and its marks are", async () => {
    const project = await startApplied();
    edit(project, text(theirs));
    const { stdout } = await tell(project, "blame", "context.desk", "--format", "json");
    const { sentences } = JSON.parse(stdout) as BlameDocument;
    const by = (words: string) => sentences.find((one) => one.text.includes(words))?.by;
    expect([by("Be kind"), by("BEGIN"), by("Today"), by("END")]).toEqual([
      "apply",
      "apply",
      "dashboard",
      "apply",
    ]);
  });

  it("is no edit that keeps an object whose declaration changes its default", async () => {
    const project = await startApplied();
    edit(project, text(theirs));
    await project.write("desk.md", text("\nAnother default.\n"));
    await project.expectNothingToDo();
    await applied(project);
    expect(promptOf(project)).toBe(text(theirs));
    await project.write("desk.md", text("\nA third one.\n", "Be brief."));
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk configured"] });
    await applied(project);
    expect(promptOf(project)).toBe(text(theirs, "Be brief."));
  });
});

it("an edit around a region whose marks are in a partial lands in the prompt, and one beside the marks in the partial", async () => {
  const files = {
    "avatarops.yaml": `templates: [desk.md]\n${manifest}`,
    "desk.md": "Be kind.\n{{> specials}}\nThe end.\n",
    "partials/specials.md": `Specials:\n${region(ours)}\n`,
  };
  const project = await startProject({ files });
  await applied(project);
  edit(project, `Be rude.\nNot special:\n${region(theirs)}\nThe end.`);
  expect(await tell(project, "pull")).toMatchObject({ exit: 0 });
  expect(await project.read("desk.md")).toBe(files["desk.md"].replace("kind", "rude"));
  expect(await project.read("partials/specials.md")).toBe(`Not special:\n${region(ours)}\n`);
  await project.expectNothingToDo();
});

it("a rollback brings back what is around a region, and --write what the files had in it", async () => {
  const project = await startProject({ files: { "avatarops.yaml": manifest } });
  const texts = [`${text(ours)}\n`, `${text("\nAnother default.\n", "Be brief.")}\n`];
  await inRepository(project, "desk.md", texts);
  edit(project, text(theirs, "Be brief."));
  expect(await tell(project, "rollback", "-y", "--to", "1", "--write")).toMatchObject({ exit: 0 });
  expect(promptOf(project)).toBe(text(theirs));
  expect(await project.read("desk.md")).toContain("Be kind.");
  await project.expectNothingToDo();
});

it("documents say of a text that is not known which regions are left out", async () => {
  const project = await startApplied();
  edit(project, text(theirs, "Be rude."));
  await project.write("desk.md", text(ours, "Be brief."));
  const { stdout } = await tell(project, "drift", "--format", "json");
  const [object] = (JSON.parse(stdout) as DriftDocument).objects;
  expect(object?.fields[0]?.before).toMatchObject({ regions: ["specials"] });
  for (const command of ["history", "plan"])
    expect(await tell(project, command, "--format", "json")).toMatchObject({ exit: 0 });
});

describe("an update beside the system", () => {
  it("whose answer was lost is found, whatever the system has written since", async () => {
    const project = await startApplied();
    await project.write("desk.md", text(ours, "Be brief."));
    const drop = { kind: "drop", when: "after" } as const;
    project.emulator.addFault({ match: { method: "PATCH" }, times: Number.POSITIVE_INFINITY, do: drop });
    project.emulator.addFault({
      match: { method: "GET", path: /^\/v1\/contexts\/[^/]+$/ },
      skip: 2,
      do: { kind: "run", run: () => edit(project, text(theirs, "Be brief.")) },
    });
    expect(await applyInShort(project, "--refresh", "full")).toMatchObject({
      ended: ["context.desk applied"],
      notes: [saying("The answer was lost")],
    });
    expect(promptOf(project)).toBe(text(theirs, "Be brief."));
    await project.expectNothingToDo();
  });

  it("fails if the service cuts the text within the region", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": manifest, "desk.md": `${text(ours)}\n` },
      emulator: { behaviour: { promptCutAt: text(ours).length + 2 } },
    });
    await applied(project);
    edit(project, text("\nToday: more.\n", "Be"));
    await project.write("desk.md", text(ours, "Be brief, and kind."));
    expect(await applyInShort(project, "--overwrite-drift")).toMatchObject({
      ended: ["context.desk failed not-as-sent"],
    });
  });
});

describe("a live text without the marks", () => {
  it("gets them: the plan says so, and shows what else differs", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": manifest.replace(/ +ignore.*\n/, ""), "desk.md": "Be kind.\nThe end.\n" },
    });
    await applied(project);
    await project.write("avatarops.yaml", manifest);
    await project.write("desk.md", text(ours));
    expect(await planInShort(project)).toMatchObject({
      wants: ["update context.desk configured"],
      notes: [
        "The region specials of the live prompt is missing: this writes its marks, with the text between them that is declared.",
      ],
    });
    await applied(project);
    expect(promptOf(project)).toBe(text(ours));
    await project.expectNothingToDo();
  });

  const broken = [
    ["Be kind.\nThe end.", "The region specials of the live prompt is missing"],
    [`${text(theirs)} ${region(ours)}`, "The region specials of the live prompt begins twice"],
    [
      text(theirs).replace("<!-- END specials -->", ""),
      "The region specials of the live prompt does not end",
    ],
    [
      text(theirs).replace("BEGIN", "END"),
      "The region specials of the live prompt ends where it has not begun",
    ],
  ] as const;

  it.each(isLong ? broken : broken.slice(0, 2))(
    "after an edit is drift, and is not written over unasked: %j",
    async (live, note) => {
      const project = await startApplied();
      edit(project, live);
      expect(await planInShort(project)).toMatchObject({
        wants: ["update context.desk drifted"],
        notes: [saying(note)],
      });
      expect(await applyInShort(project)).toMatchObject({ ended: ["context.desk skipped drifted"] });
      const pulled = await tell(project, "pull");
      expect(pulled.stdout + pulled.stderr).toMatch(/lacks marks of a region that ignore_changes names/);
      expect(await project.read("desk.md")).toBe(`${text(ours)}\n`);
      expect(promptOf(project)).toBe(live);
      await applied(project, "--overwrite-drift");
      expect(promptOf(project)).toBe(text(ours));
      await project.expectNothingToDo();
    },
  );
});

describe("ignore_changes", () => {
  it("that is given to a text with marks, or taken away from it, writes nothing unseen", async () => {
    const project = await startApplied();
    edit(project, text(theirs));
    await project.write("avatarops.yaml", manifest.replace(/ +ignore.*\n/, ""));
    const planned = await tell(project, "plan");
    expect(planned.stdout).toContain("Today");
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk configured"] });
    await applied(project);
    expect(promptOf(project)).toBe(text(ours));
    edit(project, text(theirs));
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk drifted"] });
    await project.write("avatarops.yaml", manifest);
    await project.expectNothingToDo();
    await applied(project);
    expect(promptOf(project)).toBe(text(theirs));
    await project.write("desk.md", text(ours, "Be brief."));
    await applied(project);
    expect(promptOf(project)).toBe(text(theirs, "Be brief."));
  });
});

it("in TypeScript, regions are the same, and a broken one is told at its text", async () => {
  const config = (prompt: string) => `import { Context, Project } from "avatarops";
const project = new Project();
const prompt = ${JSON.stringify(prompt)};
new Context(project, "desk", { name: "Desk", prompt, ignoreChanges: ["specials"] });
export default project;
`;
  const project = await startProject({ files: { "avatarops.config.ts": config(text(ours)) } });
  await applied(project);
  edit(project, text(theirs));
  await project.expectNothingToDo();
  await project.write("avatarops.config.ts", config("<!-- END specials -->"));
  const said = (await tell(project, "validate")).stdout;
  expect(said).toContain("context.desk: the region specials of prompt ends where it has not begun");
  expect(said).toContain("avatarops.config.ts:4:1");
});
