/** The service asks to slow down. What else may be repeated, and how often, is in test/api/retry.test.ts. */
import { describe, expect, it } from "vitest";
import { parseFault } from "../../src/emulator/index.js";
import { type Project, startApplied, startProject } from "../cli/hosting.js";
import { applied, applyInShort, contextNames } from "./telling.js";

const manifest = (prompt: string) =>
  `contexts:\n${["One", "Two", "Three"].map((name) => `  ${name.toLowerCase()}: { name: ${name}, prompt: ${prompt} }\n`).join("")}`;

const startFirst = (): Promise<Project> => startApplied({ files: { "avatarops.yaml": manifest("First.") } });

function expectPrompts({ emulator }: Project, prompt: string): void {
  expect(emulator.world.contexts.map((context) => `${context.name}: ${context.prompt}`).sort()).toEqual(
    ["One", "Three", "Two"].map((name) => `${name}: ${prompt}`),
  );
}

describe("a service that asks to slow down", () => {
  const storms = ["GET /v1/contexts", "POST /v1/contexts", "PATCH /v1/contexts/*", "GET /v1/contexts/*"];
  for (const request of storms) {
    it(`is obeyed on ${request}, and nothing is written twice`, async () => {
      const project = await startFirst();
      await project.write("avatarops.yaml", `${manifest("Second.")}  four: { name: Four, prompt: New. }\n`);
      project.emulator.requests.length = 0;
      project.emulator.addFault(parseFault(`${request} 429 times=8 retry-after=0`));
      await applied(project);
      expect(contextNames(project)).toEqual(["Four", "One", "Three", "Two"]);
      expect(project.emulator.requests.filter(({ status }) => status === 429)).toHaveLength(8);
      await project.expectNothingToDo();
    });
  }

  it("gets forty objects, each once, although it takes ten a second", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `Desk ${at}`);
    const contexts = names.map((name, at) => `  desk-${at}: { name: ${name}, prompt: Hello. }\n`);
    const project = await startApplied({
      files: { "avatarops.yaml": `contexts:\n${contexts.join("")}` },
      emulator: { behaviour: { rateLimitPerSecond: 10 } },
    });
    expect(contextNames(project)).toEqual(names.toSorted());
    expect(project.emulator.requests.some(({ status }) => status === 429)).toBe(true);
    await project.expectNothingToDo();
  });

  it("is given up on when it asks for more than our patience, and nothing was done", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest("First.") } });
    project.emulator.addFault("POST /v1/contexts 429 times=always retry-after=3600");
    const { exit, ended, problems } = await applyInShort(project);
    expect({ exit, ended }).toEqual({
      exit: 1,
      ended: [
        "context.one failed rate-limited",
        "context.two failed rate-limited",
        "context.three failed rate-limited",
      ],
    });
    expect(problems[0]).toContain("Try again in 3600 s.");
    expect(contextNames(project)).toEqual([]);
    project.emulator.clearFaults();
    await applied(project);
    expectPrompts(project, "First.");
    await project.expectNothingToDo();
  });
});
