/** The service asks to slow down, or something before it fails for a moment: what may be repeated is, and the rest is looked up. */
import { describe, expect, it } from "vitest";
import { type Fault, parseFault } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { applied, applyInShort, contextNames, planInShort, writes } from "./telling.js";

const manifest = (prompt: string) =>
  `contexts:\n${["One", "Two", "Three"].map((name) => `  ${name.toLowerCase()}: { name: ${name}, prompt: ${prompt} }\n`).join("")}`;

async function startApplied(): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": manifest("First.") } });
  await applied(project);
  return project;
}

function expectPrompts({ emulator }: Project, prompt: string): void {
  expect(emulator.world.contexts.map((context) => `${context.name}: ${context.prompt}`).sort()).toEqual(
    ["One", "Three", "Two"].map((name) => `${name}: ${prompt}`),
  );
}

describe("a service that asks to slow down", () => {
  const storms = ["GET /v1/contexts", "POST /v1/contexts", "PATCH /v1/contexts/*", "GET /v1/contexts/*"];
  for (const request of storms) {
    it(`is obeyed on ${request}, and nothing is written twice`, async () => {
      const project = await startApplied();
      await project.write("avatarops.yaml", `${manifest("Second.")}  four: { name: Four, prompt: New. }\n`);
      project.emulator.requests.length = 0;
      project.emulator.addFault(parseFault(`${request} 429 times=8 retry-after=0`));
      await applied(project);
      expect(contextNames(project)).toEqual(["Four", "One", "Three", "Two"]);
      expect(project.emulator.requests.filter(({ status }) => status === 429)).toHaveLength(8);
      await project.expectNothingToDo();
    });
  }

  it("is waited for also where it does not say how long", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest("First.") } });
    project.emulator.addFault("POST /v1/contexts 429 times=2");
    const ran = await applied(project);
    expect(ran.stdout).toContain("2 of them slowed down by the service");
    expectPrompts(project, "First.");
    await project.expectNothingToDo();
  });

  it("is kept up with at its own rate", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": manifest("First.") },
      emulator: { behaviour: { rateLimitPerSecond: 2 } },
    });
    await applied(project);
    expectPrompts(project, "First.");
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

describe("a failure that passes", () => {
  const page = "<html><head><title>502 Bad Gateway</title></head></html>";
  const failures: readonly { what: string; do: Fault["do"] }[] = [
    { what: "a 500", do: { kind: "status", status: 500 } },
    { what: "a 503 that says nothing more", do: { kind: "status", status: 503 } },
    { what: "a proxy's page with 502", do: { kind: "status", status: 502, body: page } },
    { what: "a 504 after the work was done", do: { kind: "status", status: 504, after: true } },
  ];
  describe.each(failures)("$what", (failure) => {
    it("on reading is repeated", async () => {
      const project = await startApplied();
      project.emulator.addFault({ match: { method: "GET" }, times: 2, do: failure.do });
      expect(await planInShort(project)).toMatchObject({ exit: 0, wants: [] });
      expect(project.emulator.requests.filter(({ fault }) => fault)).toHaveLength(2);
    });

    it("on an update is repeated", async () => {
      const project = await startApplied();
      await project.write("avatarops.yaml", manifest("Second."));
      project.emulator.addFault({ match: { method: "PATCH" }, times: 2, do: failure.do });
      await applied(project);
      expectPrompts(project, "Second.");
      await project.expectNothingToDo();
    });

    it("on a create is not repeated: the object is looked for, and the next apply goes by what was found", async () => {
      const project = await startProject({
        files: { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" },
      });
      const isAfter = failure.do.kind === "status" && failure.do.after;
      project.emulator.addFault({ match: { method: "POST" }, do: failure.do });
      const { exit, ended, notes } = await applyInShort(project);
      expect(writes(project)).toEqual(["POST /v1/contexts"]);
      if (isAfter) {
        expect({ exit, ended, notes }).toEqual({
          exit: 0,
          ended: ["context.desk applied"],
          notes: ["The answer was lost; the result was found in the account."],
        });
      } else {
        expect({ exit, ended }).toEqual({ exit: 4, ended: ["context.desk unknown unavailable"] });
        expect(contextNames(project)).toEqual([]);
        await applied(project);
      }
      expect(contextNames(project)).toEqual(["Desk"]);
      await project.expectNothingToDo();
    });
  });

  it("on a create is repeated when the service says it did nothing", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n" },
    });
    project.emulator.addFault("POST /v1/contexts 503 times=2 retry-after=0");
    await applied(project);
    expect(writes(project)).toHaveLength(3);
    expect(contextNames(project)).toEqual(["Desk"]);
    await project.expectNothingToDo();
  });

  it("is called what it is when it lasts: a proxy's page, with its title", async () => {
    const project = await startApplied();
    project.emulator.addFault({
      match: { method: "GET" },
      times: 99,
      do: { kind: "status", status: 502, body: page },
    });
    const ran = await project.avataropsWith({ columns: 10_000 }, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error\[unavailable\] GET \/v1\/contexts\S+: the service failed \(HTTP 502\): an HTML page, probably from a proxy, titled "502 Bad Gateway"\. Try again later\.\n$/,
    );
    project.emulator.clearFaults();
    await project.expectNothingToDo();
  });
});
