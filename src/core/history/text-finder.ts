import path from "node:path";
import { type Git, GitError } from "../../base/git/index.js";
import { comparable, digestValue, type Field, type Kind, type Value } from "../kinds/index.js";
import {
  type Declaration,
  type LoadedManifest,
  loadManifest,
  type Manifest,
  textOfFile,
} from "../manifest/index.js";
import type { Definitions, StoredDigest, StoredValue } from "../state/index.js";
import { type CommitTree, commitTree } from "./commit-tree.js";

export interface WantedValue {
  readonly address: string;
  readonly kind: Kind;
  readonly field: string;
  /** As recorded. */
  readonly stored: StoredValue;
  /** Commits whose files may have it, the most likely one first. */
  readonly definitions: readonly Definitions[];
}

/** The value; or why it cannot be shown, as the end of a sentence. */
export type ValueLookup = { readonly value: Value } | { readonly missing: string };

/** Finds the texts of which only digests are recorded. */
export type TextFinder = ReturnType<typeof openTextFinder>;

export interface DeclaredValue {
  readonly address: string;
  isIn(declaration: Declaration | undefined): boolean;
  /** The text that is looked for: it may be the whole of a file where no declarations can be read. */
  readonly text?: WantedText;
}

/** Where texts may be, other than in the recorded commits. */
export interface TextSources {
  /** Undefined without a repository. */
  readonly git: Git | undefined;
  /** The files as they are now; undefined if they do not load. */
  readonly manifest: Pick<Manifest, "root" | "declarations"> | undefined;
}

/**
 * Texts are looked for in the files of commits, and one is right only if it has the recorded digest: hence it does not
 * matter where it is found. First come the commits that the records name. A text that was pulled from the account, or
 * applied before it was committed, is in the files of today or in one of the next commits.
 *
 * TypeScript of an old commit is never run. Texts that are files of their own are found without it.
 */
export function openTextFinder({ git, manifest }: TextSources) {
  const loaded = new Map<string, Promise<PastFiles>>();
  const filesAt = (definitions: Definitions, repository: Git): Promise<PastFiles> => {
    const key = JSON.stringify([
      definitions.commit,
      definitions.folder,
      definitions.file,
      definitions.environment,
    ]);
    const files = loaded.get(key) ?? readFiles(repository, definitions);
    loaded.delete(key);
    loaded.set(key, files);
    const [oldest] = loaded.keys();
    if (oldest !== undefined && loaded.size > mostLoaded) loaded.delete(oldest);
    return files;
  };
  const present = manifest && indexTexts(byAddress(manifest.declarations));
  const later = new Map<string, ReturnType<typeof nextCommits>>();
  const laterThan = (repository: Git, { commit, folder }: Definitions) => {
    const key = JSON.stringify([commit, folder]);
    const answer = later.get(key) ?? nextCommits(repository, commit, folder);
    later.set(key, answer);
    return answer;
  };

  return {
    async find({ address, kind, field: name, stored, definitions }: WantedValue): Promise<ValueLookup> {
      if (typeof stored !== "object" || !("digest" in stored)) return { value: stored };
      const field = kind.fields[name];
      if (!field) return { missing: `a ${kind.name} has no field ${name} any more` };
      const wanted: Wanted = { address, kind: kind.name, name, field, stored };
      const problems: string[] = [];
      const seen = new Set<string>();
      const lookAt = async (at: Definitions): Promise<Value | undefined> => {
        if (!git || seen.has(at.commit)) return undefined;
        seen.add(at.commit);
        const files = await filesAt(at, git);
        const value = files.texts?.(wanted) ?? (await files.wholeFiles?.(wanted));
        if (value === undefined && seen.size === 1) problems.push(files.problem ?? otherText(at));
        return value;
      };
      for (const at of definitions) {
        const value = await lookAt(at);
        if (value !== undefined) return { value };
      }
      const value = present?.(wanted);
      if (value !== undefined) return { value };
      const [first] = definitions;
      if (!first) return { missing: "no commit of the files is recorded for it" };
      if (!git)
        return { missing: `the files are in no git repository, and commit ${short(first.commit)} is needed` };
      for (const commit of await laterThan(git, first)) {
        const found = await lookAt({ ...first, commit });
        if (found !== undefined) return { value: found };
      }
      return { missing: problems[0] ?? otherText(first) };
    },
    /** Whether the files of a commit declare a value. */
    async isDeclaredIn(definitions: Definitions, { address, isIn, text }: DeclaredValue): Promise<boolean> {
      if (!git) return false;
      const { declared, wholeFiles } = await filesAt(definitions, git);
      if (declared) return isIn(declared.get(address));
      return text !== undefined && (await wholeFiles?.(text)) !== undefined;
    },
  };
}

/** Manifests kept in memory. */
const mostLoaded = 8;
/** Commits after the recorded one in which a text is looked for. */
const mostLater = 20;
/** Files that are compared as a whole, in a project whose manifest cannot be loaded. */
const mostWholeFiles = 1_000;

interface Wanted {
  readonly address: string;
  readonly kind: string;
  readonly name: string;
  readonly field: Field;
  readonly stored: StoredDigest;
}

/** A text that is known by its digest. */
type WantedText = Pick<Wanted, "field" | "stored">;

type FindText = (wanted: Wanted) => Value | undefined;

