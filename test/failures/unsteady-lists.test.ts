/** Checks that nothing is created based on an incomplete list, and that everything else continues. */
import { describe, expect, it } from "vitest";
import {
  type Behavior,
  createEmptyDataset,
  type Emulator,
  type FaultAction,
} from "../../src/emulator/index.js";
import type { OutcomeDocument, PlanDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import {
  applySuccessfully,
  listContextNames,
  listWrites,
  runUnwrapped,
  summarizeApply,
  summarizePlan,
} from "./commands.js";

const createNames = (count: number) => Array.from({ length: count }, (_, i) => `Desk ${i}`);

/** Declares contexts by name. Each key is `d` followed by the last word of the name. */
const formatManifest = (declared: readonly string[], prompt = "Be kind.", service = "") =>
  `${service}contexts:\n${declared.map((name) => `  d${name.split(" ").at(-1)}: { name: ${name}, prompt: "${prompt}" }\n`).join("")}`;

function addContexts({ addContext }: Emulator, added: readonly string[]): void {
  for (const name of added) addContext({ name, prompt: "Be kind." });
}

/**
 * Starts an account with contexts that no state contains. The service allows duplicate names, so only avatarops
 * prevents them.
 */
async function startWith(present: number, behavior: Partial<Behavior>, declared = createNames(present)) {
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatManifest(declared) },
    emulator: { behavior: { contextNames: "free", ...behavior }, now: () => Date.UTC(2026, 0, 1) + 123 },
  });
  addContexts(project.emulator, createNames(present));
  return project;
}

/**
 * Adds a name that is not in the account. Its create must be rejected, even if all existing contexts are found by
 * chance.
 */
const addNewName = (existing: readonly string[]) => [...existing, "New 900"];

const listCreates = (project: Project) => listWrites(project).filter((one) => one.startsWith("POST"));

async function listUnreadableNotes(project: Project): Promise<readonly string[]> {
  const { changes } = JSON.parse(
    (await runUnwrapped(project, "plan", "--format", "json")).stdout,
  ) as PlanDocument;
  return changes.flatMap(({ action, notes }) => (action === "unreadable" ? notes : []));
}

describe("apply to an account whose list order changes with each page", () => {
  it("adopts the contexts it finds, and recreates none of the account's 300 contexts", async () => {
    const project = await startWith(300, { listOrder: "reshuffled" }, addNewName(createNames(300)));
    expect(await runUnwrapped(project, "plan")).toMatchObject({ exit: 1 });
    const ran = await runUnwrapped(project, "apply", "--auto-approve", "--format", "json");
    expect(ran).toMatchObject({ exit: 3 });
    const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
    const counts = (wanted: string) => results.filter(({ status }) => status === wanted).length;
    expect(counts("failed")).toBeGreaterThan(0);
    expect(counts("applied")).toBe(301 - counts("failed"));
    expect(listCreates(project)).toEqual([]);

    project.emulator.setBehavior({ listOrder: "created" });
    await applySuccessfully(project);
    await project.expectNothingToDo();
    expect(listContextNames(project)).toEqual(addNewName(createNames(300)).sort());
  });

  it.each(["reshuffled", "tied"] as const)(
    "creates nothing if the list has no count (%s)",
    async (listOrder) => {
      const project = await startWith(300, { listOrder, listCount: "absent" }, addNewName(createNames(300)));
      expect(await runUnwrapped(project, "apply", "--auto-approve")).toMatchObject({ exit: 3 });
      expect(listCreates(project)).toEqual([]);
      for (const note of await listUnreadableNotes(project))
        expect(note).toMatch(
          /^Not created, because an object named "(Desk|New) \d+" may exist: the list of contexts was different each time it was read\./,
        );
    },
  );
});

it("recreates none of 300 existing contexts if the list has a non-unique sort key", async () => {
  const project = await startWith(300, { listOrder: "tied" }, addNewName(createNames(300)));
  expect(await runUnwrapped(project, "apply", "--auto-approve")).toMatchObject({ exit: 3 });
  expect(listCreates(project)).toEqual([]);
});

