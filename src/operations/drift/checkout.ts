import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { listFiles, readObjects, type TreeFile } from "../../base/git/index.js";
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
  const root = path.join(remote.temporary, "files");
  await rm(root, { recursive: true, force: true });
  const project = path.join(root, remote.prefix);
  await mkdir(project, { recursive: true });
  const folder = whole ? "" : remote.prefix;
  const listed = (await listFiles(remote, commit, folder)).filter(isInside);
  const objects = await readObjects(
    remote,
    listed.map(({ id }) => id),
  );
  const entries = new Map<string, TreeFile>();
  const links: (() => Promise<void>)[] = [];
  for (const [at, file] of listed.entries()) {
    const content = objects[at]?.content;
    if (!content) throw new Error(`Bug: git has no object ${file.id} of a commit that it has`);
    const name = path.posix.join(folder, file.path);
    entries.set(name, file);
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    if (file.isLink) links.push(() => symlink(content.toString("utf8"), target));
    else await writeFile(target, content, { flag: "wx" });
  }
  // Links last: nothing is written through them.
  for (const link of links) await link();
  if (whole) await linkPackages(remote, root);
  return { root, project, changed: (files) => changedFiles(remote, { root, project }, entries, files) };
}

/** Git refuses such paths too, but only in checkouts of its own. */
function isInside({ path: file }: TreeFile): boolean {
  return file.split("/").every((part) => part !== ".." && part.toLowerCase() !== ".git");
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
    if (before && before.id !== id) changed.set(name, { mode: before.mode, id });
  }
  return changed;
}

/** Links each folder of installed packages between the project and the root of the repository. */
export async function linkPackages(
  { root: from, prefix }: Pick<Remote, "root" | "prefix">,
  root: string,
): Promise<void> {
  const parts = prefix.split("/").filter((part) => part !== "");
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(...parts.slice(0, depth), "node_modules");
    const [target, link] = [path.join(from, folder), path.join(root, folder)];
    if (existsSync(target) && !existsSync(link)) await symlink(target, link, "junction");
  }
}
