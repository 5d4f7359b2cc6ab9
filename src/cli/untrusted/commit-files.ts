import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Repository } from "../../git/index.js";
import { UsageError } from "../failure.js";

/*
 * The files of a commit, as git stores them: nothing of the working folder is among them (what CI put there, what a
 * filter made), and no filter, attribute or hook takes part.
 */

/** The most that is written: far above any project, and no burden for a CI job. */
const limits = { files: 50_000, bytes: 256 * 1024 * 1024 };
/** Larger files are refused by the loader; only their size is kept. */
const longestFile = 16 * 1024 * 1024;
/** So that git's answer does not take much memory. */
const bytesPerBatch = 32 * 1024 * 1024;

/**
 * Writes the files of a commit, from the repository's folder down, into an empty folder. Links are written as links,
 * after everything else: nothing is ever written through one. Submodules are left out.
 *
 * @throws UsageError if there is too much, or a name that no checkout would write; GitError.
 */
export async function writeCommitFiles(repository: Repository, commit: string, to: string): Promise<void> {
  const entries = await entriesOf(repository, commit);
  const bytes = entries.reduce((sum, { size }) => sum + (size > longestFile ? 0 : size), 0);
  if (entries.length > limits.files || bytes > limits.bytes)
    throw new UsageError(
      "too-many-files",
      `The commit ${commit.slice(0, 12)} has ${entries.length} files below the project folder, too many to look at an untrusted change. Put the project into a folder of its own.`,
    );
  for (const entry of entries) refuseUnsafeName(entry.file, commit);
  const folders = new Set(entries.map(({ file }) => path.dirname(path.join(to, file))));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const files = entries.filter(({ isLink }) => !isLink);
  for (const { file, size } of files.filter(({ size }) => size > longestFile))
    await writeStub(path.join(to, file), size);
  for await (const [{ file }, content] of contentsOf(repository, files))
    await writeFile(path.join(to, file), content, { flag: "wx" });
  for await (const [{ file }, target] of contentsOf(
    repository,
    entries.filter(({ isLink }) => isLink),
  ))
    await symlink(target.toString("utf8"), path.join(to, file));
}

/** Whether a commit has a file at a path relative to the repository's folder. */
export async function hasFile(repository: Repository, commit: string, file: string): Promise<boolean> {
  const inRepository = path.posix.join(repository.prefix, file);
  return (await repository.text(["ls-tree", "-z", "--full-tree", commit, "--", inRepository])) !== "";
}

interface TreeEntry {
  /** Relative to the repository's folder. */
  readonly file: string;
  readonly id: string;
  readonly size: number;
  readonly isLink: boolean;
}

async function entriesOf({ prefix, run }: Repository, commit: string): Promise<TreeEntry[]> {
  const below = prefix === "" ? [] : ["--", prefix];
  const { stdout } = await run(["ls-tree", "-r", "-z", "-l", "--full-tree", commit, ...below]);
  const lines = stdout.toString("utf8").split("\0");
  return lines.flatMap((line): TreeEntry[] => {
    const [, mode, id = "", size, file = ""] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t([\s\S]+)$/.exec(line) ?? [];
    if (mode === undefined) return [];
    const relative = prefix === "" ? file : file.slice(prefix.length + 1);
    return [{ file: relative, id, size: Number(size), isLink: mode === "120000" }];
  });
}

/** Git checks names when it writes them to disk, but anybody can make a tree. */
function refuseUnsafeName(file: string, commit: string): void {
  const parts = file.split(path.sep === "\\" ? /[\\/]/ : "/");
  const isSafe = parts.every(
    (part) => part !== "" && part !== "." && part !== ".." && !part.includes("\uFFFD"),
  );
  if (isSafe) return;
  throw new UsageError(
    "unsafe-file-name",
    `The commit ${commit.slice(0, 12)} has a file with an unsafe name, ${JSON.stringify(file)}. Rename it.`,
  );
}

/** A file of the same size without content. */
async function writeStub(file: string, size: number): Promise<void> {
  const handle = await open(file, "wx");
  try {
    await handle.truncate(size);
  } finally {
    await handle.close();
  }
}

async function* contentsOf(
  repository: Repository,
  entries: readonly TreeEntry[],
): AsyncGenerator<readonly [TreeEntry, Buffer]> {
  const small = entries.filter(({ size }) => size <= longestFile);
  for (const batch of batches(small)) {
    const input = batch.map(({ id }) => `${id}\n`).join("");
    const { stdout } = await repository.run(["cat-file", "--batch"], { input });
    let at = 0;
    for (const entry of batch) {
      const lineEnd = stdout.indexOf("\n", at);
      const [id, type, size] = stdout.toString("latin1", at, lineEnd).split(" ");
      if (id !== entry.id || type !== "blob")
        throw new UsageError(
          "missing-object",
          `The repository lacks ${entry.file} of the commit: fetch the whole commit.`,
        );
      const start = lineEnd + 1;
      at = start + Number(size) + 1;
      yield [entry, stdout.subarray(start, at - 1)];
    }
  }
}

function batches(entries: readonly TreeEntry[]): TreeEntry[][] {
  const made: TreeEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (bytes + entry.size > bytesPerBatch) {
      made.push([]);
      bytes = 0;
    }
    made.at(-1)?.push(entry);
    bytes += entry.size;
  }
  return made;
}
