// @module-tag night
/** Long lists, lists that change while they are read, and names that stand twice: nothing is overlooked, nothing made twice. */
import { describe, expect, it } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";
import { applied, planInShort } from "./telling.js";

const declare = (names: readonly string[], prompt: (name: string) => string) =>
  `contexts:\n${names.map((name) => `  ${name.toLowerCase().replaceAll(" ", "-")}: { name: ${name}, prompt: ${prompt(name)} }\n`).join("")}`;
const promptOf = (name: string) => `Prompt ${name.split(" ")[1]}`;

describe("a list that changes while it is read", () => {
  it("all the time is read as well as can be, and the plan says so", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": declare(["Context 250"], promptOf) },
      world: generateDataset({ contexts: 250 }),
    });
    let times = 0;
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts?page=2" },
      times: 99,
      do: {
        kind: "run",
        run(emulator) {
          times += 1;
          emulator.addContext({ name: `Newcomer ${times}` });
        },
      },
    });
    const { wants, notices } = await planInShort(project);
    expect(wants).toEqual(["adopt context.context-250 found"]);
    expect(notices.join("\n")).toContain("kept changing while it was read");
    project.emulator.clearFaults();
    await applied(project);
    await project.expectNothingToDo();
  });
});

describe("an account of 2,500 contexts of which 40 are declared", () => {
  const names = Array.from({ length: 40 }, (_, at) => `Context ${2_500 - at * 60}`);

  it("is adopted by exact name to the last page, and then watched with few requests", async () => {
    const world = generateDataset({ contexts: 2_500 });
    const project = await startProject({ files: { "avatarops.yaml": declare(names, promptOf) }, world });
    const first = await planInShort(project);
    expect(new Set(first.wants)).toEqual(
      new Set(names.map((name) => `adopt context.${name.toLowerCase().replace(" ", "-")} found`)),
    );
    expect(first.notices).toEqual([
      "2460 contexts of the account are not declared in any file: `avatarops plan --undeclared` lists them, `avatarops import --write` declares them.",
    ]);
    await applied(project);
    expect(project.emulator.world.contexts).toHaveLength(2_500);
    const warm = await planInShort(project);
    expect(warm).toMatchObject({ exit: 0, wants: [] });
    expect(warm.requests).toBeLessThanOrEqual(27);
  });
});

describe("a manifest of five megabytes", () => {
  it("plans, applies and is in order", async () => {
    const names = Array.from({ length: 100 }, (_, at) => `Context ${at + 1}`);
    const project = await startProject({
      files: { "avatarops.yaml": declare(names, () => "x".repeat(50_000)) },
      world: generateDataset({ contexts: 99, prompt: () => "x".repeat(50_000) }),
    });
    expect((await planInShort(project)).wants).toHaveLength(100);
    await applied(project);
    expect(project.emulator.world.contexts).toHaveLength(100);
    await project.expectNothingToDo();
  });
});
