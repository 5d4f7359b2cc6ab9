import { describe, expect, test } from "vitest";
import {
  type Context,
  createEmptyDataset,
  createSampleDataset,
  type Dataset,
  type Emulator,
  type EmulatorOptions,
  generateDataset,
} from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";
import { createOddWorld } from "./odd-contexts.js";

const oldEnough = Date.now() - 3_600_000;

/** Builds an account with these contexts, given as overrides of generated fields. */
function createWorld(...contexts: readonly Partial<Context>[]): Dataset {
  const world = generateDataset({ contexts: contexts.length });
  return { ...world, contexts: world.contexts.map((context, at) => ({ ...context, ...contexts[at] })) };
}

async function runExport(world: Dataset, emulator: EmulatorOptions = {}) {
  const project = await startProject({ world, emulator });
  const result = await project.avatarops("export", "account", "--format", "json");
  return { project, result, document: () => JSON.parse(result.stdout) };
}

const inAccount = ["-f", "account/avatarops.yaml"];

describe("export", () => {
  test("writes the sample account as a project whose first plan is empty", async () => {
    const { project, result, document } = await runExport(createSampleDataset(oldEnough));
    expect(result.exit).toBe(0);
    expect(new Set(project.emulator.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    const { contexts, avatars } = project.emulator.world;
    expect(document()).toMatchObject({
      format: "avatarops/import",
      version: 1,
      files: expect.arrayContaining(["avatarops.yaml"]),
    });
    expect(document().imported).toHaveLength(contexts.length + avatars.length + 4);
    expect(document().left_out).toEqual([
      "The service cannot list voices, so only those found in its avatars were exported. Declare the others by id.",
      "The service cannot list secrets. Declare the ones you use, and adopt them with `avatarops import`.",
    ]);
    project.emulator.requests.length = 0;
    await project.expectNothingToDo(...inAccount);
    // Two list requests suffice, because nothing differs after the export.
    expect(project.emulator.requests.map(({ path }) => path.split("?")[0]).sort()).toEqual([
      "/v1/avatars",
      "/v1/contexts",
    ]);
    const listed = await project.avatarops("state", "list", ...inAccount, "--format", "json");
    expect(JSON.parse(listed.stdout).objects.map(({ id }: { id: string }) => id)).toEqual(
      document()
        .imported.sort((a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1))
        .map(({ id }: { id: string }) => id),
    );
  });

  test("prints no warning about the missing project", async () => {
    const project = await startProject({ world: createSampleDataset(oldEnough) });
    const { exit, stderr } = await project.avatarops("export", "account");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining("warning") });
  });

  test("leaves nothing to plan for strings with special characters", async () => {
    const world = createOddWorld();
    const { project, result, document } = await runExport(world, {
      behavior: { contextNames: "free" },
    });
    expect(result, result.stderr).toMatchObject({ exit: 0 });
    expect(document().imported).toHaveLength(world.contexts.length);
    await project.expectNothingToDo(...inAccount);
    await project.expectNothingToDo(...inAccount, "--refresh", "full");
  });

  test("reports conflicting files and the command that extends a project", async () => {
    const { project } = await runExport(generateDataset({ contexts: 30 }));
    const again = await project.avatarops("export", "account");
    expect(again).toMatchObject({
      exit: 1,
      stderr: matchText("already has avatarops.yaml, contexts, .avatarops/state.json. Choose another folder"),
    });
    expect(again.stderr).toEqual(matchText("`avatarops import --write --all` adds undeclared objects"));
  });

  test("shows only three similar notices about skipped objects and counts the rest", async () => {
    const links = [{ id: "x", url: "nowhere", faq: "" }];
    const world = createWorld(...Array.from({ length: 23 }, (_, at) => ({ name: `Linked ${at}`, links })));
    const { result, document } = await runExport(world);
    const isLinks = (sentence: string) => sentence.includes("is declared without links");
    expect(document().left_out.filter(isLinks)).toHaveLength(23);
    expect(result.stderr.match(/is\s+declared\s+without\s+links/g)).toHaveLength(3);
    expect(result.stderr).toEqual(matchText("And 20 more like these. `--format json` lists them all."));
  });

  test("skips and names objects that a manifest cannot contain", async () => {
    const world = createWorld(
      { name: "" },
      { name: "Linked", links: [{ id: "x", url: "nowhere", faq: "" }] },
    );
    const { project, result, document } = await runExport(world);
    const [nameless, linked] = world.contexts;
    expect(document().left_out).toEqual(
      expect.arrayContaining([
        `The context "" (${nameless?.id}) cannot be declared: avatarops does not accept its name.`,
        `The context "Linked" (${linked?.id}) is declared without links, which avatarops does not accept.`,
      ]),
    );
    expect(result.stderr).toEqual(matchText("is declared without links"));
    await project.expectNothingToDo(...inAccount);
  });

  test("adopts an unnamed avatar, and adopts a voice shared by several avatars only once", async () => {
    const world = generateDataset({ avatars: 3, voices: 1 });
    const { project, document } = await runExport({
      ...world,
      avatars: world.avatars.map((avatar, at) => (at === 0 ? { ...avatar, name: "" } : avatar)),
    });
    expect(document().imported.map(({ address }: { address: string }) => address)).toEqual([
      "avatar.unnamed",
      "avatar.avatar-2",
      "avatar.avatar-3",
      "voice.voice-1",
    ]);
    expect(document().left_out).toHaveLength(2);
    await project.expectNothingToDo(...inAccount);
  });

  test("skips and lists objects that disappear during the export", async () => {
    const world = generateDataset({ contexts: 3 });
    const gone = world.contexts[1]?.id;
    const { project, result, document } = await runExport(world, {
      faults: [
        {
          match: { method: "GET", path: `/v1/contexts/${gone}` },
          do: { kind: "run", run: (emulator: Emulator) => emulator.removeContext("Context 2") },
        },
      ],
    });
    expect(result.exit).toBe(0);
    expect(document().left_out).toContain(
      `The context "Context 2" (${gone}) disappeared while the account was read.`,
    );
    expect(project.has("account/contexts/context-2.md")).toBe(false);
  });

  test("leaves no files behind if the service fails halfway", async () => {
    const project = await startProject({ world: generateDataset({ contexts: 3 }) });
    project.emulator.addFault("GET /v1/contexts/* 400 skip=1 times=always");
    const result = await project.avatarops("export", "account");
    expect(result).toMatchObject({ exit: 1, stdout: "" });
    expect(project.has("account/avatarops.yaml")).toBe(false);
    project.emulator.clearFaults();
    await project.expectDone("export", "account");
  });

  test.each([
    ["avatarops.yaml", "contexts: {}\n"],
    ["contexts/old.md", "---\nname: Old\n---\n"],
    [".avatarops/state.json", "{"],
  ])("does not overwrite or extend a folder with %s", async (file, text) => {
    const project = await startProject({
      world: generateDataset({ contexts: 1 }),
      files: { [`account/${file}`]: text },
    });
    const result = await project.avatarops("export", "account");
    expect(result).toMatchObject({ exit: 1, stdout: "" });
    expect(result.stderr).toContain(file.replace("/old.md", ""));
    expect(await project.read(`account/${file}`)).toBe(text);
    expect(project.has("account/contexts/context-1.md")).toBe(false);
  });

  test("writes a given base URL to the manifest, or !env by default", async () => {
    const project = await startProject({ world: createEmptyDataset() });
    await project.expectDone("export", "a", "--base-url", project.emulator.url);
    expect(await project.avatarops("export", "b")).toMatchObject({
      exit: 0,
      stdout: "Exported 0 objects in 1 file to b.\n",
    });
    expect(await project.read("a/avatarops.yaml")).toContain(`base_url: ${project.emulator.url}`);
    expect(await project.read("b/avatarops.yaml")).toContain("base_url: !env AVATAROPS_BASE_URL");
    await project.expectNothingToDo("-f", "a/avatarops.yaml");
  });

  test("rejects an invalid base URL or a file as the target folder before any request", async () => {
    const files = { taken: "", "avatarops.yaml": "contexts: {}\n" };
    const project = await startProject({ files, world: createEmptyDataset() });
    await project.expectRefused(
      ["export", "a", "--base-url", "ftp://x"],
      "The base URL from --base-url does not start with https://",
    );
    for (const [named, ...argv] of [
      [`${project.folder}/taken`, "export", "taken"],
      [`${project.folder}/taken`, "init", "taken"],
      [`${project.folder}/taken/below`, "init", "taken/below"],
      ["taken/texts", "render", "--all", "--out", "taken/texts"],
    ] as const)
      await project.expectRefused(
        argv,
        `error[unwritable] Cannot write into ${named}: the path, or a part of it, is a file.`,
      );
    expect(project.emulator.requests).toEqual([]);
  });
});
