/** Checks that changes to a large share of the managed objects need `--allow threshold`. */
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";

const createNames = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);

/** Declares contexts. The first `changed` contexts have another prompt. */
function formatContexts(count: number, changed = 0): string {
  const lines = createNames(count).map((name, i) => {
    const prompt = i < changed ? "Be brief." : "Be kind.";
    return `  ${name}: { name: ${name}, prompt: ${prompt} }`;
  });
  return `contexts:\n${lines.join("\n")}\n`;
}

async function startWith(count: number, settings = ""): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": settings + formatContexts(count) } });
  // In a fresh account everything is new, so `--allow threshold` is not needed.
  expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  return project;
}

const listPrompts = ({ emulator }: Project) => emulator.world.contexts.map(({ prompt }) => prompt);

describe("apply that changes more than 30 % of at least 10 managed objects", () => {
  test("is rejected with the number of changes, but succeeds with --allow threshold", async () => {
    const project = await startWith(10);
    await project.write("avatarops.yaml", formatContexts(10, 4));
    const plan = await project.avatarops("plan");
    const notice = "The plan changes 4 of 10 managed objects (40%), but the threshold is 30%.";
    expect(plan).toMatchObject({
      exit: 0,
      stdout: matchText(`${notice} To apply it: \`avatarops apply --allow threshold\`.`),
    });
    expect((await project.avatarops("plan", "--format", "markdown")).stdout).toContain(
      "4 of 10 managed objects",
    );
    const refused = await project.avatarops("apply", "-y");
    expect(refused).toMatchObject({ exit: 7, stderr: matchText(`error[threshold] ${notice}`) });
    // A terminal shows the rejection before the confirmation.
    expect(await project.avataropsWith({ typed: "yes\n" }, "apply")).toMatchObject({ exit: 7 });
    expect(listPrompts(project)).not.toContain("Be brief.");
    expect(await project.avatarops("apply", "-y", "--allow", "threshold")).toMatchObject({ exit: 0 });
    expect(listPrompts(project).filter((prompt) => prompt === "Be brief.")).toHaveLength(4);
    await project.expectNothingToDo();
  });
});

test("rejects an apply that replaces 4 of 10 objects", async () => {
  const project = await startProject({ world: generateDataset({ avatars: 14 }) });
  const hosts = project.emulator.world.avatars;
  const declare = (from: (key: number) => number) =>
    project.write(
      "avatarops.yaml",
      `avatars:\n${createNames(10)
        .map((key, at) => `  ${key}: { id: ${hosts[from(at)]?.id}, name: Host ${at} }`)
        .join("\n")}\n`,
    );
  await declare((at) => at);
  await project.expectDone("apply", "-y");
  await declare((at) => (at < 4 ? at + 10 : at));
  await project.expectRefused(["apply", "-y"], "changes 4 of 10 managed objects (40%)", 7);
  expect(hosts.filter(({ name }) => name === "Host 0")).toHaveLength(1);
});

describe("apply below the threshold", () => {
  const cases: [what: string, managed: number, then: string][] = [
    ["exactly 30 %", 10, formatContexts(10, 3)],
    ["fewer than 10 managed objects", 9, formatContexts(9, 9)],
    ["any number of new objects", 10, formatContexts(40)],
    ["fewer changes next to new objects", 10, formatContexts(40, 3)],
    ["renamed addresses", 10, formatContexts(10).replace(/^ {2}c(?=\d:)/gm, "  desk")],
  ];

  test.each(cases)("needs no --allow for %s", async (_, managed, then) => {
    const project = await startWith(managed);
    await project.write("avatarops.yaml", then);
    await project.expectApplied();
  });

  test("needs no --allow if the same objects get new addresses and upper-case ids", async () => {
    const ids = createNames(10).map((_, i) => `0000000${i}-aaaa-4000-8000-00000000000a`);
    const avatars = (prefix: string, written = (id: string) => id) =>
      `avatars:\n${ids.map((id, i) => `  ${prefix}${i}: { id: ${written(id)}, name: Host ${i} }`).join("\n")}\n`;
    const project = await startProject({ files: { "avatarops.yaml": avatars("a") } });
    const { avatars: hosts } = generateDataset({ avatars: 10 });
    project.emulator.world.avatars.push(...hosts.map((host, i) => ({ ...host, id: ids[i] ?? "" })));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    await project.write(
      "avatarops.yaml",
      avatars("b", (id) => id.toUpperCase()),
    );
    // Runs only `plan`, because the emulator would not find upper-case ids. Removing the objects would exceed the
    // threshold.
    expect((await project.avatarops("plan")).stdout).not.toContain("threshold");
  });

  test("needs no --allow for adoptions", async () => {
    const project = await startWith(10);
    for (const name of createNames(20).slice(10)) project.emulator.addContext({ name, prompt: "Be kind." });
    await project.write("avatarops.yaml", formatContexts(20));
    const ran = await project.avatarops("apply", "-y");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0, stdout: matchText("adopted") });
  });

  test("needs no --allow for drift unless the apply overwrites the drift", async () => {
    const project = await startWith(10);
    for (const name of createNames(4)) project.emulator.editContext(name, { prompt: "Theirs." });
    await project.write("avatarops.yaml", formatContexts(11));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const refused = await project.avatarops("apply", "-y", "--overwrite-drift");
    expect(refused).toMatchObject({ exit: 7, stderr: matchText("changes 4 of 11 managed objects (36.3%)") });
    expect(await project.avatarops("apply", "-y", "--overwrite-drift", "--allow", "threshold")).toMatchObject(
      { exit: 0 },
    );
  });
});

describe("thresholds setting", () => {
  test("changes the limits, globally or for one environment", async () => {
    const settings = `thresholds: { max_percent: 20, min_objects: 1 }
environments: { relaxed: { thresholds: { max_percent: 100 } } }
`;
    const project = await startWith(1, settings);
    await project.write("avatarops.yaml", settings + formatContexts(1, 1));
    const refused = await project.avatarops("apply", "-y");
    expect(refused).toMatchObject({ exit: 7, stderr: matchText("the threshold is 20%") });
    await project.expectDone("state", "replace-project", "-y", "--env", "relaxed");
    expect(await project.avatarops("apply", "-y", "--env", "relaxed")).toMatchObject({ exit: 0 });
  });
});
