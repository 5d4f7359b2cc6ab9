import path from "node:path";
import { type Git, GitError } from "../../base/git/index.js";
import { comparable, digestValue, type Field } from "../kinds/index.js";
import { type Declaration, type LoadedManifest, loadManifest, textOfFile } from "../manifest/index.js";
import type { Definitions } from "../state/index.js";
import { type CommitTree, commitTree } from "./commit-tree.js";

/** A project as a commit has it: its files, and what they come to. */
export interface CommittedProject extends LoadedManifest {
  readonly tree: CommitTree;
  /** Where the project folder is in the tree. */
  readonly root: string;
}

/** Where the files of a project are in git. */
export type CommittedFiles = Omit<Definitions, "modified">;

/** Loads a project from a commit, without running code of it; undefined if the commit is not in this clone. */
export async function loadCommitted(
  git: Git,
  { commit, folder, file, environment }: CommittedFiles,
): Promise<CommittedProject | undefined> {
  // Nothing is read from there: paths of a commit are resolved below it.
  const root = path.resolve("/", "definitions");
  let tree: CommitTree;
  try {
    tree = await commitTree(git, commit, folder, root);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "failed") throw error;
    return undefined;
  }
  const loaded = await tree.readAll(() =>
    loadManifest({ cwd: root, file, tree, environment, allowCode: false }),
  );
  return { ...loaded, tree, root };
}

/** A value that the files of a commit may declare. */
export interface DeclaredValue {
  readonly address: string;
  isIn(declaration: Declaration | undefined): boolean;
  /** Its field and digest, if it is long: it may be the whole of a file where no declarations can be read. */
  readonly text?: { readonly field: Field; readonly digest: string };
}

/** Those of the values that the files of a commit declare. */
export async function findDeclared<Wanted extends DeclaredValue>(
  git: Git,
  files: CommittedFiles,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  const project = await loadCommitted(git, files);
  if (project?.manifest) {
    const declared = new Map(project.manifest.declarations.map((one) => [one.address, one]));
    return wanted.filter(({ address, isIn }) => isIn(declared.get(address)));
  }
  const texts = project && wanted.some(({ text }) => text) ? await wholeFiles(project) : [];
  return wanted.filter(({ text }) =>
    texts.some((whole) => text && digestValue(comparable(text.field, whole)) === text.digest),
  );
}

/** Files that are compared as a whole. */
const mostWholeFiles = 1_000;

/** The texts of the files, e.g. of `promptFile(…)` in TypeScript. */
async function wholeFiles({ tree, root }: CommittedProject): Promise<string[]> {
  const files = tree.files.filter((file) => /\.(md|markdown|txt|prompt)$/i.test(file));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return tree.readAll(() =>
    files.slice(0, mostWholeFiles).flatMap((file) => {
      try {
        return [textOfFile(decoder.decode(tree.readFile(path.join(root, file))))];
      } catch {
        return [];
      }
    }),
  );
}
