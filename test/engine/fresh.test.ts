/**
 * Checks when a list request is enough to prove that recently written or read objects were not edited.
 */
import { describe, expect, it } from "vitest";
import { createEmptyDataset, generateDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { expectSuccess, type Project, startProject } from "../cli/hosting.js";

const state = ".avatarops/state.json";
const names = ["a", "b", "c"];
const formatDesks = (prompt = "x") =>
  `contexts:\n${names.map((name) => `  ${name}: { name: ${name}, prompt: ${prompt} }\n`).join("")}`;

/** Counts the requests for a plan without changes. */
async function planRequests(project: Project): Promise<number> {
  project.emulator.requests.length = 0;
  await project.expectNothingToDo();
  return project.emulator.requests.length;
}

function countReads({ emulator }: Project): number {
  return emulator.requests.filter(({ method, path }) => method === "GET" && path.startsWith("/v1/contexts/"))
    .length;
}

const toTime = (ms: number) => Date.UTC(2026, 0, 1) + ms;

describe.each([
  { clock: "shows milliseconds", now: toTime(123), reads: 0 },
  { clock: "may tick every second", now: toTime(0), reads: 3 },
])("plan for a service whose clock $clock", ({ now, reads }) => {
  const start = () =>
    startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": formatDesks() },
      emulator: { now: () => now },
    });

  it("needs only the list request right after an apply", async () => {
    const project = await start();
    await project.expectDone("apply", "--auto-approve");
    expect(countReads(project)).toBe(reads);
    expect(await planRequests(project)).toBe(1);
    await project.write("avatarops.yaml", formatDesks("y"));
    await project.expectDone("apply", "--auto-approve");
    expect(await planRequests(project)).toBe(1);
    // After a pull, a plan also needs only the list.
    for (const { id } of project.emulator.world.contexts) project.emulator.editContext(id, { prompt: "z" });
    await project.expectDone("pull");
    expect(await planRequests(project)).toBe(1);
  });

  it("needs only the list request right after an export or an import", async () => {
    const project = await start();
    const ids = names.map((name) => project.emulator.addContext({ name, prompt: "x" }).id);
    await project.expectDone("export", "all");
    project.emulator.requests.length = 0;
    await project.expectNothingToDo("--file", "all/avatarops.yaml");
    expect(project.emulator.requests.filter(({ path }) => path.startsWith("/v1/contexts"))).toHaveLength(1);
    for (const [at, id] of ids.entries()) await project.expectDone("import", `context.${names[at]}`, id);
    expect(await planRequests(project)).toBe(1);
  });
});

it("plans new objects with two requests plus one per hundred objects", async () => {
  const many = Array.from({ length: 250 }, (_, i) => `  c${i}: { name: Context ${i}, prompt: x }\n`);
  const project = await startProject({
    world: generateDataset({ avatars: 3 }),
    files: { "avatarops.yaml": `contexts:\n${many.join("")}` },
    emulator: { now: () => toTime(123) },
  });
  await project.avatarops("apply", "--auto-approve");
  expect(await planRequests(project)).toBeLessThanOrEqual(5);
});

it("assumes millisecond precision for all service timestamps once one of them shows milliseconds", async () => {
  let ms = 110;
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesks() },
    emulator: { now: () => toTime(ms++) },
  });
  // Of three consecutive timestamps, at most one ends in 0, so the others show milliseconds.
  await project.avatarops("apply", "--auto-approve");
  expect(countReads(project)).toBe(0);
  expect(await planRequests(project)).toBe(1);
  ms = 990 - 1;
  await project.write(
    "avatarops.yaml",
    formatDesks().replace("a: { name: a, prompt: x }", "a: { name: a, prompt: z }"),
  );
  project.emulator.requests.length = 0;
  await project.avatarops("apply", "--auto-approve");
  expect(project.emulator.requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
  expect(await planRequests(project)).toBe(1);
});

