/** Checks that an unreadable object is reported and skipped while all others are processed. */
import { describe, expect, it } from "vitest";
import { createEmptyDataset, type FaultAction } from "../../src/emulator/index.js";
import type { OutcomeDocument, PlanDocument } from "../../src/output/documents/index.js";
import { matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";

const formatDesks = (prompt: string) =>
  `contexts:\n${["a", "b", "c"].map((name) => `  ${name}: { name: ${name}, prompt: ${prompt} }\n`).join("")}`;

const createHtmlFault = (status: number): FaultAction => ({
  kind: "status",
  status,
  body: "<!doctype html><html><title>Not Found</title></html>",
  headers: { "content-type": "text/html" },
});

const startThree = (): Promise<Project> =>
  startAndApply({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesks("x") },
    emulator: { now: () => Date.UTC(2026, 0, 1) + 123 },
  });

function findId({ emulator }: Project, name: string): string {
  return emulator.world.contexts.find((context) => context.name === name)?.id ?? "";
}

function listPrompts({ emulator }: Project): Record<string, string> {
  return Object.fromEntries(emulator.world.contexts.map(({ name, prompt }) => [name, prompt]));
}

/** Replaces the response to each read of this object. */
function faultReads({ emulator }: Project, id: string, action: FaultAction): void {
  emulator.addFault({
    match: { method: "GET", path: `/v1/contexts/${id}` },
    times: Number.POSITIVE_INFINITY,
    do: action,
  });
}

describe("deleted object on a service that returns HTML pages for 404s", () => {
  it.each(["auto", "full"])(
    "is recreated because the complete list lacks it (refresh %s)",
    async (refresh) => {
      const project = await startThree();
      const gone = findId(project, "a");
      project.emulator.removeContext(gone);
      faultReads(project, gone, createHtmlFault(404));
      const planned = await project.avatarops("plan", "--refresh", refresh);
      expect(planned, planned.stderr).toMatchObject({ exit: 0, stdout: matchText("create context.a") });
      expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
      expect(listPrompts(project)).toEqual({ a: "x", b: "x", c: "x" });
      await project.expectNothingToDo();
    },
  );

  it("is looked up in the complete list instead of only the first page", async () => {
    const project = await startThree();
    for (let i = 0; i < 150; i++) project.emulator.addContext({ name: `Other ${i}`, prompt: "" });
    const gone = findId(project, "a");
    project.emulator.removeContext(gone);
    faultReads(project, gone, createHtmlFault(404));
    await project.write("avatarops.yaml", formatDesks("y"));
    await project.expectDone("apply", "--auto-approve");
    expect(listPrompts(project)).toMatchObject({ a: "y", b: "y", c: "y" });
  });
});

const boom: FaultAction = { kind: "status", status: 500, body: { message: "boom" } };

