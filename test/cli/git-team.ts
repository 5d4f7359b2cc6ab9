import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import { findBuilt } from "../built.js";
import { environmentOf, git, newFolder, write } from "../git/repositories.js";
import { location, newClone, newRemote, type Remote, stateRef } from "../state/git-servers.js";
import { type Project, runIn, startProject, succeed } from "./hosting.js";

/** A manifest with contexts of these keys, whose state is on a ref of the remote. */
export function manifestOf(keys: readonly string[]): string {
  const contexts = keys.map((key) => `  ${key}: { name: ${key}, prompt: "Prompt of ${key}" }\n`);
  return `state: ${location}\ncontexts:\n${contexts.join("")}`;
}

export interface Team {
  readonly project: Project;
  readonly remote: Remote;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the command in a clone. */
  run(clone: string, ...argv: string[]): ReturnType<typeof runIn>;
}

/** An account, and a bare repository with a project in it. */
export async function startTeam(keys: readonly string[]): Promise<Team> {
  const project = await startProject();
  const remote = newRemote();
  const first = newClone(remote.url);
  write(first, "avatarops.yaml", manifestOf(keys));
  git(first, "add", "--all");
  git(first, "commit", "--quiet", "--message=first");
  git(first, "push", "--quiet", "origin", "HEAD:refs/heads/main");
  const environment = {
    ...environmentOf(newFolder()),
    AVATAROPS_BASE_URL: project.emulator.url,
    AVATAROPS_API_KEY: "test-key",
  };
  const run = (clone: string, ...argv: string[]) => runIn(clone, argv, { environment, hostname: clone });
  return { project, remote, environment, run };
}

function statesIn(remote: Remote): { serial: number; objects: Record<string, unknown>; pending: object }[] {
  const commits = git(remote.folder, "rev-list", "--reverse", stateRef).split("\n");
  return commits.map((commit) => JSON.parse(git(remote.folder, "show", `${commit}:state.json`)));
}

/** Two clones apply `count` objects each, one after the other, at the same time. */
export async function race(count: number): Promise<void> {
  const of = (who: string) => Array.from({ length: count }, (_, at) => `${who}${at}`);
  const keys = [...of("a"), ...of("b")];
  const { project, remote, run } = await startTeam(keys);
  const applyAll = async (clone: string, mine: readonly string[]) => {
    for (const key of mine) {
      const target = ["--target", `context.${key}`, "--lock-timeout", "600"];
      await succeed(run(clone, "apply", "--auto-approve", ...target));
    }
  };
  const [one, two] = [newClone(remote.url), newClone(remote.url)];
  await Promise.all([applyAll(one, of("a")), applyAll(two, of("b"))]);
  const states = statesIn(remote);
  expect(states.map(({ serial }) => serial)).toEqual(keys.map((_, at) => at + 1));
  expect(Object.keys(states.at(-1)?.objects ?? {}).sort()).toEqual(
    keys.map((key) => `context.${key}`).sort(),
  );
  expect(project.emulator.world.contexts?.map(({ name }) => name).sort()).toEqual([...keys].sort());
  expect(git(remote.folder, "for-each-ref", "refs/avatarops-locks")).toBe("");
  expect(await run(newClone(remote.url), "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
}

/** Runs apply as a process, with a git that kills it before or after its nth push; returns whether it did. */
async function applyKilled({ environment, remote }: Team, clone: string, nth: number, when: string) {
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

/** Kills a run at its nth push, if there are so many; the next run must go on. Returns whether it was killed. */
export async function killAt(nth: number, when: string): Promise<boolean> {
  const team = await startTeam(["a"]);
  const clone = newClone(team.remote.url);
  const killed = await applyKilled(team, clone, nth, when);
  const next = spawn(process.execPath, [findBuilt(), "apply", "--auto-approve"], {
    cwd: clone,
    env: team.environment,
    stdio: "ignore",
  });
  const [exit] = (await once(next, "exit")) as [number | null];
  expect(exit, `${when} push ${nth}`).toBe(0);
  expect(team.project.emulator.world.contexts, `${when} push ${nth}`).toHaveLength(1);
  expect(await team.run(newClone(team.remote.url), "plan", "--detailed-exitcode")).toMatchObject({
    exit: 0,
  });
  const states = statesIn(team.remote);
  expect(states.map(({ serial }) => serial)).toEqual(states.map((_, at) => at + 1));
  return killed;
}
