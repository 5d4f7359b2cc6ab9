/**
 * Kills the process at each point of an apply. The next apply must converge without a duplicate object. Only a secret
 * may require a decision by the user (exit code 4), because secrets cannot be looked up.
 */
import { describe, expect, it } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { localMachine, type Project, startProject } from "../cli/hosting.js";
import { applyUntilKilled } from "../lifecycle/killed.js";
import { splitIntoThirds } from "../real/long.js";
import { type Ended, start } from "./child.js";

const manifest = `
avatars:
  reception: { id: a03779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Reception Lindau }
voices:
  mara: { id: 403779b1-9e37-4a1b-9c2d-5ee0fe120000, name: Mara Lindau }
contexts:
  one: { name: One, prompt: The first prompt. }
  two: { name: Two, prompt: The second prompt., opening_text: Hello. }
  three: { name: Three, prompt: The third prompt., links: [{ url: "https://example.com/a", faq: A }] }
  desk: { name: Support desk, prompt: A new prompt for the desk. }
`;
const withSecret = `${manifest}
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`;

const declaredNames = ["One", "Two", "Three", "Support desk"];

/** Setting for a run on the same host long after the kill, when no request is in progress. */
const later = { ...localMachine, now: () => Date.now() + 60_000 };

async function newProject(text: string): Promise<Project> {
  return startProject({
    files: { "avatarops.yaml": text },
    world: createSampleDataset(Date.now()),
    environment: { LLM_API_KEY: "a-key-of-the-provider" },
  });
}

function createEnvironment({ emulator }: Project): Record<string, string> {
  return {
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    LLM_API_KEY: "a-key-of-the-provider",
  };
}

const arguments_ = ["apply", "--auto-approve", "--concurrency", "2"];

/** Counts the copies of each declared context in the account. */
function countCopies({ emulator }: Project): number[] {
  return declaredNames.map(
    (name) => [...emulator.world.contexts].filter((context) => context.name === name).length,
  );
}

async function expectRecovered(project: Project, killed: Ended): Promise<void> {
  const again = await project.avataropsWith(later, "apply", "--auto-approve");
  expect(again, killed.stderr + again.stdout + again.stderr).toMatchObject({ exit: 0 });
  expect(countCopies(project)).toEqual([1, 1, 1, 1]);
  await project.expectNothingToDo();
}

describe("apply killed at any disk operation", () => {
  /** Counts the steps in a complete apply. */
  async function countSteps(): Promise<number> {
    const project = await newProject(manifest);
    const whole = await start(project.folder, arguments_, createEnvironment(project), "never:0").ended;
    expect(whole.exit, whole.stderr).toBe(0);
    return Number(/steps: (\d+)/.exec(whole.stderr)?.[1]);
  }

  // Unless work runs concurrently, a kill after a step has the same effect as a kill before the next one. Only
  // nightly runs test both.
  for (const when of ["before", "after"])
    for (const { which, isAlways, steps } of splitIntoThirds(0)) {
      const isLeftOut = when === "after" || !isAlways;
      const title = `converges after a kill ${when} a step (${which})`;
      it(title, { tags: isLeftOut ? "night" : [] }, async () => {
        const total = await countSteps();
        expect(total).toBeGreaterThan(10);
        for (const step of steps(1, total)) {
          const project = await newProject(manifest);
          const killed = await start(
            project.folder,
            arguments_,
            createEnvironment(project),
            `${when}:${step}`,
          ).ended;
          // The number of steps varies a little, because concurrent writes can share a step. A run may therefore end
          // before the step at which it should be killed.
          if (killed.signal === null) expect(killed.exit, killed.stderr).toBe(0);
          else expect(killed.signal).toBe("SIGKILL");
          await expectRecovered(project, killed);
        }
      });
    }
});

describe("apply killed at any request", () => {
  const writes = ["POST /v1/contexts", "PATCH /v1/contexts/*", "PATCH /v1/avatars/*", "PATCH /v1/voices/*"];
  for (const request of writes) {
    for (const when of ["before", "after"] as const) {
      // Every run tests creates, because only a repeated create causes a duplicate.
      const tags = request.startsWith("POST") ? [] : "night";
      it(`converges if ${request} was ${when === "before" ? "not executed" : "executed without a response"}`, {
        tags,
      }, async () => {
        const project = await newProject(manifest);
        const [method = "", path = ""] = request.split(" ");
        const killed = await applyUntilKilled(project, { method, path }, when);
        await expectRecovered(project, killed);
      });
    }
  }

  it("asks the user to decide about a secret whose create request got no response", async () => {
    const project = await newProject(withSecret);
    const { child, ended } = start(project.folder, arguments_, createEnvironment(project));
    const match = { method: "POST", path: "/v1/secrets" };
    project.emulator.addFault({ match, do: { kind: "run", run: () => void child.kill("SIGKILL") } });
    project.emulator.addFault({ match, do: { kind: "drop", when: "after" } });
    expect((await ended).signal).toBe("SIGKILL");

    const again = await project.avataropsWith(later, "apply", "--auto-approve");
    expect(again, again.stdout + again.stderr).toMatchObject({ exit: 4 });
    expect(again.stdout).toContain("Run `avatarops plan` to see a command for each choice");
    const planned = await project.avataropsWith(later, "plan");
    expect(planned.stdout).toContain("--accept-duplicate");
    expect([...project.emulator.world.secrets]).toHaveLength(1);
    expect(countCopies(project)).toEqual([1, 1, 1, 1]);

    const id = [...project.emulator.world.secrets][0]?.id ?? "";
    expect(await project.avatarops("import", "secret.llm", id)).toMatchObject({ exit: 0 });
    expect([...project.emulator.world.secrets]).toHaveLength(1);
    await project.expectNothingToDo();
  });
});

describe("apply that is stopped with Ctrl-C", () => {
  it("finishes requests in progress and leaves the rest to the next apply", async () => {
    const project = await newProject(manifest);
    const { child, ended } = start(
      project.folder,
      ["apply", "--auto-approve", "--concurrency", "1"],
      createEnvironment(project),
    );
    const match = { method: "POST", path: "/v1/contexts" };
    project.emulator.addFault({ match, do: { kind: "run", run: () => void child.kill("SIGINT") } });
    project.emulator.addFault({ match, do: { kind: "delay", ms: 300 } });
    const stopped = await ended;
    expect(stopped, stopped.stdout + stopped.stderr).toMatchObject({ exit: 130, signal: null });
    expect(stopped.stdout).toMatch(/created\s+context\.one/);
    expect(stopped.stdout).toContain("Not started, because the apply was cancelled.");
    expect(countCopies(project)).toEqual([1, 0, 0, 1]);

    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(countCopies(project)).toEqual([1, 1, 1, 1]);
    await project.expectNothingToDo();
  });

  it("stops immediately on the second Ctrl-C, and the next apply converges", async () => {
    const project = await newProject(manifest);
    const { child, ended } = start(project.folder, arguments_, createEnvironment(project));
    const stopTwice = () => {
      child.kill("SIGINT");
      setTimeout(() => child.kill("SIGINT"), 100);
    };
    const match = { method: "POST", path: "/v1/contexts" };
    project.emulator.addFault({ match, do: { kind: "run", run: stopTwice } });
    project.emulator.addFault({ match, do: { kind: "hang", when: "after" } });
    const stopped = await ended;
    expect(stopped).toMatchObject({ exit: null, signal: "SIGINT" });
    await expectRecovered(project, stopped);
  });
});