describe("unreadable object", () => {
  it.each<[how: string, action: FaultAction, says: string]>([
    ["HTTP 500", boom, "HTTP 500"],
    ["HTML page with 404 for a listed object", createHtmlFault(404), "HTTP 404"],
    ["HTTP 403", { kind: "status", status: 403, body: { message: "no" } }, "HTTP 403"],
    [
      "unknown response shape",
      { kind: "malformed", body: '{"code":100,"data":{"id":7}}' },
      "differs from the documentation",
    ],
    ["truncated response", { kind: "cut" }, "was lost before the response was complete"],
  ])("is reported by plan and apply without affecting other objects: %s", async (_, action, says) => {
    const project = await startThree();
    faultReads(project, findId(project, "a"), action);
    await project.write("avatarops.yaml", formatDesks("y"));
    const planned = await project.avatarops("plan", "--format", "json");
    expect(planned, planned.stderr).toMatchObject({ exit: 1 });
    const { changes, exit } = JSON.parse(planned.stdout) as PlanDocument;
    expect(exit).toBe("unreadable");
    expect(changes.map((one) => `${one.action} ${one.address}`).sort()).toEqual([
      "unreadable context.a",
      "update context.b",
      "update context.c",
    ]);
    const [note] = changes.find((one) => one.action === "unreadable")?.notes ?? [];
    expect(note).toContain(says);
    expect(note).toContain("avatarops state forget context.a");

    const ran = await project.avatarops("apply", "--auto-approve", "--format", "json");
    expect(ran, ran.stderr).toMatchObject({ exit: 3 });
    const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
    expect(results.find(({ address }) => address === "context.a")).toMatchObject({
      ...{ action: "unreadable", status: "failed", problem: { code: "unreadable" } },
    });
    expect(listPrompts(project)).toEqual({ a: "x", b: "y", c: "y" });
    project.emulator.clearFaults();
    await project.avatarops("apply", "--auto-approve");
    expect(listPrompts(project)).toEqual({ a: "y", b: "y", c: "y" });
    await project.expectNothingToDo();
  });

  it("is reported by every other command without affecting other objects", async () => {
    const project = await startThree();
    for (const name of ["a", "b"]) project.emulator.editContext(findId(project, name), { prompt: "theirs" });
    // Changes the timestamps, so that each object has to be read.
    for (const context of project.emulator.world.contexts) context.updated_at = "2026-01-02T00:00:00.001Z";
    faultReads(project, findId(project, "a"), boom);
    const differing = await project.avatarops("diff");
    expect(differing).toMatchObject({ exit: 1, stdout: matchText("account and files differ") });
    expect(differing.stdout.replace(/\s+/g, " ")).toContain("avatarops state forget context.a");
    expect(await project.json("drift")).toMatchObject({
      ...{ unreadable: [{ address: "context.a" }], objects: [{ address: "context.b" }] },
    });
    expect(await project.avatarops("drift")).toMatchObject({ exit: 1 });
    for (const format of ["text", "markdown"])
      expect(await project.avatarops("plan", "--format", format)).toMatchObject({
        exit: 1,
        stdout: matchText("It could not be read, so it is left unchanged."),
      });
    const exported = await project.avatarops("export", "all");
    expect(exported, exported.stderr).toMatchObject({
      exit: 3,
      stderr: matchText(`The context "a" (${findId(project, "a")})`),
    });
    expect(project.has("all/contexts/b.md")).toBe(true);
    const pulled = await project.avatarops("pull");
    expect(pulled, pulled.stderr).toMatchObject({ exit: 3, stdout: matchText("context.a") });
    const text = await project.read("avatarops.yaml");
    expect(text).toContain("b: { name: b, prompt: theirs }");
    expect(text).toContain("a: { name: a, prompt: x }");
  });
});

it("stops the plan and sends no more requests if many objects cannot be read", async () => {
  const many = Array.from({ length: 200 }, (_, i) => `  c${i}: { name: Context ${i}, prompt: x }\n`);
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": `contexts:\n${many.join("")}` },
    emulator: { now: () => Date.UTC(2026, 0, 1) + 123 },
  });
  await project.avatarops("apply", "--auto-approve");
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts/*" },
    times: Number.POSITIVE_INFINITY,
    do: { kind: "malformed", body: "{}" },
  });
  project.emulator.requests.length = 0;
  const planned = await project.avatarops("plan", "--refresh", "full");
  expect(planned).toMatchObject({ exit: 1, stdout: "" });
  expect(planned.stderr).toMatch(/happened\s+while\s+reading\s+context\.c\d+/);
  expect(project.emulator.requests.length).toBeLessThan(150);
});

it("reports the address and a fix if the only object is unreadable", async () => {
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": "contexts:\n  a: { name: a, prompt: x }\n" },
    emulator: { now: () => Date.UTC(2026, 0, 1) + 123 },
  });
  await project.avatarops("apply", "--auto-approve");
  faultReads(project, findId(project, "a"), createHtmlFault(404));
  const planned = await project.avatarops("plan", "--refresh", "full");
  expect(planned).toMatchObject({ exit: 1, stderr: matchText("avatarops state forget context.a") });
});
