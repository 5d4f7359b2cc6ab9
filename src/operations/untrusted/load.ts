import { realpath } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { readRegular, readScheme, toPosixPath } from "../../base/files/index.js";
import {
  type GitOptions,
  isSubmodule,
  openRepository,
  type Repository,
  resolveCommit,
} from "../../base/git/index.js";
import { type CommitTree, openCommitTree } from "../../core/history/index.js";
import {
  type LoadedManifest,
  type LoadOptions,
  loadBase,
  loadManifest,
  type Manifest,
  mainFiles,
} from "../../core/manifest/index.js";
import { digestText, type UntrustedChange } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { listBasesInCi } from "./base-in-ci.js";
import { assertNoNewLink } from "./linked-folder.js";

/*
 * Loads a project as an untrusted change, such as a pull request from a fork. The change and its base are read from
 * commits, not from the working folder. Files that CI created (credentials, a .env, a cache) are therefore not read,
 * and the author's files are only read as part of the change. Exception: a state file that is in neither commit.
 */

/** Loads the project of the checked-out commit as a change to its base. */
export async function loadUntrusted(
  runtime: Runtime,
  options: LoadOptions,
): Promise<LoadedManifest & { readonly untrusted: UntrustedChange }> {
  const folder = path.resolve(options.cwd, path.dirname(options.file ?? "."));
  const { environment } = runtime.host;
  const git = { environment, signal: runtime.signal };
  const repository = await openRepository({ ...git, folder });
  if (isSubmodule(repository))
    throw new UsageError(
      "submodule",
      `${folder} is in a submodule, and an untrusted change can point a submodule to another repository. Run the command in a separate clone of the submodule's repository.`,
    );
  const head = runtime.head ?? (await repository.readHead());
  if (head === undefined)
    throw new UsageError("no-commit", "The repository has no commit. Create one first.");
  const base = await findBase(runtime, repository);
  await assertNoNewLink(repository, { base, folder });
  const { prefix } = repository;
  const [baseTree, changeTree] = await Promise.all([
    openCommitTree(repository, base, prefix, folder),
    openCommitTree(repository, head, prefix, folder),
  ]);
  const name = `the base ${base.slice(0, 12)}`;
  const named = options.file === undefined ? undefined : path.basename(options.file);
  const file = chooseMainFile(name, folder, { baseTree, changeTree, named });
  const trusted = await baseTree.readAll(() =>
    loadBase(name, { cwd: folder, tree: baseTree, file, environment: options.environment }),
  );
  const loaded = await changeTree.readAll(() =>
    loadManifest({ ...options, cwd: folder, tree: changeTree, file, base: trusted.base }),
  );
  const { manifest } = loaded;
  const digests = loaded.files.map((file) => [
    file,
    digestText(readText(changeTree, path.join(folder, file))),
  ]);
  const state = manifest && (await readState(manifest, baseTree, changeTree, { ...git, repository }));
  return {
    ...loaded,
    untrusted: {
      head,
      base,
      declarations: trusted.manifest?.declarations ?? [],
      existsInBase: async (file) => {
        const text = await baseTree.readAll(() => readTextIfThere(baseTree, file));
        return text !== undefined && text === (await readRegular(file)).toString("utf8");
      },
      digests: Object.fromEntries(digests),
      state,
    },
  };
}

/** Chooses the main file for both sides. It must be in the base, because it contains settings and policies. */
function chooseMainFile(
  name: string,
  folder: string,
  {
    baseTree,
    changeTree,
    named,
  }: { baseTree: CommitTree; changeTree: CommitTree; named: string | undefined },
): string {
  const names = named === undefined ? mainFiles : [named];
  const [file, second] = names.filter((name) => isIn(baseTree, path.join(folder, name)));
  const other = names.find((name) => name !== file && isIn(changeTree, path.join(folder, name)));
  if (file === undefined)
    throw new UsageError(
      "no-base-manifest",
      `This project has no ${names.join(" or ")} in ${name}, and an untrusted change cannot add a project. Ask someone with write access to open the pull request.`,
    );
  if (second !== undefined)
    throw new UsageError(
      "two-manifests",
      `Both ${file} and ${second} are in ${name}. Choose one with --file.`,
    );
  if (other !== undefined)
    throw new UsageError(
      "other-manifest",
      `The manifest in ${name} is ${file}, not ${other}, and an untrusted change cannot add another manifest. Use ${file}, or ask someone with write access to open the pull request.`,
    );
  return file;
}

function isIn(tree: CommitTree, file: string): boolean {
  try {
    return tree.realpath(file) !== "";
  } catch {
    return false;
  }
}

function readText({ readFile }: CommitTree, file: string): string {
  return Buffer.from(readFile(file)).toString("utf8");
}

/** Finds the base's commit id from `--base` or CI. */
export async function findBase(runtime: Runtime, repository: Repository): Promise<string> {
  const given = runtime.options.base;
  const candidates =
    given === undefined ? listBasesInCi(runtime.host) : [given, `refs/remotes/origin/${given}`];
  for (const candidate of candidates) {
    const found = await resolveCommit(repository, candidate);
    if (found !== undefined) return found;
  }
  const [first] = candidates;
  throw new UsageError(
    "no-base",
    first === undefined
      ? "An untrusted change needs a base branch. Set it with --base, such as --base origin/main."
      : `This clone does not contain the base ${JSON.stringify(first)}. Fetch it with \`git fetch origin\`, or check out the whole history in CI.`,
  );
}

/**
 * Reads the state file from the base. A file that only the change contains is ignored. If neither side has the file,
 * reads it from disk, where CI may have created it, unless a symlink in the change leads there.
 */
async function readState(
  { state, root }: Pick<Manifest, "state" | "root">,
  base: CommitTree,
  change: CommitTree,
  { repository, ...git }: Omit<GitOptions, "folder"> & { readonly repository: Repository },
): Promise<string | undefined> {
  if (readScheme(state) !== undefined) return undefined;
  const file = path.join(root, state);
  const trusted = await base.readAll(() => readTextIfThere(base, file));
  if (trusted !== undefined) return trusted;
  // Some file systems treat names as equal that git distinguishes.
  const foldName = (name: string) => name.normalize("NFC").toLowerCase();
  const own = foldName(toPosixPath(path.relative(root, file)));
  if (change.files.some((name) => foldName(name) === own)) return "";
  try {
    if ((await realpath(file)) !== path.join(await realpath(root), path.relative(root, file))) return "";
    // A file in a submodule comes from the change, so it is ignored.
    const around = await openRepository({ ...git, folder: path.dirname(file) });
    return around.root === repository.root ? (await readRegular(file)).toString("utf8") : "";
  } catch {
    return "";
  }
}

/** Reads a file. Returns undefined if it does not exist or its path contains a symlink. */
function readTextIfThere(tree: CommitTree, file: string): string | undefined {
  try {
    return tree.realpath(file) === file ? readText(tree, file) : undefined;
  } catch {
    return undefined;
  }
}
