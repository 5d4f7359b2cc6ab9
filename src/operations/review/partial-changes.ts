import path from "node:path";
import { openSourceFile, type SourceFile } from "../../base/diagnostics/index.js";
import { ignoreGitFailure, type Repository } from "../../base/git/index.js";
import type { Plan } from "../../core/engine/index.js";
import { type CommitTree, findRepository, openCommitTree } from "../../core/history/index.js";
import { normalizeLineEnds } from "../../core/kinds/index.js";
import { type Composition, compose } from "../../core/templates/index.js";
import type { AffectedText, BaseComparison, PartialChange } from "../../output/render/index.js";
import { hasCode, type Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import {
  type ChangedText,
  compareVariables,
  findVariableChanges,
  mergeAffectedTexts,
  readEarlierVariables,
  toTextKey,
} from "./variable-changes.js";

interface EarlierFile {
  readonly text: string;
  readonly renamedFrom?: string;
  /** Whether the rename is a guess: one partial was added to the folder, and one was deleted from it. */
  readonly isGuessed?: boolean;
}

/**
 * Finds the partials and variables that differ from the base and change planned texts. If git cannot read the base,
 * returns no partials, and each text is shown with its own differences.
 */
export async function findPartialChanges(
  runtime: Runtime,
  project: Project,
  plan: Plan,
  base: BaseComparison | undefined,
): Promise<readonly PartialChange[]> {
  const texts = findChangedTexts(project, plan);
  const withBase = async ({ root }: Project, compared: BaseComparison) => {
    const { environment } = runtime.host;
    const git = await findRepository(root, { environment, signal: runtime.signal });
    const commit = git && (await findFork(runtime, git, compared));
    return git && commit !== undefined
      ? await compareWithBase(runtime, project, texts, git, commit)
      : undefined;
  };
  const compared =
    base && texts.length > 0 ? await withBase(project, base).catch(ignoreGitFailure) : undefined;
  return compared ?? findVariableChanges(texts);
}

async function compareWithBase(
  runtime: Runtime,
  project: Project,
  texts: readonly ChangedText[],
  git: Repository,
  commit: string,
): Promise<readonly PartialChange[]> {
  const partials = new Set(texts.flatMap(({ composition }) => listPartials(composition)));
  const earlier = await readEarlier(runtime, project, git, commit, [...partials]);
  const changes = compareTexts(texts, earlier);
  const isWhole = findWhole(changes);
  if (hasCode(project) || texts.every((text) => isWhole.has(toTextKey(text)))) return changes;
  const variables = await readEarlierVariables(git, project, commit);
  const mixed = texts.map((text) =>
    isWhole.has(toTextKey(text)) ? text : { ...text, earlierVariables: variables.get(toTextKey(text)) },
  );
  return compareTexts(mixed, earlier);
}

function findWhole(changes: readonly PartialChange[]): ReadonlySet<string> {
  const affected = changes.flatMap((change) => change.affected);
  return new Set(affected.flatMap((text) => (text.isWhole ? toTextKey(text) : [])));
}

function findChangedTexts({ declarations }: Project, { changes }: Plan): readonly ChangedText[] {
  const declared = new Map(declarations.map((declaration) => [declaration.address, declaration]));
  return changes.flatMap(({ address, action, overwrites, held, fields }) => {
    if (action !== "update" || overwrites || held !== undefined) return [];
    return fields.flatMap(({ field, cause, before }): ChangedText[] => {
      const origin = declared.get(address)?.origins[field];
      const isOurs = cause === "configured" && typeof before === "string" && origin?.at === "template";
      return isOurs ? [{ address, field, before, composition: origin.composition }] : [];
    });
  });
}

function listPartials({ files, main }: Composition): readonly string[] {
  return [...files].filter((file) => file !== main.file);
}

/** Reads the files as of an earlier commit. A file that has been renamed since is read under its earlier path. */
async function readEarlier(
  runtime: Runtime,
  { root }: Project,
  repository: Repository,
  commit: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, EarlierFile>> {
  if (files.length === 0) return new Map();
  const tree = await openCommitTree(repository, commit, repository.prefix, root);
  const known = new Set(tree.files);
  const added = files.filter((file) => !known.has(file));
  const { renames, deleted } =
    added.length === 0
      ? { renames: new Map<string, string>(), deleted: [] }
      : await findRenames(runtime, repository, commit);
  const guesses = guessRenames(
    added.filter((file) => !renames.has(file)),
    deleted,
  );
  return tree.readAll(() => {
    const found = files.flatMap((file): [string, EarlierFile][] => {
      const isGuessed = guesses.has(file);
      const renamedFrom = known.has(file) ? undefined : (renames.get(file) ?? guesses.get(file));
      const text = readText(tree, path.join(root, renamedFrom ?? file));
      if (text === undefined) return [];
      return [[file, { text, isGuessed, ...(renamedFrom === undefined ? {} : { renamedFrom }) }]];
    });
    return new Map(found);
  });
}

/** Finds the commit to compare with: the base, or the merge base if the change could not be merged. */
async function findFork(
  runtime: Runtime,
  repository: Repository,
  { commit, problem }: BaseComparison,
): Promise<string | undefined> {
  if (problem === undefined) return commit;
  const args = ["merge-base", commit, runtime.head ?? "HEAD"];
  const { exit, stdout } = await repository.run(args, { exits: [0, 1, 128] });
  return exit === 0 ? stdout.toString("latin1").trim() : undefined;
}

/**
 * Pairs the only deleted file in a folder with the only new one. Git misses the rename of a one-line file if the line
 * changed.
 */
function guessRenames(added: readonly string[], deleted: readonly string[]): ReadonlyMap<string, string> {
  const pickFromFolder = (files: readonly string[], file: string) =>
    files.filter((one) => path.posix.dirname(one) === path.posix.dirname(file));
  return new Map(
    added.flatMap((file): [string, string][] => {
      const [from, ...others] = pickFromFolder(deleted, file);
      const isOnly = from !== undefined && others.length === 0 && pickFromFolder(added, file).length === 1;
      return isOnly ? [[file, from]] : [];
    }),
  );
}

/** Finds renamed and deleted files, relative to the project folder. The keys of renames are the new paths. */
async function findRenames(
  { head }: Runtime,
  repository: Repository,
  commit: string,
): Promise<{ readonly renames: ReadonlyMap<string, string>; readonly deleted: readonly string[] }> {
  const how = ["--find-renames", "--diff-filter=RD", "--name-status", "-z", "--relative"];
  const compared = head === undefined ? [commit] : [commit, head];
  const args = ["diff", "--ignore-submodules=all", "--no-ext-diff", ...how, ...compared, "--", "."];
  const parts = (await repository.readText(args)).split("\0");
  const renames = new Map<string, string>();
  const deleted: string[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const [status = "", from = "", to = ""] = parts.slice(at, at + 3);
    if (status === "D") deleted.push(from);
    else renames.set(to, from);
    at += status === "D" ? 2 : 3;
  }
  return { renames, deleted };
}

/** Returns undefined if the file is missing or not UTF-8. */
function readText({ readFile }: CommitTree, file: string): string | undefined {
  try {
    return normalizeLineEnds(new TextDecoder("utf-8", { fatal: true }).decode(readFile(file)));
  } catch {
    return undefined;
  }
}

function compareTexts(
  texts: readonly ChangedText[],
  earlier: ReadonlyMap<string, EarlierFile>,
): readonly PartialChange[] {
  const before = new Map([...earlier].map(([file, { text }]) => [file, openSourceFile(file, text)]));
  const affected = new Map<string, AffectedText[]>();
  const current = new Map<string, string>();
  const variables: PartialChange[] = [];
  for (const text of texts) {
    const { address, field, composition, before: live, earlierVariables } = text;
    recompose(composition, (partial) => {
      current.set(partial.file, normalizeLineEnds(partial.text));
      return partial;
    });
    const edited = listPartials(composition).filter((file) =>
      isComparable(before.get(file)?.text, current.get(file)),
    );
    const composeWithEarlier = (files: readonly string[], values?: ChangedText["earlierVariables"]) =>
      recompose(
        composition,
        (partial) => (files.includes(partial.file) && before.get(partial.file)) || partial,
        values,
      );
    const isLive = ({ text: own }: Composition) => normalizeLineEnds(own) === normalizeLineEnds(live);
    const composed = earlierVariables && composeWithEarlier(edited, earlierVariables);
    const changed = composed && isLive(composed) ? compareVariables(text, composed) : undefined;
    variables.push(...(changed ?? findVariableChanges([text])));
    const isWhole = changed !== undefined || isLive(composeWithEarlier(edited));
    for (const file of edited)
      if (
        edited.length === 1 ||
        normalizeLineEnds(composeWithEarlier([file]).text) !== normalizeLineEnds(composition.text)
      )
        affected.set(file, [...(affected.get(file) ?? []), { address, field, isWhole }]);
  }
  const isWrong = ([file, own]: [string, readonly AffectedText[]]) =>
    earlier.get(file)?.isGuessed && !own.every(({ isWhole }) => isWhole);
  if ([...affected].some(isWrong)) {
    const certain = [...earlier].filter(([, { isGuessed }]) => !isGuessed);
    return compareTexts(texts, new Map(certain));
  }
  const partials = [...affected].map(([file, own]) => {
    const { text = "", renamedFrom } = earlier.get(file) ?? {};
    return { file, renamedFrom, before: text, after: current.get(file) ?? "", affected: own };
  });
  return [...partials, ...mergeAffectedTexts(variables)];
}

/** Returns whether two texts differ and neither is empty. */
function isComparable(before = "", after = ""): boolean {
  return before.trim() !== "" && after.trim() !== "" && before !== after;
}

/** Composes a text again, with different partials and variables. */
function recompose(
  { main, input }: Composition,
  replace: (partial: SourceFile) => SourceFile,
  values: Composition["input"]["variables"] = new Map(),
): Composition {
  return compose(main, {
    ...input,
    variables: new Map([...input.variables, ...values]),
    findPartial(name, tag) {
      const found = input.findPartial(name, tag);
      return found && replace(found);
    },
  });
}
