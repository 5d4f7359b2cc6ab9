/** What leaves the files is deleted where its kind can be, and only what is meant. */
import "../synthetic/note.js";
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { type Note, notesService } from "../synthetic/note.js";

interface World {
  readonly project: Project;
  readonly notes: Note[];
  declare(text: string): Promise<void>;
}

const a = "a: { name: A, text: First. }";
const b = "b: { name: B, text: Second. }";

/** A project whose notes were applied. */
async function startWith(...declared: readonly string[]): Promise<World> {
  const { notes, endpoints } = notesService();
  const project = await startProject({ emulator: { endpoints } });
  const declare = (text: string) =>
    project.write(
      "avatarops.yaml",
      `on_removal: { notes: delete }\n${text === "" ? "notes: {}" : `notes:\n  ${text}`}\n`,
    );
  await declare(declared.join("\n  "));
  await applied(project);
  project.emulator.requests.splice(0);
  return { project, notes, declare };
}

async function applied(project: Project, ...flags: string[]): Promise<string> {
  const ran = await project.avatarops("apply", "--auto-approve", ...flags);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
  await project.expectNothingToDo();
  return ran.stdout;
}

const sent = ({ project }: World, method: string) =>
  project.emulator.requests.filter((request) => request.method === method).length;
const namesOf = ({ notes }: World) => notes.map(({ name }) => name);

