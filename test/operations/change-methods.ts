/** Ways to change the account with the command and the library. */
import {
  type ApplyOptions,
  applyProject,
  closeRuntime,
  createRuntime,
  openProject,
  rollbackProject,
} from "../../src/index.js";
import type { Team } from "../sync/team.js";

/** Returns a manifest with `count` contexts. The first `changed` of them have another prompt. */
export function formatContexts(count: number, changed: number, prompt = "Be brief."): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `  c${i}: { name: c${i}, prompt: ${JSON.stringify(i < changed ? prompt : "Be kind.")} }\n`,
  );
  return `contexts:\n${lines.join("")}`;
}

/** Tries to change the account. Returns the error code, if any. */
export type ChangeMethod = (team: Team, ...argv: string[]) => Promise<string | undefined>;

export const runJson = async (team: Team, ...argv: string[]) =>
  JSON.parse((await team.atDesk(...argv, "--format", "json")).stdout);
export const applyByCommand: ChangeMethod = async (team, ...argv) => (await runJson(team, ...argv)).code;
export const catchCode = (applied: Promise<unknown>): Promise<string | undefined> =>
  applied.then(() => undefined).catch(({ code }) => code);

export const applyMethods: Readonly<Record<string, ChangeMethod>> = {
  apply: (team, ...argv) => applyByCommand(team, "apply", "-y", ...argv),
  async "apply PLAN"(team, ...argv) {
    const code = await applyByCommand(team, "plan", "--out", "../plan.json", ...argv);
    return code ?? applyByCommand(team, "apply", "../plan.json", ...argv);
  },
  async "apply --digest"(team, ...argv) {
    const { code, digest } = await runJson(team, "plan", ...argv);
    return code ?? applyByCommand(team, "apply", "--digest", digest, ...argv);
  },
  library: (team) => catchCode(applyByLibrary(team)),
};
export const otherMethods: Readonly<Record<string, ChangeMethod>> = {
  rollback: (team) => applyByCommand(team, "rollback", "--to", "1", "-y"),
  "rollback by library": (team) => catchCode(rollBackByLibrary(team)),
  async prune(team) {
    const { id } = team.emulator.addContext({ name: "Old", prompt: "Old." });
    return /error\[([\w-]+)\]/.exec((await team.atDesk("prune", id, "-y")).stderr)?.[1];
  },
};

type Given = Partial<Parameters<typeof createRuntime>[0]>;

export function applyByLibrary(team: Team, options: ApplyOptions = {}, given: Given = {}) {
  return runInLibrary(
    team,
    async (runtime) => applyProject(runtime, await openProject(runtime), options),
    given,
  );
}

export function rollBackByLibrary(team: Team, options: ApplyOptions = {}) {
  const back = { ...options, to: "1" };
  return runInLibrary(team, async (runtime) => rollbackProject(runtime, await openProject(runtime), back));
}

async function runInLibrary<Result>(
  { repository: cwd, environment }: Team,
  work: (runtime: ReturnType<typeof createRuntime>) => Promise<Result>,
  given: Given = {},
): Promise<Result> {
  const runtime = createRuntime({ allowCode: true, cwd, environment, ...given });
  try {
    return await work(runtime);
  } finally {
    await closeRuntime(runtime);
  }
}
