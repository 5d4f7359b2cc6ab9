import path from "node:path";
import { describe, expect, test } from "vitest";
import { startProcess } from "./process.js";
import { followFor, startTeam, type Team } from "./team.js";

/** A place for a state. */
export interface StorePlace {
  readonly state: string;
  /** Credentials. */
  readonly environment?: Readonly<Record<string, string>>;
}

const desk = (prompt: string) => ({
  "more.yaml": `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`,
});

/** What a store has to hold, if several processes follow a branch and one of them dies. */
export function describeSync(where: string, newPlace: () => StorePlace): void {
  // Processes of their own, with git.
  describe(`with its state ${where}`, () => {
    // As tasks of one process: test/sync/cycles.test.ts.
    test("two at once write each commit once between them", { tags: "night" }, async () => {
      const { team, push, repo } = await startShared(newPlace());
      await push("0");
      const commits = 2;
      let made = 0;
      const each = async (cycle: number) => {
        if (cycle % 2 === 0 && made < commits) await push(String(++made));
      };
      const both = await Promise.all([
        followFor(team, 7, each, ...repo),
        followFor(team, 7, undefined, ...repo),
      ]);
      for (const { log, ran } of both) {
        expect(ran.exit).toBe(0);
        const problems = log.filter(({ outcome }) => outcome !== "locked").map((line) => line.problems ?? []);
        expect(problems.flat()).toEqual([]);
      }
      expect(team.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual([String(commits)]);
      const writes = team.emulator.requests.filter(({ method }) => method !== "GET");
      expect(writes.length).toBeLessThanOrEqual(commits + 1);
      expect(new Set(writes.map(({ body }) => JSON.stringify(body))).size).toBe(writes.length);
      expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    });

    test("the next one goes on where one was killed, and creates nothing twice", async () => {
      const { team, push, repo } = await startShared(newPlace());
      await push("Be kind.");
      team.emulator.addFault("POST /v1/contexts hang-after");
      const killed = startProcess(team, ...repo);
      const isWriting = () => team.emulator.requests.some(({ method }) => method === "POST");
      await expect.poll(isWriting).toBe(true);
      killed.child.kill("SIGKILL");
      await killed.ended;
      const next = startProcess(team, ...repo, "--interval", "1s");
      await next.line(({ outcome }) => outcome === "applied" || outcome === "unchanged");
      next.child.kill("SIGTERM");
      expect(await next.ended).toMatchObject({ exit: 0 });
      expect(team.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual(["Be kind."]);
      expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    });
  });
}

/** A team whose repository is a bare one. */
export async function startShared(place: StorePlace): Promise<{
  readonly team: Team;
  /** Commits the prompt, and pushes. */
  push(prompt: string): Promise<void>;
  readonly repo: readonly string[];
}> {
  const team = await startTeam("include: [more.yaml]\n", place);
  const bare = path.join(team.repository, "../avatars.git");
  team.git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  team.git("remote", "add", "origin", bare);
  return {
    team,
    repo: ["--repo", bare],
    async push(prompt) {
      await team.commit(desk(prompt));
      team.git("push", "--quiet", "origin", "main");
    },
  };
}