describe("a note that is no longer declared", () => {
  it("is shown as deleted, counted, and deleted once", async () => {
    const world = await startWith(a, b);
    const { project, declare, notes } = world;
    await declare(b);
    const plan = await project.avatarops("plan", "--detailed-exitcode");
    expect(plan).toMatchObject({ exit: 2 });
    expect(plan.stdout).toContain(
      `\n- delete    note.a  "A"  ${notes[0]?.id}\n            no longer declared\n`,
    );
    expect(plan.stdout).toContain("\n\n  1 to delete; 1 unchanged.");
    const json = JSON.parse((await project.avatarops("plan", "--format", "json")).stdout);
    expect(json).toMatchObject({ exit: "changes", summary: { delete: 1, forget: 0 } });
    expect(json.changes).toMatchObject([{ address: "note.a", action: "delete", reason: "removed" }]);
    expect(await applied(project)).toMatch(/deleted +note\.a/);
    expect(namesOf(world)).toEqual(["B"]);
    expect(sent(world, "DELETE")).toBe(1);
  });

  it("is not deleted unseen where it was edited elsewhere", async () => {
    const world = await startWith(a);
    const { project, declare, notes } = world;
    Object.assign(notes[0] ?? {}, { text: "Edited.", updated_at: "2026-12-01T00:00:00.001Z" });
    await declare("");
    const plan = await project.avatarops("plan");
    expect(plan.stdout).toContain('text          "Edited." → (deleted)  (edited elsewhere)');
    const refused = await project.avatarops("apply", "--auto-approve");
    expect(refused, refused.stdout).toMatchObject({ exit: 1 });
    expect(refused.stdout.replace(/\s+/g, " ")).toContain(
      "keep it by declaring it again, or delete it anyway with --overwrite-drift",
    );
    expect(sent(world, "DELETE")).toBe(0);
    await applied(project, "--overwrite-drift");
    expect(notes).toEqual([]);
  });

  it("is not deleted unseen where the state has no record of what was applied", async () => {
    const world = await startWith(a, b);
    const { project, declare } = world;
    const path = ".avatarops/state.json";
    const state = JSON.parse(await project.read(path));
    state.objects["note.a"].applied = {};
    await project.write(path, JSON.stringify(state));
    await declare(b);
    const plan = await project.avatarops("plan");
    expect(plan.stdout.replace(/\s+/g, " ")).toContain("the state has no record of what was applied");
    expect((await project.avatarops("apply", "--auto-approve")).stdout).toMatch(/skipped +note\.a/);
    expect(namesOf(world)).toEqual(["A", "B"]);
    await applied(project, "--overwrite-drift");
    expect(namesOf(world)).toEqual(["B"]);
  });

  it("is not deleted where it was edited after the plan was saved", async () => {
    const world = await startWith(a);
    const { project, declare, notes } = world;
    await declare("");
    expect(await project.avatarops("plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    Object.assign(notes[0] ?? {}, { text: "Edited." });
    expect(await project.avatarops("apply", "plan.json")).toMatchObject({ exit: 5 });
    expect(sent(world, "DELETE")).toBe(0);
  });

  it("is forgotten where it is gone already", async () => {
    const world = await startWith(a, b);
    const { project, declare, notes } = world;
    notes.shift();
    await declare(b);
    expect((await project.avatarops("plan")).stdout).toContain("forget    note.a");
    await applied(project);
    expect(sent(world, "DELETE")).toBe(0);
  });

  it("is not deleted where another address has taken it over", async () => {
    const world = await startWith(a);
    await world.declare(a.replace("a:", "renamed:"));
    const plan = await world.project.avatarops("plan");
    expect(plan.stdout).toContain("It is not deleted: note.renamed manages it now.");
    await applied(world.project);
    expect(namesOf(world)).toEqual(["A"]);
    expect(sent(world, "DELETE") + sent(world, "POST")).toBe(0);
  });

  it("is not deleted by an apply that is limited to others", async () => {
    const world = await startWith(a, b);
    await world.declare(b.replace("Second.", "Changed."));
    const ran = await world.project.avatarops("apply", "--auto-approve", "--target", "note.b");
    expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    expect(namesOf(world)).toEqual(["A", "B"]);
  });

  it("gives up its name before another takes it", async () => {
    const world = await startWith(a, b);
    await world.declare(b.replace("name: B", "name: A"));
    await applied(world.project);
    expect(namesOf(world)).toEqual(["A"]);
    const writes = world.project.emulator.requests
      .map(({ method }) => method)
      .filter((method) => method !== "GET");
    expect(writes).toEqual(["DELETE", "PATCH"]);
  });
});

describe("a delete", () => {
  it.each(["drop-before", "drop-after", "cut", "500", "500-after", "429 retry-after=0", "404"])(
    "whose answer is %s is done in the end, by this apply or the next",
    async (fault) => {
      const world = await startWith(a, b);
      await world.declare(b);
      world.project.emulator.addFault(`DELETE /v1/notes/* ${fault}`);
      await world.project.avatarops("apply", "--auto-approve");
      await world.project.avatarops("apply", "--auto-approve");
      await world.project.expectNothingToDo();
      expect(namesOf(world)).toEqual(["B"]);
    },
  );

  it("whose answers are all lost is found done by reading", async () => {
    const world = await startWith(a);
    await world.declare("");
    world.project.emulator.addFault("DELETE /v1/notes/* drop-after times=always");
    const ran = await world.project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({ exit: 0 });
    expect(world.notes).toEqual([]);
  });

  it("that never arrives says that the object is still there, and is done by the next apply", async () => {
    const world = await startWith(a);
    await world.declare("");
    world.project.emulator.addFault("DELETE /v1/notes/* drop-before times=always");
    const ran = await world.project.avatarops("apply", "--auto-approve");
    expect(ran).toMatchObject({ exit: 1 });
    expect(ran.stdout.replace(/\s+/g, " ")).toContain("It still exists: apply again to delete it.");
    world.project.emulator.clearFaults();
    await applied(world.project);
    expect(world.notes).toEqual([]);
  });

  it("of which nothing can be learnt stays in the state as unsettled, and the next plan looks", async () => {
    const world = await startWith(a);
    await world.declare("");
    // The plan and the last look before the request are let through.
    const { emulator } = world.project;
    emulator.addFault("DELETE /v1/notes/* drop-after times=always");
    emulator.addFault("GET /v1/notes/* 500 times=always skip=2");
    const ran = await world.project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({ exit: 4 });
    expect((await world.project.avatarops("state", "list")).stdout).toContain("delete of note.a");
    emulator.clearFaults();
    expect((await world.project.avatarops("plan")).stdout).toContain("forget    note.a");
    await applied(world.project);
  });

  it.each([
    ["drop-before", "", "- delete    note.a", 0],
    ["drop-before", a, "1 unchanged", 1],
    ["drop-after", a, "create    note.a", 1],
  ])(
    "left open (%s), with %j in the files afterwards, ends as the files say",
    async (fault, then, plan, left) => {
      const world = await startWith(a);
      const { emulator } = world.project;
      await world.declare("");
      emulator.addFault(`DELETE /v1/notes/* ${fault} times=always`);
      emulator.addFault("GET /v1/notes/* 500 times=always skip=2");
      expect(await world.project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
      emulator.clearFaults();
      await world.declare(then);
      expect((await world.project.avatarops("plan")).stdout).toContain(plan);
      await applied(world.project);
      expect(world.notes).toHaveLength(left);
      expect((await world.project.avatarops("state", "list")).stdout).not.toContain("delete of");
    },
  );

  it("that is refused leaves the object managed", async () => {
    const world = await startWith(a);
    await world.declare("");
    world.project.emulator.addFault("DELETE /v1/notes/* 403");
    expect(await world.project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 1 });
    expect((await world.project.avatarops("plan")).stdout).toContain("- delete    note.a");
  });
});

describe("protect", () => {
  const protectedA = "a: { name: A, text: First., protect: true }";

  it("holds when the declaration is gone", async () => {
    const world = await startWith(protectedA);
    await world.declare("");
    const plan = await world.project.avatarops("plan", "--detailed-exitcode");
    expect(plan).toMatchObject({ exit: 1 });
    expect(plan.stdout).toMatch(/protected +note\.a/);
    const ran = await world.project.avatarops("apply", "--auto-approve", "--overwrite-drift");
    expect(ran, ran.stdout).toMatchObject({ exit: 1 });
    expect(ran.stdout).toContain("[protected]");
    expect(namesOf(world)).toEqual(["A"]);
    expect(sent(world, "DELETE")).toBe(0);
  });

  it("is a change of its own, which sends nothing", async () => {
    const world = await startWith(a);
    await world.declare(protectedA);
    const plan = await world.project.avatarops("plan", "--detailed-exitcode");
    expect(plan).toMatchObject({ exit: 2 });
    expect(plan.stdout).toContain('protect       "false" → "true"');
    await applied(world.project);
    expect(sent(world, "PATCH")).toBe(0);
    await world.declare(a);
    await applied(world.project);
    await world.declare("");
    await applied(world.project);
    expect(world.notes).toEqual([]);
  });
});
