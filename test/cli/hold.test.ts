/** Tests holds, which make apply, rollback and sync skip objects until the hold ends. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { matchText, startAndApply } from "./hosting.js";

const formatContexts = (one: string, other: string) =>
  `contexts:\n  desk: { name: Desk, prompt: ${one} }\n  door: { name: Door, prompt: ${other} }\n`;

async function startAppliedProject() {
  const project = await startAndApply({
    files: { "avatarops.yaml": formatContexts("Be kind.", "Be brief.") },
  });
  const prompts = () => project.emulator.world.contexts.map(({ prompt }) => prompt);
  return { ...project, prompts };
}

const all = ["hold", "--reason", "incident 42"];

describe("hold on all objects", () => {
  test("stops an apply with a distinct exit code and shows the reason and the release command", async () => {
    const project = await startAppliedProject();
    const held = await project.avatarops(...all, "--until", "4h");
    expect(held).toMatchObject({ exit: 0, stdout: expect.stringContaining("On hold: All objects, until") });
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));

    const plan = await project.avatarops("plan");
    expect(plan).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/All objects are on hold[\s\S]*incident 42/),
    });
    const apply = await project.avatarops("apply", "-y", "--format", "json");
    expect([apply.exit, JSON.parse(apply.stdout)]).toMatchObject([7, { code: "held" }]);
    expect(JSON.parse(apply.stdout).message).toMatch(
      /incident 42[\s\S]*avatarops release[\s\S]*--allow held/,
    );
    expect(project.prompts()).toEqual(["Be kind.", "Be brief."]);

    expect((await project.avatarops("release")).stdout).toContain(
      "No longer on hold: All objects (incident 42)",
    );
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.prompts()).toEqual(["Be strict.", "Be brief."]);
    expect((await project.avatarops("release")).stdout).toContain("Nothing is on hold.");
  });

  test("does not stop an apply without changes", async () => {
    const project = await startAppliedProject();
    await project.avatarops(...all);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const plan = await project.avatarops("plan");
    expect(plan.stdout).toContain("All objects are on hold");
  });

  test("stops an apply if it is placed during the confirmation", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));
    const typed = async () => {
      expect(await project.avatarops(...all)).toMatchObject({ exit: 0 });
      return "yes\n";
    };
    expect(await project.avataropsWith({ typed }, "apply")).toMatchObject({
      exit: 7,
      stderr: expect.stringContaining("error[held]"),
    });
    expect(project.prompts()).toEqual(["Be kind.", "Be brief."]);
  });

  test("expires at the given time", async () => {
    const project = await startAppliedProject();
    await project.avatarops(...all, "--until", "2h");
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));
    const later = { now: () => Date.now() + 2 * 3_600_000 };
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 7 });
    expect((await project.avataropsWith(later, "plan")).stdout).not.toContain("on hold");
    expect(await project.avataropsWith(later, "apply", "-y")).toMatchObject({ exit: 0 });
    expect(await project.read(".avatarops/state.json")).not.toContain("incident");
  });

  test("rejects a missing reason, an invalid time and an unknown address", async () => {
    const project = await startAppliedProject();
    for (const [argv, says] of [
      [["hold"], "--reason"],
      [["hold", "--reason", " "], "The reason must be"],
      [[...all, "--until", "2020-01-01T00:00Z"], "in the past"],
      [[...all, "--until", "2030-01-01T00:00"], "with a time zone"],
      [[...all, "context.dsk"], "Did you mean context.desk?"],
      [["release", "context.desk"], "context.desk is not on hold"],
    ] as const)
      expect(await project.avatarops(...argv), argv.join(" ")).toMatchObject({
        exit: 1,
        stderr: matchText(says),
      });
    await project.avatarops(...all);
    expect((await project.avatarops("release", "context.desk")).stderr).toContain("has no hold of its own");
  });
});

describe("hold on some objects", () => {
  test("makes apply skip them without changing the plan's digest", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be frank."));
    const { digest } = await project.json("plan");
    const { stdout } = await project.avatarops("hold", "--reason", "legal check", "context.de*");
    expect(stdout).toMatch(/^On hold: context\.desk \(/);

    const plan = await project.json("plan");
    expect(plan).toMatchObject({
      digest,
      notices: [{ code: "held-objects", message: expect.stringContaining("context.desk is on hold") }],
      changes: [
        { address: "context.desk", held: expect.stringContaining("legal check") },
        { address: "context.door" },
      ],
    });
    const apply = await project.avatarops("apply", "--digest", digest, "--format", "json");
    expect([apply.exit, JSON.parse(apply.stdout)]).toMatchObject([
      3,
      { results: [{ status: "skipped", problem: { code: "held" } }, { status: "applied" }] },
    ]);
    expect(project.prompts()).toEqual(["Be kind.", "Be frank."]);
    const advice = "avatarops release context.desk`, or apply it anyway with `--allow held`";
    for (const message of [plan.changes[0].held, JSON.parse(apply.stdout).results[0].problem.message])
      expect(message).toContain(advice);
    expect(plan.notices[0].message).toContain("add `--allow held`");

    await project.avatarops("state", "mv", "context.desk", "context.table");
    const released = await project.avatarops("release", "context.table");
    expect(released.stdout).toContain("No longer on hold: context.table (legal check)");
    await project.write(
      "avatarops.yaml",
      formatContexts("Be strict.", "Be frank.").replace("desk:", "table:"),
    );
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.prompts()).toEqual(["Be strict.", "Be frank."]);
  });

  test("is shown in the history with its reason as plain text", async () => {
    const project = await startAppliedProject();
    const reason = "@everyone `x` **b** <!-- avatarops:review ; --> \u001b[31m\nred";
    expect(
      await project.avataropsWith({ environment: { USER: "ada" } }, "hold", "--reason", reason),
    ).toMatchObject({
      exit: 0,
    });
    await project.avatarops("release");
    const history = await project.avatarops("history");
    expect(history.stdout).toMatch(
      /avatarops release[\s\S]*no longer on hold: all objects[\s\S]*avatarops hold[\s\S]*all objects on hold \(ada, since/,
    );
    for (const argv of [["history"], ["history", "--format", "markdown"], ["plan", "--format", "markdown"]]) {
      await project.avatarops("hold", "--reason", reason);
      const { stdout } = await project.avatarops(...argv);
      expect(stdout).not.toContain("\u001b[31m");
      if (argv.length > 1) expect(stdout.replaceAll(/`+[^`]*`+/g, "")).not.toMatch(/@everyone|<!--|\*\*b/);
    }
  });

  test("is removed from the state when it is released", async () => {
    const project = await startAppliedProject();
    await project.avatarops("hold", "--reason", "legal check", "context.desk");
    expect(JSON.parse(await project.read(".avatarops/state.json"))).toMatchObject({ holds: [{}] });
    await project.expectRefused(["release"], "avatarops release context.desk");
    // Releasing the hold on all objects keeps the hold on one object.
    await project.avatarops("hold", "--reason", "incident 42");
    expect((await project.avatarops("release")).stdout).toBe(
      "No longer on hold: All objects (incident 42)\n",
    );
    expect(JSON.parse(await project.read(".avatarops/state.json"))).toMatchObject({ holds: [{}] });
    await project.avatarops("release", "context.desk");
    expect(JSON.parse(await project.read(".avatarops/state.json")).holds).toBeUndefined();
  });
});

describe("rollback", () => {
  async function startRolledBack(...argv: string[]) {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const ran = await project.avatarops("rollback", "--to", "1", "-y", ...argv);
    return { ...project, ran };
  }

  test("places a hold on restored objects until the files match", async () => {
    const project = await startRolledBack();
    expect(project.ran).toMatchObject({ exit: 0 });
    expect(project.ran.stderr).toEqual(
      matchText("The files differ for context.desk, so the object is put on hold"),
    );
    expect(project.prompts()).toEqual(["Be kind.", "Be brief."]);

    const apply = await project.avatarops("apply", "-y");
    expect(apply).toMatchObject({ exit: 3, stdout: matchText("Rolled back to serial 1.") });
    expect(project.prompts()).toEqual(["Be kind.", "Be brief."]);
    expect((await project.avatarops("history")).stdout).toContain("context.desk on hold");

    await project.write("avatarops.yaml", formatContexts("Be kind.", "Be brief."));
    const ended = await project.avatarops("apply", "-y");
    expect(ended).toMatchObject({
      exit: 0,
      stderr: matchText("the hold on context.desk has ended"),
    });
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(project.prompts()).toEqual(["Be strict.", "Be brief."]);
  });

  test("places a hold on objects that an edit elsewhere has already restored", async () => {
    const project = await startAppliedProject();
    await project.write("avatarops.yaml", formatContexts("Be strict.", "Be brief."));
    await project.expectApplied();
    project.emulator.editContext("Desk", { prompt: "Be kind." });
    await project.expectDone("rollback", "--to", "1", "-y");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 3 });
    expect(project.prompts()).toEqual(["Be kind.", "Be brief."]);
  });

  test("is followed by a journal with the request timeout of the project, although a hold begins it", async () => {
    const project = await startRolledBack();
    const slow = "service: { timeout_seconds: 120 }\n";
    const more = "  gate: { name: Gate, prompt: Be quick. }\n";
    await project.write("avatarops.yaml", slow + formatContexts("Be kind.", "Be brief.") + more);
    let journal = "";
    const readJournal = () => {
      journal = readFileSync(`${project.folder}/.avatarops/state.json.journal`, "utf8");
    };
    project.emulator.addFault({ match: { method: "POST" }, do: { kind: "run", run: readJournal } });
    await project.expectApplied();
    const [header = "", first = ""] = journal.split("\n");
    expect(JSON.parse(header)).toMatchObject({ requestTimeoutMs: 120_000 });
    expect(JSON.parse(first)).toEqual([{ holds: [] }]);
  });

  test("keeps its holds if the process is killed after the writes", async () => {
    const project = await startRolledBack("--dry-run");
    const state = JSON.parse(await project.read(".avatarops/state.json"));
    const { lineage, serial, service } = state;
    const hold = {
      reason: "Rolled back to serial 1",
      by: "ada",
      since: "2026-01-01T00:00:00.000Z",
      restored: 1,
    };
    const lines = [
      { journal: 1, id: "j", lineage, serial, service, requestTimeoutMs: 30_000 },
      [{ holds: [{ addresses: ["context.desk"], ...hold }] }],
    ];
    const journal = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await project.write(".avatarops/state.json.journal", journal);
    expect((await project.avatarops("plan")).stdout).toEqual(matchText("context.desk is on hold (ada"));
    await project.write("avatarops.yaml", formatContexts("Be rude.", "Be brief."));
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 3 });
    expect(project.prompts()).toEqual(["Be strict.", "Be brief."]);
  });

  test("places no hold with --no-hold", async () => {
    const project = await startRolledBack("--no-hold");
    expect((await project.avatarops("plan")).stdout).not.toContain("on hold");
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    expect(await project.read(".avatarops/state.json")).not.toContain("holds");
  });

  test("can undo an earlier rollback and restore the newer prompts", async () => {
    const project = await startRolledBack();
    expect(await project.avatarops("rollback", "--to", "2", "-y")).toMatchObject({ exit: 0 });
    expect(project.prompts()).toEqual(["Be strict.", "Be brief."]);
  });
});
