import path from "node:path";
import { describe, expect, test } from "vitest";
import { startProcess } from "./process.js";
import { startTeam, type Team } from "./team.js";

export interface StateSettings {
  readonly state: string;
  /** Environment variables with credentials. */
  readonly environment?: Readonly<Record<string, string>>;
}

const createDeskFiles = (prompt: string) => ({
  "more.yaml": `contexts:\n  desk: { name: Desk, prompt: ${JSON.stringify(prompt)} }\n`,
});

/** Tests a store with several processes that follow a branch. One of them is killed. */
export function describeSync(where: string, newState: () => StateSettings): void {
  describe(`sync with its state ${where}`, () => {
    test("resumes after its process is killed, and creates nothing twice", async () => {
      const { team, push, repo } = await startShared(newState());
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

/** Starts a team with a bare repository. */
export async function startShared(settings: StateSettings): Promise<{
  readonly team: Team;
  /** Commits the prompt and pushes it. */
  push(prompt: string): Promise<void>;
  readonly repo: readonly string[];
}> {
  const team = await startTeam("include: [more.yaml]\n", settings);
  const bare = path.join(team.repository, "../avatars.git");
  team.git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  team.git("remote", "add", "origin", bare);
  return {
    team,
    repo: ["--repo", bare],
    async push(prompt) {
      await team.commit(createDeskFiles(prompt));
      team.git("push", "--quiet", "origin", "main");
    },
  };
}