describe("avatarops with service timestamps in whole seconds", () => {
  const start = (): Promise<Project> =>
    startProject({
      world: createEmptyDataset(),
      files: { "avatarops.yaml": formatDesks() },
      emulator: { behavior: { timestampPrecision: "s" } },
    });

  it("reports a prompt that changed after the write was confirmed, and does not overwrite the change", async () => {
    const project = await start();
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      do: {
        kind: "run",
        run: ({ world, editContext }) => {
          const [first] = world.contexts;
          if (first) editContext(first.id, { prompt: "xx, tidied up", opening_text: "Hi." });
        },
      },
    });
    const ran = await project.avatarops("apply", "--auto-approve", "--format", "json");
    expect(ran).toMatchObject({ exit: 3 });
    const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
    const failed = results.filter(({ status }) => status === "failed");
    expect(failed).toMatchObject([{ action: "create", problem: { code: "not-as-sent" } }]);
    expect(failed[0]?.problem?.message).toContain(
      "The service or an edit elsewhere changed the stored prompt after the write was confirmed.",
    );
    const planned = await project.avatarops("plan");
    expect(planned.stdout).toContain("drifted");
    await project.avatarops("apply", "--auto-approve");
    expect(project.emulator.world.contexts.map(({ prompt }) => prompt)).toContain("xx, tidied up");
  });

  it("needs only list requests for a plan once the clock has advanced", async () => {
    const project = await start();
    project.emulator.addContext({ name: "a", prompt: "x" });
    project.emulator.addContext({ name: "b", prompt: "y" });
    await expectSuccess(project.avataropsWith({ waits: { backoffMs: 1 } }, "apply", "--auto-approve"));
    expect(await planRequests(project)).toBe(1);
    const before = await project.read(state);
    await project.avatarops("apply", "--auto-approve");
    expect(await project.read(state)).toBe(before);
  });

  it("records all applied changes if the apply is cancelled while it waits for the clock", async () => {
    const project = await start();
    let stop: (signal: string) => void = () => {};
    const waits = { backoffMs: 1, settleMs: 0, tickMs: 1_000_000_000 };
    const made = () => project.emulator.world.contexts.length === names.length;
    project.emulator.addFault({
      match: { method: "POST", path: "/v1/contexts" },
      skip: 2,
      do: { kind: "run", run: () => void setTimeout(() => stop("SIGINT"), 50) },
    });
    const setting = { waits, onStoppable: (given: typeof stop) => (stop = given) };
    const ran = await project.avataropsWith(setting, "apply", "--auto-approve");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 130 });
    expect(made()).toBe(true);
    expect(Object.keys(JSON.parse(await project.read(state)).objects)).toHaveLength(3);
    expect(project.has(`${state}.journal`)).toBe(false);
    await project.expectNothingToDo();
  });

  interface ProjectSetup {
    /** Number of reads of single objects before the reread at the end of the apply. */
    readonly reads?: number;
    readonly onReread?: (project: Project) => void;
  }

  /** Starts with a stopped clock, which advances when the apply rereads objects at its end. */
  async function startAtOneSecond({ reads = 0, onReread = () => {} }: ProjectSetup = {}): Promise<Project> {
    let nowMs = toTime(0);
    const files = { "avatarops.yaml": "contexts: { a: { name: a, prompt: x } }\n" };
    const emulator = { behavior: { timestampPrecision: "s" }, now: () => nowMs } as const;
    const project = await startProject({ world: createEmptyDataset(), files, emulator });
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      skip: reads,
      do: {
        kind: "run",
        run() {
          nowMs += 3_000;
          onReread(project);
        },
      },
    });
    return project;
  }

  async function expectEditShown({ emulator, json }: Project): Promise<void> {
    emulator.editContext("a", { prompt: "Edited." });
    expect((await json("plan")).changes).toMatchObject([{ address: "context.a", reason: "drifted" }]);
  }

  it("shows an edit made in the same second as the apply that creates the object", async () => {
    const project = await startAtOneSecond();
    await project.expectDone("apply", "--auto-approve");
    await expectEditShown(project);
  });

  it("shows an edit made in the same second as the apply that adopts the object", async () => {
    const project = await startAtOneSecond({ reads: 1 });
    project.emulator.addContext({ name: "a", prompt: "x" });
    await project.expectDone("apply", "--auto-approve");
    await expectEditShown(project);
  });

  it("shows an edit made between a write and its reread in the same second", async () => {
    const project = await startAtOneSecond({
      onReread: ({ emulator }) => emulator.editContext("a", { prompt: "x" }),
    });
    await project.expectDone("apply", "--auto-approve");
    await expectEditShown(project);
  });
});