describe("list count that is too large", () => {
  const service = "service: { ignore_list_counts: true }\n";

  it("blocks creates but not updates, and suggests ignore_list_counts", async () => {
    const project = await startWith(150, { listCount: "too-large" }, createNames(2));
    await applySuccessfully(project);
    await project.write("avatarops.yaml", formatManifest(addNewName(createNames(2)), "Be brief."));
    expect(await summarizePlan(project)).toMatchObject({
      exit: 1,
      changes: expect.arrayContaining([
        "unreadable context.d900 unreadable",
        "update context.d0 configured",
        "update context.d1 configured",
      ]),
    });
    expect(await listUnreadableNotes(project)).toEqual([
      'Not created, because an object named "New 900" may exist: the service lists only 150 of the 151 contexts it counts. Run the command again. If the count is always wrong, set `service.ignore_list_counts: true`.',
    ]);
    expect(await summarizeApply(project)).toMatchObject({
      exit: 3,
      outcomes: ["context.d0 applied", "context.d1 applied", "context.d900 failed unreadable"],
    });
    expect(listCreates(project)).toEqual([]);
  });

  it("neither blocks nor repeats creates with ignore_list_counts", async () => {
    const project = await startWith(150, { listCount: "too-large" }, createNames(2));
    await project.write("avatarops.yaml", formatManifest(addNewName(createNames(2)), "Be brief.", service));
    await applySuccessfully(project);
    await project.expectNothingToDo();
    expect(listContextNames(project)).toEqual(addNewName(createNames(150)).sort());
  });

  it("allows a create that the user accepts as a possible duplicate", async () => {
    const project = await startWith(150, { listCount: "too-large" }, ["New 900"]);
    await applySuccessfully(project, "--accept-duplicate", "context.d900");
    expect(listContextNames(project)).toEqual(addNewName(createNames(150)).sort());
  });

  it("blocks creates despite ignore_list_counts if the list order changes with each page", async () => {
    const project = await startWith(300, { listCount: "too-large", listOrder: "reshuffled" });
    await project.write("avatarops.yaml", formatManifest(addNewName(createNames(300)), "Be kind.", service));
    expect(await runUnwrapped(project, "apply", "--auto-approve")).toMatchObject({ exit: 3 });
    expect(listCreates(project)).toEqual([]);
  });
});

it.each(["absent", "too-small"] as const)(
  "allows creates if the list count is %s and the list is stable",
  async (listCount) => {
    const project = await startWith(150, { listCount }, addNewName(createNames(2)));
    await applySuccessfully(project);
    await project.expectNothingToDo();
    expect(listContextNames(project)).toEqual(addNewName(createNames(150)).sort());
  },
);

/** Makes a list report one object more than it contains. */
const shortList = { listCount: "too-large" } as const;

/** Starts a project, applies it, and then makes the list count exceed the entries. */
async function startShort(behavior: Partial<Behavior> = {}, profile?: "liveavatar"): Promise<Project> {
  const service = profile ? `service: { profile: ${profile} }\n` : "";
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatManifest(["Desk 0"], "Be kind.", service) },
    emulator: {
      behavior: { contextNames: "free", ...behavior },
      now: () => Date.UTC(2026, 0, 1) + 123,
      ...(profile && { profile }),
    },
  });
  await applySuccessfully(project);
  project.emulator.setBehavior(shortList);
  project.emulator.requests.length = 0;
  return project;
}

