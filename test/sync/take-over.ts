import { describe, expect, test } from "vitest";
import { type StateSettings, startShared } from "./on-store.js";
import { startProcess } from "./process.js";
import type { Team } from "./team.js";

/** Gives a process its own host name and boot id, so other machines cannot see whether it runs. */
function moveToMachine(team: Team, name: string): Team {
  const preload = `import fs from "node:fs"; import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
    const read = fs.readFileSync;
    fs.readFileSync = (file, ...more) => file === "/proc/sys/kernel/random/boot_id" ? "boot of ${name}" : read(file, ...more);
    os.hostname = () => ${JSON.stringify(name)}; syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(preload)}`;
  return { ...team, environment: { ...team.environment, NODE_OPTIONS } };
}

type Started = Awaited<ReturnType<typeof startShared>>;

const countWrites = ({ emulator }: Team) => emulator.requests.filter(({ method }) => method !== "GET").length;

/** Starts a replica that takes the lock, and stops it when the request selected by `fault` reaches the service. */
async function stopHolder(
  { team, push, repo }: Started,
  signal: "SIGSTOP" | "SIGKILL",
  fault: { readonly method: string; readonly skip: number },
) {
  await push("Be kind.");
  expect(await team.atDesk("apply", "-y")).toMatchObject({ exit: 0 });
  await push("Be brief.");
  const first = startProcess(moveToMachine(team, "first"), ...repo);
  const stopped = new Promise<void>((resolve) => {
    const run = () => {
      first.child.kill(signal);
      resolve();
    };
    const { method, skip } = fault;
    team.emulator.addFault({ match: { method, path: "/v1/contexts/*" }, skip, do: { kind: "run", run } });
  });
  await stopped;
  team.emulator.clearFaults();
  const take = ["--interval", "1s", "--take-over-after", "2s"];
  return { first, second: startProcess(moveToMachine(team, "second"), ...repo, ...take) };
}

/** Selects the second read of the object, which happens under the lock. The plan reads it first. */
const beforeWrite = { method: "GET", skip: 1 };

/** Tests a store that can fence off a lock owner. */
export function describeTakeOver(where: string, newState: () => StateSettings): void {
  describe(`lost replica's lock ${where}`, () => {
    test("is taken over, and the old replica sends nothing after it resumes", async () => {
      const shared = await startShared(newState());
      const { team } = shared;
      const before = countWrites(team) + 1;
      const { first, second } = await stopHolder(shared, "SIGSTOP", beforeWrite);
      await second.line(({ outcome }) => outcome === "locked");
      const { problems } = await second.line(({ outcome }) => outcome === "applied");
      expect(problems).toMatchObject([
        {
          message: expect.stringMatching(
            /^Took over the lock from `avatarops sync` \(process \d+ on first, /,
          ),
        },
      ]);
      first.child.kill("SIGCONT");
      const { problems: refused } = await first.line(({ outcome }) => outcome === "failed");
      expect(refused?.[0]).toMatchObject({ code: expect.stringMatching(/^(lock-lost|conflict)$/) });
      first.child.kill("SIGKILL");
      second.child.kill("SIGTERM");
      expect(await second.ended).toMatchObject({ exit: 0 });
      expect(countWrites(team) - before).toBe(1);
      expect(team.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual(["Be brief."]);
      expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    });

    test.each([
      ["before a write", beforeWrite],
      ["in the middle of a write", { method: "PATCH", skip: 0 }],
    ])("is taken over after the replica is killed %s", { tags: "night" }, async (_, fault) => {
      const shared = await startShared(newState());
      const { team } = shared;
      const { second } = await stopHolder(shared, "SIGKILL", fault);
      await second.line(({ outcome }) => outcome === "locked");
      await second.line(({ outcome }) => outcome === "applied");
      second.child.kill("SIGTERM");
      expect(await second.ended).toMatchObject({ exit: 0 });
      expect(team.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual(["Be brief."]);
      expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    });
  });
}