interface PastFiles {
  /** By address. */
  readonly declared?: ReadonlyMap<string, Declaration>;
  readonly texts?: FindText;
  /** The files whose whole text may be it, if there are no declarations. */
  readonly wholeFiles?: (wanted: WantedText) => Promise<Value | undefined>;
  /** Why there is neither, or why texts may be missing: the end of a sentence. */
  readonly problem?: string;
}

/** The texts of declarations, by digest; at the address first, and under any other if the object was renamed. */
function indexTexts(declared: ReadonlyMap<string, Declaration>): FindText {
  let byDigest: Map<string, Value> | undefined;
  return ({ address, kind, name, field, stored }) => {
    const value = declared.get(address)?.spec[name];
    if (value !== undefined && hasDigest(field, value, stored)) return value;
    byDigest ??= new Map(
      [...declared.values()].flatMap((declaration) =>
        Object.entries(declaration.spec).flatMap(([name, value]): [string, Value][] => {
          const own = declaration.kind.fields[name];
          return own
            ? [[`${declaration.kind.name}.${name} ${digestValue(comparable(own, value))}`, value]]
            : [];
        }),
      ),
    );
    return byDigest.get(`${kind}.${name} ${stored.digest}`);
  };
}

function byAddress(declarations: readonly Declaration[]): ReadonlyMap<string, Declaration> {
  return new Map(declarations.map((declaration) => [declaration.address, declaration]));
}

function hasDigest(field: Field, value: Value, { digest }: StoredDigest): boolean {
  return digestValue(comparable(field, value)) === digest;
}

async function readFiles(git: Git, definitions: Omit<Definitions, "modified">): Promise<PastFiles> {
  const { commit } = definitions;
  const found = await loadCommitted(git, definitions);
  if (!found) return { problem: await whyAbsent(git, commit) };
  const { tree, root, manifest, diagnostics } = found;
  if (manifest) {
    const declared = byAddress(manifest.declarations);
    return { declared, texts: indexTexts(declared) };
  }
  const isCode = diagnostics.some(({ code }) => code === "unknown-file-type");
  const [wrong] = diagnostics.filter(({ severity }) => severity === "error");
  return {
    wholeFiles: (wanted) => wholeFile(tree, root, wanted),
    problem: isCode
      ? `commit ${short(commit)} has it in TypeScript, which is not run for an old commit, and in no file of its own: check that commit out to see it`
      : `the files of commit ${short(commit)} do not load${wrong ? ` (${wrong.message})` : ""}`,
  };
}

/** A project as a commit has it: its files, and what they come to. */
export interface CommittedProject extends LoadedManifest {
  readonly tree: CommitTree;
  /** Where the project folder is in the tree. */
  readonly root: string;
}

/** Loads a project from a commit, without running code of it; undefined if the commit is not in this clone. */
export async function loadCommitted(
  git: Git,
  { commit, folder, file, environment }: Omit<Definitions, "modified">,
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
  const loaded = await tree.readAll(() => loadManifest({ cwd: root, file, tree, environment }));
  return { ...loaded, tree, root };
}

/** A file whose whole text is the wanted one, e.g. of `promptFile(…)` in TypeScript. */
async function wholeFile(
  tree: CommitTree,
  root: string,
  { field, stored }: WantedText,
): Promise<Value | undefined> {
  const texts = tree.files
    .filter((file) => /\.(md|markdown|txt|prompt)$/i.test(file))
    .slice(0, mostWholeFiles);
  const read = (file: string): string | undefined => {
    try {
      return textOfFile(
        new TextDecoder("utf-8", { fatal: true }).decode(tree.readFile(path.join(root, file))),
      );
    } catch {
      return undefined;
    }
  };
  const found = await tree.readAll(() => texts.map(read));
  return found.find((text) => text !== undefined && hasDigest(field, text, stored));
}

async function whyAbsent(git: Git, commit: string): Promise<string> {
  const { exit, stdout } = await git.run(["rev-parse", "--is-shallow-repository"], { exits: [0, 128] });
  const isShallow = exit === 0 && stdout.toString("utf8").trim() === "true";
  const advice = isShallow
    ? "this clone is shallow: `git fetch --unshallow` gets the rest"
    : "`git fetch` may get it, unless it was rewritten";
  return `commit ${short(commit)} is not in this clone (${advice})`;
}

/** What the files of a commit declare, by address; undefined if they have errors, or code that is not run for a commit. */
export async function declarationsAt(
  git: Git,
  definitions: Omit<Definitions, "modified">,
): Promise<ReadonlyMap<string, Declaration> | undefined> {
  return (await readFiles(git, definitions)).declared;
}

/** The commits after one that changed the folder, the oldest first; none if it is not an ancestor of HEAD. */
async function nextCommits(git: Git, commit: string, folder: string): Promise<readonly string[]> {
  const range = [`${commit}..HEAD`, "--", ...(folder === "" ? [] : [`:(top,literal)${folder}`])];
  const { exit, stdout } = await git.run(["rev-list", "--ancestry-path", "--reverse", ...range], {
    exits: [0, 128],
    // For `top`.
    environment: { GIT_LITERAL_PATHSPECS: "0" },
  });
  const commits = stdout.toString("utf8").split("\n");
  return exit === 0 ? commits.filter((id) => id !== "").slice(0, mostLater) : [];
}

function otherText({ commit, modified }: Definitions): string {
  return modified
    ? `it was applied from files that differed from commit ${short(commit)}, and no commit since then has it`
    : `the files of commit ${short(commit)} do not have it`;
}

function short(commit: string): string {
  return commit.slice(0, 10);
}
