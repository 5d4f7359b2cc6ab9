import { describe, expect, test } from "vitest";
import { type CommandResult, comparedWithoutGit, type Project, startAndApply } from "./hosting.js";

const contexts = (prompt: string) =>
  `contexts:\n${["a", "b", "c"].map((name) => `  ${name}: { name: ${name}, prompt: ${prompt} }\n`).join("")}`;

/** Runs an apply that is suspended during its first write, while `meanwhile` runs. */
async function applySuspended(meanwhile: (project: Project) => Promise<void>): Promise<CommandResult> {
  const project = await startAndApply({ files: { "avatarops.yaml": contexts("Be kind.") } });
  await project.write("avatarops.yaml", contexts("Be brief."));
  let suspendedMs = 0;
  const run = async () => {
    await meanwhile(project);
    suspendedMs = 60_000;
  };
  project.emulator.addFault({
    match: { method: "PATCH", path: "/v1/contexts/*" },
    do: { kind: "run", run },
  });
  const now = () => Date.now() + suspendedMs;
  return project.avataropsWith({ now }, "apply", "-y", "--concurrency", "1");
}

const atDesk = { hostname: "desk" };

describe("apply whose lock was removed", () => {
  test("names the later apply that wrote the state, and the new serial", async () => {
    const { exit, stdout, stderr } = await applySuspended(async (project) => {
      expect(await project.avataropsWith(atDesk, "state", "unlock")).toMatchObject({ exit: 0 });
      expect(await project.avataropsWith(atDesk, "apply", "-y")).toMatchObject({ exit: 0 });
    });
    expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining(comparedWithoutGit) });
    const shown = stdout.replace(/\s+/g, " ");
    expect(shown).toMatch(
      /State serial 3\. This run's lock on \S+state\.json was removed or taken over, and `avatarops apply`( by \S+)? on desk has since written serial 3\. This run sends no more requests\. \(lock-lost\) $/,
    );
    expect(shown.match(/Not sent, because this run cannot write the state\./g)).toHaveLength(1);
    expect(shown).not.toContain("/v1/");
  });

  test("names the run that owns the lock now", async () => {
    const lock = { id: "1f0a4e0a", pid: 4711, host: "runner-7", since: "today", command: "avatarops apply" };
    const { exit, stdout } = await applySuspended((project) =>
      project.write(".avatarops/state.json.lock", JSON.stringify(lock)),
    );
    expect(exit).toBe(3);
    const shown = stdout.replace(/\s+/g, " ");
    expect(shown).toContain(
      "was removed or taken over, and `avatarops apply` (process 4711 on runner-7, since today) owns it now. This run sends no more requests. The new owner continues from this run's records. (lock-lost)",
    );
    expect(shown).not.toContain("/v1/");
  });
});
