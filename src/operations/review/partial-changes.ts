import path from "node:path";
import { openSourceFile, type SourceFile } from "../../base/diagnostics/index.js";
import { ignoreGitFailure, type Repository } from "../../base/git/index.js";
import type { Plan } from "../../core/engine/index.js";
import { type CommitTree, commitTree, repositoryAt } from "../../core/history/index.js";
import { withLineFeeds } from "../../core/kinds/index.js";
import { type Composition, compose } from "../../core/templates/index.js";
import type { BaseComparison, PartialChange, ReachedText } from "../../output/render/index.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";

/** A text that an update changes, and how it is composed. */
interface ChangedText {
  readonly address: string;
  readonly field: string;
  /** The live text. */
  readonly before: string;
  readonly composition: Composition;
}

interface EarlierFile {
  readonly text: string;
  readonly renamedFrom?: string;
}

/**
 * The partials that differ from the base and change texts of a plan. If git cannot read the base, there are none, and each
 * text is shown with its own differences.
 */
export async function findPartialChanges(
  runtime: Runtime,
  project: Project,
  plan: Plan,
  base: BaseComparison | undefined,
): Promise<readonly PartialChange[]> {
  const texts = findChangedTexts(project, plan);
  const partials = new Set(texts.flatMap(({ composition }) => listPartials(composition)));
  if (!base || partials.size === 0) return [];
  const earlier = await readEarlier(runtime, project, base, [...partials]).catch(ignoreGitFailure);
  return earlier ? comparePartials(texts, earlier) : [];
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

/** Reads the files at the commit where the change left its base. */
async function readEarlier(
  runtime: Runtime,
  { root }: Project,
  base: BaseComparison,
  files: readonly string[],
): Promise<ReadonlyMap<string, EarlierFile> | undefined> {
  const { environment } = runtime.host;
  const repository = await repositoryAt(root, { environment, signal: runtime.signal });
  const commit = repository && (await findFork(runtime, repository, base));
  if (!repository || commit === undefined) return undefined;
  const tree = await commitTree(repository, commit, repository.prefix, root);
  const known = new Set(tree.files);
  const renames = files.every((file) => known.has(file))
    ? new Map<string, string>()
    : await findRenames(runtime, repository, commit);
  return tree.readAll(() => {
    const found = files.flatMap((file): [string, EarlierFile][] => {
      const renamedFrom = known.has(file) ? undefined : renames.get(file);
      const text = readText(tree, path.join(root, renamedFrom ?? file));
      if (text === undefined) return [];
      return [[file, { text, ...(renamedFrom === undefined ? {} : { renamedFrom }) }]];
    });
    return new Map(found);
  });
}

/** The base contains all commits of the plan's files that are not of the change, unless both could not be merged. */
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

/** The earlier paths of renamed files, both relative to the project folder. */
async function findRenames(
  { head }: Runtime,
  repository: Repository,
  commit: string,
): Promise<ReadonlyMap<string, string>> {
  const how = ["--find-renames", "--diff-filter=R", "--name-status", "-z", "--relative"];
  const compared = head === undefined ? [commit] : [commit, head];
  const args = ["diff", "--ignore-submodules=all", "--no-ext-diff", ...how, ...compared, "--", "."];
  const parts = (await repository.text(args)).split("\0");
  const renames = new Map<string, string>();
  for (let at = 0; at + 2 < parts.length; at += 3) renames.set(parts[at + 2] ?? "", parts[at + 1] ?? "");
  return renames;
}

/** Undefined if there is no such text. */
function readText({ readFile }: CommitTree, file: string): string | undefined {
  try {
    return withLineFeeds(new TextDecoder("utf-8", { fatal: true }).decode(readFile(file)));
  } catch {
    return undefined;
  }
}

function comparePartials(
  texts: readonly ChangedText[],
  earlier: ReadonlyMap<string, EarlierFile>,
): readonly PartialChange[] {
  const before = new Map([...earlier].map(([file, { text }]) => [file, openSourceFile(file, text)]));
  const reached = new Map<string, ReachedText[]>();
  const current = new Map<string, string>();
  for (const { composition, before: live, ...at } of texts) {
    recompose(composition, (partial) => {
      current.set(partial.file, withLineFeeds(partial.text));
      return partial;
    });
    const edited = listPartials(composition).filter((file) =>
      isComparable(before.get(file)?.text, current.get(file)),
    );
    const composeWithEarlier = (files: readonly string[]) =>
      recompose(
        composition,
        (partial) => (files.includes(partial.file) && before.get(partial.file)) || partial,
      );
    const isWhole = composeWithEarlier(edited) === withLineFeeds(live);
    for (const file of edited)
      if (edited.length === 1 || composeWithEarlier([file]) !== composition.text)
        reached.set(file, [...(reached.get(file) ?? []), { ...at, isWhole }]);
  }
  return [...reached].map(([file, own]) => {
    const { text = "", renamedFrom } = earlier.get(file) ?? {};
    return { file, renamedFrom, before: text, after: current.get(file) ?? "", reached: own };
  });
}

/** Whether two texts differ; an empty one has no differences to show. */
function isComparable(before = "", after = ""): boolean {
  return before.trim() !== "" && after.trim() !== "" && before !== after;
}

/** The text with other partials. */
function recompose({ main, input }: Composition, replace: (partial: SourceFile) => SourceFile): string {
  const { text } = compose(main, {
    ...input,
    partial(name, tag) {
      const found = input.partial(name, tag);
      return found && replace(found);
    },
  });
  return withLineFeeds(text);
}
