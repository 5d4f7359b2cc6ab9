import path from "node:path";
import { type Git, GitError } from "../../base/git/index.js";
import { digestValue, type Field, normalizeForComparison } from "../kinds/index.js";
import { type Declaration, type LoadedManifest, loadManifest, readFileText } from "../manifest/index.js";
import type { RecordedDefinitions } from "../state/index.js";
import { type CommitTree, openCommitTree } from "./commit-tree.js";

/** Project in a commit, with its loaded manifest. */
export interface CommittedProject extends LoadedManifest {
  readonly tree: CommitTree;
  /** Path to the project folder in the tree. */
  readonly root: string;
}

/** Location of a project's files in git. */
export type CommittedFiles = Omit<RecordedDefinitions, "modified">;

/** Loads a project from a commit without running its code. Returns undefined if this clone lacks the commit. */
export async function loadCommitted(
  git: Git,
  { commit, folder, file, environment }: CommittedFiles,
): Promise<CommittedProject | undefined> {
  // The commit's paths are resolved at a virtual root, where no files are read.
  const root = path.resolve("/", "definitions");
  let tree: CommitTree;
  try {
    tree = await openCommitTree(git, commit, folder, root);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "failed") throw error;
    return undefined;
  }
  const loaded = await tree.readAll(() =>
    loadManifest({ cwd: root, file, tree, environment, allowCode: false }),
  );
  return { ...loaded, tree, root };
}

/** Value that a commit's files may declare. */
export interface DeclaredValue {
  readonly address: string;
  matches(declaration: Declaration | undefined): boolean;
  /**
   * Field and digest of a long value. If the declarations cannot be read, whole files are compared with the digest
   * instead.
   */
  readonly text?: { readonly field: Field; readonly digest: string };
}

/** Returns the values that a commit's files declare. */
export async function findDeclared<Wanted extends DeclaredValue>(
  git: Git,
  files: CommittedFiles,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  const project = await loadCommitted(git, files);
  if (project?.manifest) {
    const declared = new Map(project.manifest.declarations.map((one) => [one.address, one]));
    return wanted.filter(({ address, matches }) => matches(declared.get(address)));
  }
  const texts = project && wanted.some(({ text }) => text) ? await readWholeFiles(project) : [];
  return wanted.filter(({ text }) =>
    texts.some((whole) => text && digestValue(normalizeForComparison(text.field, whole)) === text.digest),
  );
}

/** Maximum number of whole files to compare. */
const maxWholeFiles = 1_000;

/** Reads whole files, such as prompts that TypeScript includes with `promptFile(…)`. */
async function readWholeFiles({ tree, root }: CommittedProject): Promise<string[]> {
  const files = tree.files.filter((file) => /\.(md|markdown|txt|prompt)$/i.test(file));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return tree.readAll(() =>
    files.slice(0, maxWholeFiles).flatMap((file) => {
      try {
        return [readFileText(decoder.decode(tree.readFile(path.join(root, file))))];
      } catch {
        return [];
      }
    }),
  );
}
