import { realpathSync } from "node:fs";
import path from "node:path";
import { toPosixPath } from "../../base/files/index.js";
import { GitError, type Repository } from "../../base/git/index.js";
import { findRepository } from "../../core/history/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { isExec, isFile } from "../../core/secrets/index.js";
import type { Runtime } from "../runtime/runtime.js";

/**
 * Finds objects whose secret values come from tracked files: a `!file`, or an `!exec` whose command contains a tracked
 * file or a program that reads one. These values change with a commit, so they need that commit's review and are not
 * rotations.
 *
 * @param addresses Addresses to check.
 * @returns the file by address. If git cannot read the checkout, every file counts as tracked.
 */
export async function findRepositoryValues(
  { host, signal }: Runtime,
  { root, declarations }: Pick<Manifest, "root" | "declarations">,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sources = declarations
    .filter(({ address }) => addresses.includes(address))
    .flatMap(({ address, sources }) => Object.values(sources).map((source) => ({ address, source })))
    .filter(({ source }) => isFile(source) || isExec(source));
  if (sources.length === 0) return new Map();
  const find = (isTracked: IsTracked) =>
    new Map(
      sources.flatMap(({ address, source }) => {
        const file = isFile(source)
          ? isTracked(source.path)
            ? source.path
            : undefined
          : isExec(source)
            ? findInputs(source.command, isTracked).next().value
            : undefined;
        return file === undefined ? [] : [[address, file] as const];
      }),
    );
  try {
    const git = await findRepository(root, { environment: host.environment, signal });
    return git ? find(await openTracked(git, root)) : new Map();
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
    return find(() => "file");
  }
}

/** Returns whether a path, relative to the project, is a tracked file or folder. Undefined if git does not track it. */
export type IsTracked = (name: string) => "file" | "folder" | undefined;

async function openTracked(git: Repository, root: string): Promise<IsTracked> {
  const listed = await git.readText(["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]);
  const files = new Set(listed.split("\0").filter(Boolean));
  const folders = new Set([...files].flatMap((file) => listFoldersAbove(file)));
  const find = (absolute: string) => {
    const name = toPosixPath(path.relative(git.root, absolute));
    if (name.startsWith("../")) return undefined;
    // Git lists a symlink or submodule as one entry, so a path below it counts as tracked.
    if ([name, ...listFoldersAbove(name)].some((one) => files.has(one))) return "file";
    return folders.has(name) || name === "" ? "folder" : undefined;
  };
  return (name) => {
    const absolute = path.resolve(root, name);
    const found = find(absolute);
    return found === "file" ? found : (find(followLinks(absolute)) ?? found);
  };
}

function listFoldersAbove(file: string): string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

function followLinks(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

/** Programs that find their input in the current folder, without a file name as an argument. */
const readers =
  /^(?:g?make|just|task|rake|npm|npx|pnpm|yarn|bunx?|deno|cargo|go|mvnw?|gradlew?|dotnet|bundle|poetry|uvx?|tox|cmake|ninja|bazel|mise)$/;

/** Programs that run a folder's main file. */
const runners = /^(?:node|tsx?|ts-node|python[\d.]*|ruby|php|perl)$/;

/** Yields the tracked files and folders in a command, and the programs in it that read tracked files. */
export function* findInputs(command: readonly string[], isTracked: IsTracked): Generator<string, undefined> {
  const isRun = runners.test(path.basename(command[0] ?? ""));
  for (const [at, word] of command.entries()) {
    // A word with these characters is shell code, such as the argument of `sh -c`.
    const isScript = /[\s;|<`$(]/.test(word);
    const module = command[at - 1] === "-m" ? [word, `${word.replaceAll(".", "/")}.py`] : [];
    for (const part of [word, ...word.split(/[\s'"`=:,;|&<>(){}[\]$@]+/), ...module]) {
      const name = part.replace(/^-+[A-Za-z]?/, "");
      if (name === "") continue;
      const canBeFolder = isScript || isRun || /^\.|\//.test(name);
      const file = splitName(name).find((one) => isTracked(one) === "file");
      if (readers.test(path.basename(name)) || (isScript && /[*?]/.test(name))) yield name;
      else if (canBeFolder && isTracked(name) === "folder") yield name;
      else if (file !== undefined) yield file;
    }
  }
}

/** Returns all suffixes of a path, which may start with a variable or an option: `$PWD/key.txt`. */
function splitName(name: string): string[] {
  const parts = name.split("/");
  return parts.map((_, at) => parts.slice(at).join("/")).filter(Boolean);
}
