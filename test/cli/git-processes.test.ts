import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../git/repositories.js";
import { startTeam } from "./git-team.js";

/** Creates a PATH whose git records its arguments. */
function traceGit() {
  const folder = newFolder();
  const log = path.join(folder, "log");
  writeFileSync(
    path.join(folder, "git"),
    `#!/bin/sh\necho "$*" >>'${log}'\nPATH=\${PATH#*:} exec git "$@"\n`,
  );
  chmodSync(path.join(folder, "git"), 0o755);
  const readCommands = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  return { readCommands, environment: { PATH: `${folder}:${process.env.PATH}` } };
}

const listSubcommands = (commands: readonly string[]) =>
  commands.map((command) => /^(?:--no-pager |-c \S+ )*(\S+)/.exec(command)?.[1]);

test("starts each git command once to plan with a state in git", async () => {
  const { first, clone } = await startTeam(["a"]);
  await first.apply();
  const { readCommands, environment } = traceGit();
  expect(await clone().runWith(environment, "plan")).toMatchObject({ exit: 0 });
  // The second clone fetches the state.
  expect(listSubcommands(readCommands())).toEqual([
    ...["version", "rev-parse", "config", "ls-remote", "cat-file", "fetch", "cat-file"],
  ]);
});

test("reads git's settings once for all stores of an apply", async () => {
  const { clone } = await startTeam(["a"]);
  const one = clone();
  const { readCommands, environment } = traceGit();
  expect(await one.runWith(environment, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(readCommands().filter((command) => command.includes(" config --list "))).toHaveLength(1);
});
