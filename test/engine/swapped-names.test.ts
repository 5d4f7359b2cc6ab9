/** Tests swapped names in an account with unique names. */
import { expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";

type Names = Readonly<Record<string, string>>;

const formatManifest = (names: Names, prompt = "x") =>
  `contexts:\n${Object.entries(names)
    .map(([key, name]) => `  ${key}: { name: ${name}, prompt: ${prompt} ${key} }\n`)
    .join("")}`;

/** Applies contexts with the names `before` and then declares the names `after`. */
async function startRenamed(before: Names, after: Names, prompt?: string): Promise<Project> {
  const project = await startAndApply({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatManifest(before) },
  });
  await project.write("avatarops.yaml", formatManifest(after, prompt));
  project.emulator.requests.length = 0;
  return project;
}

/** Returns live names by the key at the end of each prompt. */
function listNames({ emulator }: Project): Names {
  return Object.fromEntries(emulator.world.contexts.map(({ name, prompt }) => [prompt.slice(-1), name]));
}

function countPatches({ emulator }: Project): number {
  return emulator.requests.filter(({ method }) => method === "PATCH").length;
}

const swap = [
  { a: "One", b: "Two" },
  { a: "Two", b: "One" },
] as const;

const three = { a: "One", b: "Two", c: "Three" };

it.each([
  { what: "a swap of two names", before: swap[0], after: swap[1] },
  { what: "a cycle of three names", before: three, after: { a: "Two", b: "Three", c: "One" } },
  { what: "a swap next to other renames", before: three, after: { a: "Two", b: "One", c: "Four" } },
])("rejects $what before any write and explains the fix", async ({ before, after }) => {
  const project = await startRenamed(before, after);
  for (const argv of [["plan"], ["apply", "--auto-approve"]]) {
    const { exit, stderr } = await project.avatarops(...argv);
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: matchText("error[names-exchanged]") });
    expect(stderr).toEqual(
      matchText("Give one of them a temporary name, apply, and then set its final name."),
    );
  }
  expect(listNames(project)).toEqual(before);
  expect(countPatches(project)).toBe(0);
});

// The temporary name that the error recommends turns the cycle into a chain like this one.
it("renames a chain of contexts in one apply, together with other changes", async () => {
  const after = { a: "Two", b: "Three", c: "Four" };
  const project = await startRenamed(three, after, "y");
  await project.expectDone("apply", "--auto-approve");
  expect(listNames(project)).toEqual(after);
  expect(countPatches(project)).toBe(3);
  await project.expectNothingToDo();
});

it("allows swapped names for a kind without unique names", async () => {
  const ids = ["10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"];
  const project = await startProject({ world: createEmptyDataset() });
  const manifest = (a: string, b: string) =>
    `voices:\n  a: { id: ${ids[0]}, name: ${a} }\n  b: { id: ${ids[1]}, name: ${b} }\n`;
  await project.write("avatarops.yaml", manifest("One", "Two"));
  await project.avatarops("apply", "--auto-approve");
  await project.write("avatarops.yaml", manifest("Two", "One"));
  expect((await project.avatarops("plan")).stderr).not.toContain("names-exchanged");
});

it("reports why each rename in a chain was skipped", async () => {
  const resultsOf = async (project: Project) => {
    const { stdout } = await project.avatarops("apply", "--auto-approve", "--format", "json");
    const { results } = JSON.parse(stdout) as OutcomeDocument;
    return results.map(({ address, status, problem }) => `${address} ${status} ${problem?.code}`);
  };
  const project = await startRenamed(swap[0], { a: "Two", b: "Three" });
  const [first, second] = project.emulator.world.contexts.map(({ id }) => id);
  project.emulator.addFault(`PATCH /v1/contexts/${second} 400`);
  const waits = "context.a skipped needs-another";
  expect(await resultsOf(project)).toEqual([waits, "context.b failed refused"]);
  project.emulator.addFault(`PATCH /v1/contexts/${second} 400`);
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran.stdout.replace(/\s+/g, " ")).toContain(
    "Its name is still used by context.b, which was not renamed.",
  );

  project.emulator.editContext(first ?? "", { prompt: "theirs a" });
  project.emulator.editContext(second ?? "", { prompt: "theirs b" });
  expect(await resultsOf(project)).toEqual([
    "context.a skipped conflicting",
    "context.b skipped conflicting",
  ]);
  project.emulator.editContext(first ?? "", { prompt: "x a" });
  expect(await resultsOf(project)).toEqual([waits, "context.b skipped conflicting"]);
});
