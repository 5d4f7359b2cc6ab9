import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FileEntry } from "./commit.js";
import type { Remote } from "./remote.js";

/** The files of a commit in a temporary folder, with the bytes that git has: no filter and no line end changes. */
export interface Checkout {
  /** The root of the repository's files. */
  readonly root: string;
  /** The folder of the project in it. */
  readonly project: string;
  /** The files that differ from the commit by now, out of those named; by path in the repository. */
  changed(files: readonly string[]): Promise<Map<string, FileEntry>>;
}

/**
 * Writes the files of a commit: those of the project's folder, or of the whole repository. Code may import
 * packages: installed ones are in reach from there as they are from the project.
 */
export async function checkOut(
  remote: Remote,
  commit: string,
  { whole }: { readonly whole: boolean },
): Promise<Checkout> {
  const root = path.join(remote.folder, "files");
  await rm(root, { recursive: true, force: true });
  const project = path.join(root, remote.prefix);
  await mkdir(project, { recursive: true });
  const listed = await entriesOf(remote, commit, whole ? "" : remote.prefix);
  const contents = await contentsOf(
    remote,
    listed.map(({ id }) => id),
  );
  // Links last: nothing is written through them.
  for (const { file, id, mode } of listed.toSorted((a, b) => Number(isLink(a)) - Number(isLink(b)))) {
    const target = path.join(root, file);
    const content = contents.get(id) ?? Buffer.alloc(0);
    await mkdir(path.dirname(target), { recursive: true });
    if (isLink({ mode })) await symlink(content.toString("utf8"), target);
    else await writeFile(target, content, { flag: "wx" });
  }
  if (whole) await linkPackages(remote, root);
  const entries = new Map(listed.map(({ file, ...entry }) => [file, entry]));
  return { root, project, changed: (files) => changedFiles(remote, { root, project }, entries, files) };
}

interface Listed extends FileEntry {
  readonly file: string;
}

async function entriesOf(remote: Remote, commit: string, folder: string): Promise<Listed[]> {
  const only = folder === "" ? [] : ["--", folder];
  const listed = await remote.text(["ls-tree", "-r", "-z", "--full-tree", commit, ...only]);
  return listed.split("\0").flatMap((line) => {
    const [, mode, type, id, file] = /^(\d+) (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    if (mode === undefined || type !== "blob" || id === undefined || file === undefined) return [];
    // Git refuses such paths too, but only in checkouts of its own.
    const isInside = file.split("/").every((part) => part !== ".." && part.toLowerCase() !== ".git");
    return isInside ? [{ mode, id, file }] : [];
  });
}

function isLink({ mode }: Pick<FileEntry, "mode">): boolean {
  return mode === "120000";
}

/** The contents of blobs, with one run of git. */
async function contentsOf(remote: Remote, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const output = await remote.bytes(["cat-file", "--batch"], { input: `${wanted.join("\n")}\n` });
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const id of wanted) {
    const end = output.indexOf("\n", at);
    const [, , size] = output.subarray(at, end).toString("latin1").split(" ");
    if (size === undefined) throw new Error(`Bug: git has no object ${id} of a commit that it has`);
    contents.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return contents;
}

async function changedFiles(
  remote: Remote,
  { root, project }: Pick<Checkout, "root" | "project">,
  entries: ReadonlyMap<string, FileEntry>,
  files: readonly string[],
): Promise<Map<string, FileEntry>> {
  const base = await realpath(root);
  const changed = new Map<string, FileEntry>();
  for (const file of files) {
    // Through links of the project, which stay inside.
    const real = await realpath(path.join(project, file));
    const name = path.relative(base, real).split(path.sep).join("/");
    const content = await readFile(real);
    const id = await remote.text(["hash-object", "-w", "--no-filters", "--stdin"], { input: content });
    const before = entries.get(name);
    if (before && before.id !== id) changed.set(name, { ...before, id });
  }
  return changed;
}

/** Links each folder of installed packages between the project and the root of the repository. */
async function linkPackages({ root: from, prefix }: Remote, root: string): Promise<void> {
  if (from === undefined) return;
  const parts = prefix.split("/").filter((part) => part !== "");
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(...parts.slice(0, depth), "node_modules");
    const [target, link] = [path.join(from, folder), path.join(root, folder)];
    if (existsSync(target) && !existsSync(link)) await symlink(target, link, "junction");
  }
}
