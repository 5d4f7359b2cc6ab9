import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A folder for PATH whose `npm install` and `npm ci` run each line once, and answers it from what that installed afterwards: jobs would
 * take most of their time for that. Where the folder has settings of npm, it is npm itself, each time.
 */
export function keptNpm(temp: string): string {
  const folder = path.join(temp, "kept-npm");
  mkdirSync(folder);
  const npm = execFileSync("bash", ["-c", "type -P npm"], { encoding: "utf8" }).trim();
  const script = `#!/usr/bin/env bash
set -euo pipefail
if [[ "$1" != install && "$1" != ci ]] || [ -e .npmrc ]; then exec ${npm} "$@"; fi
kept=${folder}/$(printf '%s\\n' "$@" | sha256sum | cut -c 1-64)
if [ ! -e "$kept" ]; then
  ${npm} "$@"
  mkdir "$kept"
  # With a prefix, it stays where it was installed.
  if [ "$2" != --prefix ]; then cp -al . "$kept"; fi
elif [ "$2" != --prefix ]; then
  cp -alf "$kept/." .
fi
`;
  writeFileSync(path.join(folder, "npm"), script, { mode: 0o755 });
  return folder;
}
