import path from "node:path";
import { documentKind, type Kind } from "../../kinds/index.js";
import type { Declaration, Manifest } from "../reading/manifest.js";
import { folderOfGlob, matchesGlob, parseGlob } from "../tree/glob.js";
import { entriesIn, type Node } from "../tree/node.js";
import { isCode } from "../tree/project-files.js";

/** Where to declare a new object of a kind. */
export type Layout =
  /** In a Markdown file of its own, matched by an `include`. */
  | ({ readonly as: "document" } & Texts)
  /** As an entry of a mapping in a YAML file; with prose in a file of its own in the folder `texts`, if that is set. */
  | {
      readonly as: "entry";
      readonly file: string;
      readonly path: readonly string[];
      readonly texts?: Texts;
    }
  /** In code, which avatarops does not edit. */
  | { readonly as: "code"; readonly file: string; readonly texts: Texts };

export interface Texts {
  readonly folder: string;
  readonly extension: string;
}

/**
 * How the project declares most objects of this kind, so that a new one is declared in the same way. `main`
 * is the tree of the main file, if that is YAML. An environment with its own state is an account of its own:
 * its objects are declared in it. Not every text fits into a Markdown file: `asDocument`.
 */
export function layoutFor(
  kind: Kind,
  manifest: Manifest,
  main: Node | undefined,
  asDocument: boolean,
): Layout {
  const own = manifest.declarations.filter((declaration) => declaration.kind.name === kind.name);
  const texts = findTexts(own);
  const account = main && findAccount(manifest, main);
  if (account !== undefined) {
    const way = ["environments", account, kind.collection];
    return { as: "entry", file: manifest.file, path: way, texts };
  }
  const style = findUsualStyle(own);
  const documents = asDocument && (style ?? "document") === "document" && findDocuments(own, manifest);
  if (documents) return { as: "document", ...documents };
  const file = findLastFile(own, isYaml) ?? (main ? manifest.file : undefined);
  if (style === "code" || file === undefined) {
    const code = findLastFile(own, isCode) ?? manifest.file;
    return { as: "code", file: code, texts: texts ?? defaultTexts };
  }
  const isInline = style === "entry" && !texts;
  return {
    ...{ as: "entry", file, path: [kind.collection] },
    ...(isInline ? {} : { texts: texts ?? defaultTexts }),
  };
}

const defaultTexts: Texts = { folder: "prompts", extension: ".md" };

/** Whether an `include` matches a file that does not exist yet. */
export function isIncluded(file: string, { includes }: Pick<Manifest, "includes">): boolean {
  const matches = (pattern: string, dot = false) => {
    const glob = parseGlob(pattern);
    return typeof glob !== "string" && matchesGlob(file, glob, { dot });
  };
  return includes.some(
    ({ pattern, except }) => matches(pattern) && !except.some((exception) => matches(exception, true)),
  );
}

type Style = "document" | "entry" | "code";

function findStyle({ range }: Declaration): Style {
  const { file } = range.source;
  if (isCode(file)) return "code";
  return /\.(md|markdown)$/i.test(file) ? "document" : "entry";
}

function findUsualStyle(own: readonly Declaration[]): Style | undefined {
  const counts = new Map<Style, number>();
  for (const declaration of own)
    counts.set(findStyle(declaration), (counts.get(findStyle(declaration)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function isYaml(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

function findLastFile(own: readonly Declaration[], isRight: (file: string) => boolean): string | undefined {
  return own.map(({ range }) => range.source.file).findLast(isRight);
}

/** The folder of Markdown files: that of the last one declared, or one that a pattern names. */
function findDocuments(own: readonly Declaration[], manifest: Manifest): Texts | undefined {
  const last = own.findLast((declaration) => findStyle(declaration) === "document")?.range.source.file;
  const folders =
    last === undefined
      ? manifest.includes.map(({ pattern }) => folderOfGlob(pattern))
      : [path.posix.dirname(last)];
  const extension = last === undefined ? ".md" : path.posix.extname(last);
  const folder = folders.find((candidate) =>
    isIncluded(path.posix.join(candidate, `new${extension}`), manifest),
  );
  return folder === undefined ? undefined : { folder, extension };
}

/** The prose files beside which to put a new one; undefined if most prose is in the YAML itself. */
function findTexts(own: readonly Declaration[]): Texts | undefined {
  const origins = own.flatMap(({ origins }) => origins[documentKind.body] ?? []);
  const files = origins.filter(({ at }) => at === "file").map(({ file }) => file);
  const last = files.at(-1);
  if (last === undefined || files.length * 2 < origins.length) return undefined;
  return { folder: path.posix.dirname(last), extension: path.posix.extname(last) };
}

/** The chosen environment, if it has its own state. */
function findAccount({ environment }: Manifest, main: Node): string | undefined {
  if (environment === undefined) return undefined;
  const environments = entriesIn(entriesIn(main).get("environments")?.value);
  return entriesIn(environments.get(environment)?.value).has("state") ? environment : undefined;
}
