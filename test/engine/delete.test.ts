/**
 * Checks that undeclared objects are deleted only if the files request it. For faults during deletes, see
 * `test/lifecycle/deletes.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { createEmptyDataset, type Emulator } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";

const a = "a: { name: A, prompt: First. }";
const b = "b: { name: B, prompt: Second. }";

/** Starts a project with applied contexts. */
async function startWith(...declared: readonly string[]) {
  const project = await startProject({ world: createEmptyDataset(), emulator: { profile: "liveavatar" } });
  const { emulator } = project;
  const settings = "service: { profile: liveavatar }\non_removal: { contexts: delete }\n";
  const declare = (...lines: readonly string[]) =>
    project.write(
      "avatarops.yaml",
      `${settings}contexts: ${lines.length > 0 ? `\n  ${lines.join("\n  ")}` : "{}"}\n`,
    );
  const names = () => emulator.world.contexts.map(({ name }) => name);
  /** Returns the HTTP methods of the writes since the first apply. */
  const writes = () => emulator.requests.map(({ method }) => method).filter((method) => method !== "GET");
  await declare(...declared);
  await project.expectApplied();
  emulator.requests.splice(0);
  return { ...project, declare, names, writes };
}

/** Runs `change` between the plan and the last read before the delete. */
function callBeforeDelete({ emulator }: Project, change: (emulator: Emulator) => void): void {
  emulator.addFault({
    match: { method: "GET", path: "/v1/contexts/*" },
    skip: 1,
    do: { kind: "run", run: change },
  });
}

describe("undeclared context", () => {
  it("is not deleted after a dashboard edit", async () => {
    const world = await startWith(a);
    world.emulator.editContext("A", { prompt: "Edited." });
    await world.declare();
    expect((await world.avatarops("plan")).stdout).toContain(
      'prompt        "Edited." → (deleted)  (edited elsewhere)',
    );
    const refused = await world.avatarops("apply", "--auto-approve");
    const hint = "Keep it: declare it again. Delete it: `avatarops apply --overwrite-drift`.";
    expect(refused, refused.stdout).toMatchObject({ exit: 3, stdout: matchText(hint) });
    expect(world.writes()).toEqual([]);
    await world.expectApplied("--overwrite-drift");
    expect(world.names()).toEqual([]);
  });

  it("is not deleted if the state lacks its applied values", async () => {
    const world = await startWith(a, b);
    const path = ".avatarops/state.json";
    const state = JSON.parse(await world.read(path));
    state.objects["context.a"].applied = {};
    await world.write(path, JSON.stringify(state));
    await world.declare(b);
    const plan = await world.avatarops("plan");
    expect(plan.stdout).toEqual(matchText("the state has no record of its last apply"));
    expect((await world.avatarops("apply", "--auto-approve")).stdout).toMatch(/skipped +context\.a/);
    expect(world.names()).toEqual(["A", "B"]);
    await world.expectApplied("--overwrite-drift");
    expect(world.names()).toEqual(["B"]);
  });

  it("is not deleted if it was edited after the plan was saved", async () => {
    const world = await startWith(a);
    await world.declare();
    expect(await world.avatarops("plan", "--out", "plan.json")).toMatchObject({ exit: 0 });
    world.emulator.editContext("A", { prompt: "Edited." });
    expect(await world.avatarops("apply", "plan.json")).toMatchObject({ exit: 5 });
    expect(world.writes()).toEqual([]);
  });

  it("is not deleted if it is edited between the plan and the delete", async () => {
    const world = await startWith(a);
    await world.declare();
    callBeforeDelete(world, (emulator) => emulator.editContext("A", { prompt: "Edited." }));
    const ran = await world.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({
      exit: 1,
      stdout: matchText("edited elsewhere after the plan was made"),
    });
    expect([world.names(), world.writes()]).toEqual([["A"], []]);
  });

  it("is not deleted if it cannot be read before the delete", async () => {
    const world = await startWith(a);
    await world.declare();
    world.emulator.addFault("GET /v1/contexts/* 500 times=always skip=1");
    const ran = await world.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({ exit: 1, stdout: matchText("HTTP 500") });
    expect([world.names(), world.writes()]).toEqual([["A"], []]);
    world.emulator.clearFaults();
    await world.expectApplied();
    expect(world.names()).toEqual([]);
  });

  it("is reported as deleted if it disappears before the delete is sent", async () => {
    const world = await startWith(a);
    await world.declare();
    callBeforeDelete(world, (emulator) => emulator.removeContext("A"));
    const ran = await world.expectApplied();
    expect(ran.stdout).toContain("deleted");
    expect(ran.stdout).not.toContain("response was lost");
    expect(world.writes()).toEqual([]);
  });

  it("is not deleted if another address has adopted the object", async () => {
    const world = await startWith(a);
    await world.declare(a.replace("a:", "renamed:"));
    const plan = await world.avatarops("plan");
    expect(plan.stdout).toContain("It is not deleted, because context.renamed now manages it.");
    await world.expectApplied();
    expect([world.names(), world.writes()]).toEqual([["A"], []]);
  });

  it("is not deleted by an apply that targets only other objects", async () => {
    const world = await startWith(a, b);
    await world.declare(b.replace("Second.", "Changed."));
    await world.expectDone("apply", "--auto-approve", "--target", "context.b");
    expect(world.names()).toEqual(["A", "B"]);
  });

  it("is deleted before another context is renamed to its name", async () => {
    const world = await startWith(a, b);
    await world.declare(b.replace("name: B", "name: A"));
    await world.expectApplied();
    expect([world.names(), world.writes()]).toEqual([["A"], ["DELETE", "PATCH"]]);
  });
});

describe("delete with an unknown outcome", () => {
  it.each([
    ["drop-before", [], "- delete    context.a", 0],
    ["drop-before", [a], "1 unchanged", 1],
    ["drop-after", [], "forget    context.a", 0],
    ["drop-after", [a], "create    context.a", 1],
  ])(
    "stays in the state after the fault %s until the next apply, with the declarations %j",
    async (fault, then, plan, left) => {
      const world = await startWith(a);
      await world.declare();
      world.emulator.addFault(`DELETE /v1/contexts/* ${fault} times=always`);
      // The plan and the last read before the request succeed.
      world.emulator.addFault("GET /v1/contexts/* 500 times=always skip=2");
      const ran = await world.avatarops("apply", "--auto-approve");
      expect(ran, ran.stdout).toMatchObject({ exit: 4 });
      expect((await world.avatarops("state", "list")).stdout).toContain("delete of context.a");
      world.emulator.clearFaults();
      await world.declare(...then);
      expect((await world.avatarops("plan")).stdout).toContain(plan);
      await world.expectApplied();
      expect(world.names()).toHaveLength(left);
      expect((await world.avatarops("state", "list")).stdout).not.toContain("delete of");
    },
  );
});
