import { describe, expect, test } from "vitest";
import { type FaultAction, sandboxAvatarId } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "./hosting.js";
import { always, minting, startAppliedProject, world, yaml } from "./smoke-project.js";

describe("apply --smoke", () => {
  test("checks the presets that refer to applied objects", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const { exit, stdout } = await apply(project, "--format", "json");
    expect(exit, stdout).toBe(0);
    const { smoke: checked, exit: outcome } = JSON.parse(stdout);
    expect([outcome, checked.scope, checked.exit]).toEqual(["done", "applied", "passed"]);
    expect(checked.checks.map(({ preset }: { preset: string }) => preset)).toContain("kiosk");
  });

  test("skips presets without changed objects, and reports when no preset remains", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", yaml.replace("show people around", "show people the garden"));
    const changed = JSON.parse((await apply(project, "--format", "json")).stdout);
    expect(changed.smoke.checks).toMatchObject([{ preset: "lobby", status: "passed" }]);

    const { exit, stdout } = await apply(project);
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: matchText("Smoke check: no preset refers to an applied object."),
    });
    await project.expectNothingToDo();
  });

  test("fails if a check fails, and recommends the rollback that undoes the apply", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", yaml.replace("show people around", "show people the garden"));
    project.emulator.addFault({ match: minting, do: { kind: "status", status: 500 }, times: always });

    const { exit, stdout } = await apply(project);

    expect(exit).toBe(1);
    expect(stdout).toEqual(matchText("1 applied; 3 unchanged"));
    expect(stdout).toEqual(matchText("Smoke check: 1 failed."));
    expect(stdout).toEqual(
      matchText(
        "The apply was not undone. Correct the files and apply them again, or undo the apply with `avatarops rollback --to 1`.",
      ),
    );
    project.emulator.clearFaults();
    const back = await project.avatarops("rollback", "--to", "1", "--auto-approve");
    expect(back.exit).toBe(0);
    expect(project.emulator.world.contexts.find(({ name }) => name === "Tours")?.prompt).toContain(
      "people around",
    );
  });

  test("returns the partial apply exit code even if a check fails", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const refused: FaultAction = { kind: "status", status: 400 };
    project.emulator.addFault({
      match: { method: "POST", path: "/v1/contexts", body: "Tours" },
      do: refused,
    });
    const { exit, stdout } = await apply(project, "--format", "json");
    expect(exit).toBe(3);
    const { exit: outcome, smoke: checked } = JSON.parse(stdout);
    expect(outcome).toBe("partly");
    expect(checked).toMatchObject({
      ...{ exit: "failed", summary: { passed: 2, failed: 1 } },
      advice: expect.stringContaining("The apply was not undone."),
    });
    expect(checked.checks[1]).toMatchObject({ preset: "lobby", problem: { code: "unresolved-reference" } });
  });

  test("prints the smoke check below the outcome in Markdown", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml }, world: structuredClone(world) });
    const { stdout } = await apply(project, "--format", "markdown");
    expect(stdout.match(/^### .*$/gm)).toEqual(["### 4 applied; 0 unchanged", "### Smoke check: 3 passed."]);
  });

  test("rejects --sandbox-avatar without --smoke", async () => {
    const project = await startAppliedProject();
    const other = sandboxAvatarId.replace("d", "e");
    await project.expectRefused(
      ["apply", "-y", "--sandbox-avatar", other],
      "--sandbox-avatar requires --smoke",
    );
  });
});

function apply(project: Project, ...argv: string[]) {
  return project.avataropsWith({ pause: async () => {} }, "apply", "--auto-approve", "--smoke", ...argv);
}
