import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import { findBuilt } from "../built.js";
import { git, newFolder, write } from "../git/repositories.js";
import { location, type Remote, stateRef } from "../state/git-servers.js";
import { type Clone, type Clones, startClones } from "./clones.js";

/** Returns a manifest with a context for each key and the state on a remote ref. */
export function formatManifest(keys: readonly string[]): string {
  const contexts = keys.map((key) => `  ${key}: { name: ${key}, prompt: "Prompt of ${key}" }\n`);
  return `state: ${location}\ncontexts:\n${contexts.join("")}`;
}

/** Starts a team whose repository contains a project with these contexts. */
export const startTeam = (keys: readonly string[]): Promise<Clones> =>
  startClones({ "avatarops.yaml": formatManifest(keys) });

/** Returns the stored states, except commits made by a lock takeover. */
function readStates(remote: Remote): { serial: number; objects: Record<string, unknown>; pending: object }[] {
  const applies = ["--invert-grep", "--grep=^Taken over by "];
  const commits = git(remote.folder, "rev-list", "--reverse", ...applies, stateRef).split("\n");
  return commits.map((commit) => JSON.parse(git(remote.folder, "show", `${commit}:state.json`)));
}

/** Applies `count` objects from each of two clones at the same time. */
export async function race(count: number): Promise<void> {
  const of = (who: string) => Array.from({ length: count }, (_, at) => `${who}${at}`);
  const keys = [...of("a"), ...of("b")];
  const { emulator, remote, clone } = await startTeam(keys);
  const applyAll = async ({ apply }: Clone, mine: readonly string[]) => {
    for (const key of mine) {
      await apply("--target", `context.${key}`, "--lock-timeout", "600");
    }
  };
  await Promise.all([applyAll(clone(), of("a")), applyAll(clone(), of("b"))]);
  const states = readStates(remote);
  expect(states.map(({ serial }) => serial)).toEqual(keys.map((_, at) => at + 1));
  expect(Object.keys(states.at(-1)?.objects ?? {}).sort()).toEqual(
    keys.map((key) => `context.${key}`).sort(),
  );
  expect(emulator.world.contexts?.map(({ name }) => name).sort()).toEqual([...keys].sort());
  expect(git(remote.folder, "for-each-ref", "refs/avatarops-locks")).toBe("");
  expect(await clone().run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
}

/** Runs apply with a git that kills the run before or after the nth push. Returns whether the run was killed. */
async function applyKilled({ environment, remote }: Clones, clone: string, nth: number, when: string) {
  const bin = newFolder();
  const real = "/usr/bin/git";
  write(
    bin,
    "git",
    `#!/bin/sh
case " $* " in *" push "*) ;; *) exec ${real} "$@";; esac
echo >> ${bin}/pushes
[ $(wc -l < ${bin}/pushes) = ${nth} ] || exec ${real} "$@"
[ ${when} = before ] || ${real} "$@"
kill -9 $PPID
`,
    0o755,
  );
  const child = spawn(process.execPath, [findBuilt(), "apply", "--auto-approve"], {
    cwd: clone,
    env: { ...environment, PATH: `${bin}:${environment.PATH}` },
    stdio: "ignore",
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  expect(git(remote.folder, "fsck", "--no-dangling", "--no-progress")).toBe("");
  return signal === "SIGKILL";
}

/**
 * Kills a run at its nth push and expects the next run to finish. Returns whether the run made that many
 * pushes.
 */
export async function killAt(nth: number, when: string): Promise<boolean> {
  const team = await startTeam(["a"]);
  const { root } = team.clone();
  const killed = await applyKilled(team, root, nth, when);
  const next = spawn(process.execPath, [findBuilt(), "apply", "--auto-approve"], {
    cwd: root,
    env: team.environment,
    stdio: "ignore",
  });
  const [exit] = (await once(next, "exit")) as [number | null];
  expect(exit, `${when} push ${nth}`).toBe(0);
  expect(team.emulator.world.contexts, `${when} push ${nth}`).toHaveLength(1);
  expect(await team.clone().run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  const states = readStates(team.remote);
  expect(states.map(({ serial }) => serial)).toEqual(states.map((_, at) => at + 1));
  return killed;
}
