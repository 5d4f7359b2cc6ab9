/** Names that change places in an account that allows each only once. */
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { emptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument, PlanDocument } from "../../src/output/documents/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { thirds } from "../real/long.js";
import { start } from "../recovery/child.js";

type Names = Readonly<Record<string, string>>;

const manifestOf = (names: Names, prompt = "x") =>
  `contexts:\n${Object.entries(names)
    .map(([key, name]) => `  ${key}: { name: ${name}, prompt: ${prompt} ${key} }\n`)
    .join("")}`;

/** Contexts of these names, applied, and then declared under others. */
async function startRenamed(before: Names, after: Names, prompt?: string): Promise<Project> {
  const project = await startProject({
    world: emptyDataset(),
    files: { "avatarops.yaml": manifestOf(before) },
  });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await project.write("avatarops.yaml", manifestOf(after, prompt));
  project.emulator.requests.length = 0;
  return project;
}

/** The names in the account, by the key that the prompt ends with. */
function names({ emulator }: Project): Names {
  return Object.fromEntries(emulator.world.contexts.map(({ name, prompt }) => [prompt.slice(-1), name]));
}

function patches({ emulator }: Project): number {
  return emulator.requests.filter(({ method }) => method === "PATCH").length;
}

const swap = [
  { a: "One", b: "Two" },
  { a: "Two", b: "One" },
] as const;

it.each([
  { what: "two that swap", before: swap[0], after: swap[1], writes: 3 },
  {
    what: "a circle of three",
    before: { a: "One", b: "Two", c: "Three" },
    after: { a: "Two", b: "Three", c: "One" },
    writes: 4,
  },
  {
    what: "a circle of four beside a swap",
    before: { a: "N1", b: "N2", c: "N3", d: "N4", e: "N5", f: "N6" },
    after: { a: "N4", b: "N1", c: "N2", d: "N3", e: "N6", f: "N5" },
    writes: 8,
  },
  {
    what: "a chain",
    before: { a: "One", b: "Two", c: "Three" },
    after: { a: "Two", b: "Three", c: "Four" },
    writes: 3,
  },
])("brings $what to the declared names in one apply, and has nothing to do then", async (one) => {
  const project = await startRenamed(one.before, one.after);
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  expect(names(project)).toEqual(one.after);
  expect(patches(project)).toBe(one.writes);
  await project.expectNothingToDo();
});

it("takes other changes of the same objects along", async () => {
  const project = await startRenamed(...swap, "y");
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  expect(project.emulator.world.contexts.map(({ name, prompt }) => `${name}: ${prompt}`)).toEqual([
    "Two: y a",
    "One: y b",
  ]);
  await project.expectNothingToDo();
});

it("says in the plan which object goes by another name meanwhile, and applies such a plan when it was saved", async () => {
  const project = await startRenamed(...swap);
  const planned = await project.avatarops("plan", "--format", "json", "--out", "plan.json");
  const { changes } = JSON.parse(planned.stdout) as PlanDocument;
  const [, { id } = { id: "" }] = project.emulator.world.contexts;
  expect(changes.flatMap(({ notes }) => notes)).toEqual([
    `Names are exchanged: it is named "avatarops: renaming ${id}" until context.a has given up "One".`,
  ]);
  const ran = await project.avatarops("apply", "plan.json");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  expect(names(project)).toEqual(swap[1]);
});

it("needs no other name where the kind's names may repeat", async () => {
  const ids = ["10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"];
  const project = await startProject({ world: emptyDataset() });
  const manifest = (a: string, b: string) =>
    `voices:\n  a: { id: ${ids[0]}, name: ${a} }\n  b: { id: ${ids[1]}, name: ${b} }\n`;
  await project.write("avatarops.yaml", manifest("One", "Two"));
  const planned = await project.avatarops("plan");
  expect(planned.stdout).not.toContain("renaming");
});

