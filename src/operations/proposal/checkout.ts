import { mkdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { toPosixPath } from "../../base/files/index.js";
import { listFiles, readObjects, type TreeFile } from "../../base/git/index.js";
import { loadManifest, type Manifest } from "../../core/manifest/index.js";
import { type PreparedEdits, writeEdits } from "../files/prepare-edits.js";
import { linkPackages } from "../project/link-packages.js";
import { toLoadOptions } from "../project/open-project.js";
import { hasCode } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import type { FileEntry } from "./commit.js";
import type { Remote } from "./remote.js";

/** The edits made on top of a commit. */
export interface WrittenTexts extends PreparedEdits {
  /** Manifest as of the commit. */
  readonly manifest: Manifest;
  /** Files that differ from the commit, by path in the repository. */
  readonly files: ReadonlyMap<string, FileEntry>;
}

/**
 * Checks out a project into a temporary folder, from a commit of the base branch. The base's code may run in this job.
 *
 * @throws UsageError if the files of the commit have errors.
 */
export async function checkOutProject(runtime: Runtime, project: Manifest, remote: Remote, commit: string) {
  const { cwd, changed } = await checkOut(remote, commit, { whole: hasCode(project) });
  const options = { ...toLoadOptions(runtime), cwd, file: project.file, elsewhere: true };
  const { manifest, diagnostics } = await loadManifest(options);
  if (!manifest) {
    const first = diagnostics.find(({ severity }) => severity === "error");
    const location = first?.location ? `${first.location.file}:${first.location.line}: ` : "";
    throw new UsageError(
      "invalid-base",
      `The files of commit ${commit.slice(0, 12)} have errors, so avatarops cannot edit them: ${location}${first?.message ?? "no project was found"}.`,
    );
  }
  return {
    manifest,
    async write(texts: PreparedEdits): Promise<WrittenTexts> {
      const written = await writeEdits(manifest.root, texts);
      return { ...written, manifest, files: await changed(written.files) };
    },
  };
}

/**
 * Writes the files of the project folder, or of the whole repository, exactly as git stores them: without filters or
 * line ending conversion. Links the installed packages, so that code can import them.
 */
async function checkOut(remote: Remote, commit: string, { whole }: { readonly whole: boolean }) {
  const root = path.join(remote.temporary, "files");
  await rm(root, { recursive: true, force: true });
  const project = path.join(root, remote.prefix);
  await mkdir(project, { recursive: true });
  const folder = whole ? "" : remote.prefix;
  const listed = (await listFiles(remote, commit, folder)).filter(isInside);
  const ids = listed.map(({ id }) => id);
  const objects = await readObjects(remote, ids);
  const entries = new Map<string, TreeFile>();
  const links: (() => Promise<void>)[] = [];
  for (const [at, file] of listed.entries()) {
    const content = objects[at]?.content;
    if (!content) throw new Error(`Bug: git has the commit, but not its object ${file.id}`);
    const name = path.posix.join(folder, file.path);
    entries.set(name, file);
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    if (file.isLink) links.push(() => symlink(content.toString("utf8"), target));
    else await writeFile(target, content, { flag: "wx" });
  }
  // Creates links last, so that nothing is written through them.
  for (const link of links) await link();
  if (whole) await linkPackages(remote, root);
  return {
    cwd: project,
    changed: (files: readonly string[]) => listChangedFiles(remote, { root, project }, entries, files),
  };
}

/** Returns whether a path stays inside the checkout. Git checks this only in checkouts that it creates itself. */
function isInside({ path: file }: TreeFile): boolean {
  return file.split("/").every((part) => part !== ".." && part.toLowerCase() !== ".git");
}

async function listChangedFiles(
  remote: Remote,
  { root, project }: Readonly<Record<"root" | "project", string>>,
  entries: ReadonlyMap<string, FileEntry>,
  files: readonly string[],
): Promise<Map<string, FileEntry>> {
  const base = await realpath(root);
  const changed = new Map<string, FileEntry>();
  for (const file of files) {
    // Follows the project's symlinks, which stay inside the checkout.
    const real = await realpath(path.join(project, file));
    const name = toPosixPath(path.relative(base, real));
    const content = await readFile(real);
    const id = await remote.readText(["hash-object", "-w", "--no-filters", "--stdin"], { input: content });
    const before = entries.get(name);
    if (before && before.id !== id) changed.set(name, { mode: before.mode, id });
  }
  return changed;
}
