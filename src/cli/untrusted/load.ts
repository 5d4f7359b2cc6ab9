import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readRegular, schemeOf } from "../../files/index.js";
import { openRepository, type Repository } from "../../git/index.js";
import { type LoadedManifest, type LoadOptions, loadBase, loadManifest } from "../../manifest/index.js";
import { type Call, textOption } from "../command.js";
import { UsageError } from "../failure.js";
import { basesInCi } from "./base-in-ci.js";
import { hasFile, writeCommitFiles } from "./commit-files.js";
import type { Untrusted } from "./untrusted.js";

/*
 * Loads a project as an untrusted change, such as a pull request from a fork. Both sides are read from commits, never
 * from the working folder: what CI put there (credentials, a .env, a cache) is not in a commit, and what the author of
 * the change put there is only in the commit that is checked out.
 */

/** The project of the commit that is checked out, read as a change to its base. */
export async function loadUntrusted(
  call: Call,
  options: LoadOptions,
): Promise<LoadedManifest & { readonly untrusted: Untrusted }> {
  const file = options.file === undefined ? undefined : path.basename(options.file);
  const folder = path.resolve(options.cwd, path.dirname(options.file ?? "."));
  const { environment } = call.host;
  const repository = await openRepository({ folder, environment, signal: call.signal });
  const head = await repository.head();
  if (head === undefined) throw new UsageError("no-commit", "The repository has no commit: make one first.");
  const base = await baseOf(call, repository);
  const scratch = await mkdtemp(path.join(await realpath(tmpdir()), "avatarops-untrusted-"));
  try {
    const [there, here] = [path.join(scratch, "base"), path.join(scratch, "head")];
    await writeCommitFiles(repository, base, there);
    await writeCommitFiles(repository, head, here);
    const given = file === undefined ? {} : { file };
    const chosen = options.environment === undefined ? {} : { environment: options.environment };
    const trusted = await loadBase(`the base ${base.slice(0, 12)}`, { cwd: there, ...given, ...chosen });
    const { manifest, diagnostics, files } = await loadManifest({
      ...options,
      ...{ cwd: here, base: trusted.base, ...given },
    });
    const where = (text: string) => text.replaceAll(here, folder);
    const state = manifest && (await stateOf(manifest.state, there, folder, repository, head));
    return {
      ...(manifest ? { manifest: { ...manifest, root: folder } } : {}),
      diagnostics: diagnostics.map((one) => ({ ...one, message: where(one.message) })),
      files,
      untrusted: {
        ...{ base, declarations: trusted.manifest?.declarations ?? [] },
        ...(state === undefined ? {} : { state }),
      },
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The id of the base: `--base`, or what CI says. */
async function baseOf(call: Call, repository: Repository): Promise<string> {
  const given = textOption(call, "base");
  const candidates = given === undefined ? basesInCi(call.host) : [given, `refs/remotes/origin/${given}`];
  for (const candidate of candidates) {
    const found = await commitOf(repository, candidate);
    if (found !== undefined) return found;
  }
  const [first] = candidates;
  throw new UsageError(
    "no-base",
    first === undefined
      ? "An untrusted change needs the branch that it is proposed to: name it with --base, e.g. --base origin/main."
      : `The repository lacks the base ${JSON.stringify(first)} of the change: run \`git fetch origin\` with it first (in CI, check out the whole history).`,
  );
}

async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { exit, stdout } = await repository.run(args, { exits: [0, 1, 128] });
  const id = stdout.toString("latin1").trim();
  return exit === 0 && /^[0-9a-f]{40,64}$/.test(id) ? id : undefined;
}

/** Far above any state. */
const longestState = 256 * 1024 * 1024;

/**
 * The text of a state in a file: the base's, if it has one there. A file that only the change has is not believed. One
 * that is in neither, because CI put it there, is read, if no link of the change leads to it.
 */
async function stateOf(
  state: string,
  base: string,
  folder: string,
  repository: Repository,
  head: string,
): Promise<string | undefined> {
  if (schemeOf(state) !== undefined) return undefined;
  const trusted = await textOf(path.join(base, state), base);
  if (trusted !== undefined || (await hasFile(repository, head, state))) return trusted ?? "";
  return (await textOf(path.join(folder, state), folder)) ?? "";
}

/** The text of a file; undefined if there is none, or if it is behind a link. */
async function textOf(file: string, folder: string): Promise<string | undefined> {
  try {
    const real = await realpath(file);
    if (real !== path.join(await realpath(folder), path.relative(folder, file))) return undefined;
    return (await readRegular(real, longestState)).toString("utf8");
  } catch {
    return undefined;
  }
}