describe("when one of a circle cannot be written", () => {
  it("writes none of it over an edit made elsewhere", async () => {
    const project = await startRenamed(...swap);
    const [first] = project.emulator.world.contexts;
    project.emulator.editContext(first?.id ?? "", { prompt: "theirs a" });
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 1 });
    expect(names(project)).toEqual(swap[0]);
    expect(patches(project)).toBe(0);
    const ran = await project.avatarops("apply", "--auto-approve", "--overwrite-drift");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    expect(names(project)).toEqual(swap[1]);
    await project.expectNothingToDo();
  });

  it("tells of each why it was not written, and names none but addresses", async () => {
    const resultsOf = async (project: Project) => {
      const { stdout } = await project.avatarops("apply", "--auto-approve", "--format", "json");
      const { results } = JSON.parse(stdout) as OutcomeDocument;
      return results.map(({ address, status, problem }) => `${address} ${status} ${problem?.code}`);
    };
    const project = await startRenamed(...swap);
    const [first, second] = project.emulator.world.contexts.map(({ id }) => id);
    project.emulator.addFault(`PATCH /v1/contexts/${second} 400`);
    const waits = "context.a skipped needs-another";
    expect(await resultsOf(project)).toEqual([waits, "context.b failed refused"]);
    project.emulator.addFault(`PATCH /v1/contexts/${second} 400`);
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(ran.stdout.replace(/\s+/g, " ")).toContain(
      "It takes the name of context.b, which was not renamed.",
    );

    project.emulator.editContext(first ?? "", { prompt: "theirs a" });
    expect(await resultsOf(project)).toEqual([
      "context.a skipped drifted",
      "context.b skipped needs-another",
    ]);
    project.emulator.editContext(first ?? "", { prompt: "x a" });
    project.emulator.editContext(second ?? "", { prompt: "theirs b" });
    expect(await resultsOf(project)).toEqual([waits, "context.b skipped drifted"]);
  });

  it("gives the one that stepped aside its name back, and the next apply swaps them", async () => {
    const project = await startRenamed(...swap);
    const [first] = project.emulator.world.contexts;
    project.emulator.addFault(`PATCH /v1/contexts/${first?.id} 400`);
    const ran = await project.avatarops("apply", "--auto-approve", "--format", "json");
    const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
    expect(results.map(({ address, status, problem }) => [address, status, problem?.code])).toEqual([
      ["context.a", "failed", "refused"],
      ["context.b", "skipped", "needs-another"],
    ]);
    expect(names(project)).toEqual(swap[0]);
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(names(project)).toEqual(swap[1]);
    await project.expectNothingToDo();
  });

  it("says by which name it is found until the next apply, where that was refused, too", async () => {
    const project = await startRenamed(...swap);
    const [first, second] = project.emulator.world.contexts;
    project.emulator.addFault(`PATCH /v1/contexts/${first?.id} 400`);
    project.emulator.addFault(`PATCH /v1/contexts/${second?.id} 400 skip=1`);
    const ran = await project.avatarops("apply", "--auto-approve", "--format", "json");
    const temporary = `avatarops: renaming ${second?.id}`;
    expect(ran.stdout).toContain(temporary);
    expect(names(project)).toEqual({ a: "One", b: temporary });
    const planned = await project.avatarops("plan");
    expect(planned.stdout.replace(/\s+/g, " ")).toContain("renaming");
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(names(project)).toEqual(swap[1]);
    await project.expectNothingToDo();
  });
});

it.each(["drop-after", "drop-before", "cut"])("converges when any one answer is lost (%s)", async (fault) => {
  for (let skip = 0; skip < 3; skip += 1) {
    const project = await startRenamed(...swap);
    project.emulator.addFault(`PATCH /v1/contexts/* ${fault} skip=${skip} times=6`);
    await project.avatarops("apply", "--auto-approve");
    project.emulator.clearFaults();
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    expect(names(project)).toEqual(swap[1]);
    await project.expectNothingToDo();
  }
});

describe("an apply killed while names change places", () => {
  const later = { hostname: hostname(), now: () => Date.now() + 60_000 };
  const killed = async (dieAt: string) => {
    const project = await startRenamed(...swap);
    const environment = { AVATAROPS_BASE_URL: project.emulator.url, AVATAROPS_API_KEY: "test-key" };
    const ended = await start(project.folder, ["apply", "--auto-approve"], environment, dieAt).ended;
    return { project, ended };
  };

  // After one step is before the next, but for what is under way at that time: every run has one of them.
  for (const when of ["before", "after"])
    for (const { which, isAlways, steps } of thirds(1)) {
      const isLeftOut = when === "after" || !isAlways;
      const title = `is finished by the next one, ${when} whichever step on disk (${which})`;
      it(title, { tags: isLeftOut ? "night" : [] }, async () => {
        const { ended: whole } = await killed("never:0");
        const total = Number(/steps: (\d+)/.exec(whole.stderr)?.[1]);
        expect(total).toBeGreaterThan(6);
        for (const step of steps(1, total)) {
          const { project, ended } = await killed(`${when}:${step}`);
          const again = await project.avataropsWith(later, "apply", "--auto-approve");
          expect(again, ended.stderr + again.stdout + again.stderr).toMatchObject({ exit: 0 });
          expect(names(project)).toEqual(swap[1]);
          await project.expectNothingToDo();
        }
      });
    }
});
