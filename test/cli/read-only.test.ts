import fc from "fast-check";
import { expect, test } from "vitest";
import { listCommandOptions } from "../../src/entrypoints/cli/command.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { listWrites } from "../failures/commands.js";
import { scaleRuns } from "../real/long.js";
import { calls, startCalledProject } from "./calls.js";
import type { Project } from "./hosting.js";

/* AVATAROPS_READ_ONLY cannot be overridden on the command line. */

const readOnly = { environment: { AVATAROPS_READ_ONLY: "1" } };

/**
 * Starts an applied project with a pending change. `look` returns the writes, the state and whether it is locked. None
 * of them may change.
 */
async function start() {
  const project = await startCalledProject();
  await project.write("avatarops.yaml", (await project.read("avatarops.yaml")).replace("polite", "brief"));
  const look = async () => [
    listWrites(project),
    await project.read(".avatarops/state.json"),
    hasLock(project),
  ];
  return { project, look, before: await look() };
}

const hasLock = (project: Project): boolean => project.has(".avatarops/state.json.lock");

test("prevents every command from changing the account or state if AVATAROPS_READ_ONLY is set", async () => {
  const { project, look, before } = await start();
  const refused: string[] = [];
  for (const [name, argv] of Object.entries(calls)) {
    const { exit, stderr } = await project.avataropsWith(readOnly, ...argv);
    if (exit === 7) refused.push(name);
    if (exit === 7) expect(stderr, name).toContain("AVATAROPS_READ_ONLY is set");
  }
  expect(await look()).toEqual(before);
  expect(refused).toEqual(
    expect.arrayContaining([
      "apply",
      "state mv",
      "state forget",
      "state unlock",
      "rollback",
      "hold",
      "token",
    ]),
  );
});

/** Generates a command call with up to six options, some of them with realistic values. */
const anyCall = fc.constantFrom(...commands.filter(({ name }) => calls[name])).chain((command) => {
  const values = ["1", "context.desk", "staging", "30s", "plan.json", "json", "avatarops.yaml"];
  const option = fc
    .constantFrom(...Object.values(listCommandOptions(command)))
    .chain(({ flags, choices }) => {
      const long = /--[a-z-]+/.exec(flags)?.[0] ?? "";
      return /[<[]/.test(flags)
        ? fc.constantFrom(...(choices ?? values)).map((value): string[] => [`${long}=${value}`])
        : fc.constant([long] as string[]);
    });
  return fc
    .array(option, { maxLength: 6 })
    .map((options) => [...(calls[command.name] ?? []), ...options.flat()] as string[]);
});

test("prevents random command lines from changing the account or state if AVATAROPS_READ_ONLY is set", async () => {
  const { project, look, before } = await start();
  for (const argv of fc.sample(anyCall, scaleRuns(1_000))) await project.avataropsWith(readOnly, ...argv);
  expect(await look()).toEqual(before);
});
