import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../git/repositories.js";
import { startClones } from "./clones.js";
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

test("runs each git command only once in a plan with a state in git", async () => {
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

test("reads the state of a required environment once in plan", async () => {
  const { first, clone } = await startClones({
    "avatarops.yaml": `contexts: { desk: { name: Desk, prompt: Be kind. } }
environments:
  staging: { state: git+refs://origin/avatarops/staging, contexts: { desk: { name: Desk S } } }
  production: { state: git+refs://origin/avatarops/production, needs: [staging] }
`,
  });
  await first.apply("--env", "staging");
  const { readCommands, environment } = traceGit();
  const planned = await clone().runWith(environment, "plan", "--env", "production");
  expect(planned).toMatchObject({ exit: 0 });
  const read = readCommands().flatMap(
    (command) => / ls-remote .* (refs\/avatarops\/\w+)/.exec(command)?.[1] ?? [],
  );
  expect(read).toEqual(["refs/avatarops/production", "refs/avatarops/staging"]);
});