describe("list that may be incomplete", () => {
  it("prevents recreating a deleted object whose name may be taken", async () => {
    const project = await startShort();
    project.emulator.removeContext("Desk 0");
    expect(await summarizePlan(project)).toMatchObject({
      exit: 1,
      changes: ["unreadable context.d0 unreadable"],
      notes: [
        matchText(
          'an object named "Desk 0" may exist: the service lists only 0 of the 1 contexts it counts.',
        ),
      ],
    });
    expect((await summarizeApply(project)).outcomes).toEqual(["context.d0 failed unreadable"]);
    expect(listCreates(project)).toEqual([]);
    project.emulator.setBehavior({ listCount: "exact" });
    await applySuccessfully(project);
    expect(listContextNames(project)).toEqual(["Desk 0"]);
  });

  it("causes an object to be planned as unreadable if the object is deleted between the list request and its own read", async () => {
    const project = await startWith(1, shortList);
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts/*" },
      do: { kind: "run", run: ({ removeContext }) => removeContext("Desk 0") },
    });
    expect(await summarizePlan(project)).toMatchObject({ changes: ["unreadable context.d0 unreadable"] });
  });

  it("does not confirm that an object was deleted if a proxy returns 404 for it", async () => {
    const project = await startShort();
    const [{ id } = { id: "" }] = project.emulator.world.contexts;
    project.emulator.removeContext(id);
    const page: FaultAction = {
      ...{ kind: "status", status: 404, body: "<!doctype html>" },
      headers: { "content-type": "text/html" },
    };
    project.emulator.addFault({
      match: { method: "GET", path: `/v1/contexts/${id}` },
      times: Number.POSITIVE_INFINITY,
      do: page,
    });
    // Declares a second object, because a plan fails if its only object is unreadable.
    await project.write("avatarops.yaml", formatManifest(addNewName(["Desk 0"])));
    const planned = await summarizePlan(project);
    expect(planned.notes).toContainEqual(matchText("HTTP 404"));
    expect(planned).toMatchObject({
      exit: 1,
      changes: ["unreadable context.d0 unreadable", "unreadable context.d900 unreadable"],
    });
    await runUnwrapped(project, "apply", "--auto-approve");
    expect(listCreates(project)).toEqual([]);
  });

  it("lets the user decide about a create that got no response", async () => {
    const project = await startShort();
    await project.write("avatarops.yaml", formatManifest(addNewName(["Desk 0"])));
    project.emulator.setBehavior({ listCount: "exact" });
    project.emulator.addFault("POST /v1/contexts drop-before");
    expect(await runUnwrapped(project, "apply", "--auto-approve")).toMatchObject({ exit: 4 });
    project.emulator.setBehavior(shortList);
    expect(await summarizeApply(project)).toMatchObject({
      exit: 4,
      outcomes: ["context.d900 skipped ambiguous"],
    });
    expect(listCreates(project)).toHaveLength(1);
  });

  it("is reported by prune and import with exit code 3", async () => {
    const project = await startShort();
    const missing =
      "Some contexts may be missing: the service lists only 1 of the 2 contexts it counts. Run the command again. If the count is always wrong, set `service.ignore_list_counts: true`.";
    expect(await runUnwrapped(project, "prune")).toMatchObject({
      exit: 3,
      stdout: "No undeclared objects were found.\n",
      stderr: expect.stringContaining(missing),
    });
    expect(await runUnwrapped(project, "import", "--write", "--all")).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(missing),
    });
    expect(await runUnwrapped(project, "export", "all")).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(missing),
    });
  });

  it("stops prune if the list contains no managed object", async () => {
    const project = await startShort({}, "liveavatar");
    const { id } = project.emulator.addContext({ name: "Winter", prompt: "Old." });
    project.emulator.addFault({
      match: { method: "GET", path: "/v1/contexts" },
      times: Number.POSITIVE_INFINITY,
      do: {
        kind: "malformed",
        body: JSON.stringify({ code: 100, data: { count: 2, results: [{ id, name: "Winter" }] } }),
      },
    });
    const ran = await runUnwrapped(project, "prune", id, "--auto-approve");
    expect(ran).toMatchObject({
      exit: 7,
      stderr: matchText(
        "The account shows none of the applied objects (context.d0). Some contexts may be missing:",
      ),
    });
    expect(listContextNames(project)).toEqual(["Desk 0", "Winter"]);
    expect(await runUnwrapped(project, "prune", "nothing")).toMatchObject({
      exit: 7,
      stderr: matchText("Some contexts may be missing"),
    });
  });
});
