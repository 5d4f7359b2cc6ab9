import { existsSync } from "node:fs";
import path from "node:path";
import { openSourceFile, UsageError } from "../../../base/diagnostics/index.js";
import { posix } from "../../../base/files/index.js";
import { listed } from "../../../base/text/index.js";
import { documentKind, type Kind, kinds, type ProfileName, withLineFeeds } from "../../kinds/index.js";
import { logicalNames } from "../forms/logical-name.js";
import { inFile, markdownParts, textOfFile } from "../tree/markdown.js";
import { entriesText, hasHalfCharacter } from "../tree/yaml-text.js";
import { type NamedObject, type ProjectObject, toFields } from "./entry-text.js";
import { type NewText, writeFiles } from "./write-files.js";

export interface NewProject {
  readonly objects: readonly ProjectObject[];
  /** Default: the environment variable AVATAROPS_BASE_URL. */
  readonly baseUrl?: string;
  readonly profile?: ProfileName | undefined;
}

/** The error for a project that is not written, because some of its files exist. Nothing was changed. */
export function projectExists(folder: string, files: readonly string[]): UsageError {
  const message = `${folder} already has ${listed(files)}; choose another folder, or remove them. In a project, \`avatarops import --write --all\` adds what is not declared yet.`;
  return new UsageError("project-exists", message);
}

/** Writes the files of a project into a folder; throws UsageError instead of replacing a file. */
export async function writeProject(folder: string, files: readonly NewText[]): Promise<readonly string[]> {
  const existing = files.map(({ file }) => file).filter((file) => existsSync(path.join(folder, file)));
  if (existing.length > 0) throw projectExists(folder, existing);
  await writeFiles(folder, files);
  return files.map(({ file }) => file);
}

/**
 * The files of a project: the main file, and one Markdown file for each object with prose, whose text is made when it is
 * written.
 */
export function projectTexts(
  { objects, baseUrl, profile }: NewProject,
  schema: string = ownSchema,
): NewText[] {
  const named = withNames(objects);
  const documents = named.filter(isDocument);
  const rest = named.filter((object) => !isDocument(object));
  const folder = documentKind.kind.collection;
  const main = [
    ...schemaLines(schema),
    "# The desired state of the account: `avatarops plan` shows what would change, `avatarops apply` changes it.",
    "service:",
    baseUrl === undefined
      ? "  base_url: !env AVATAROPS_BASE_URL"
      : entriesText({ base_url: baseUrl }, { column: 2 }).trimEnd(),
    "  api_key: !env AVATAROPS_API_KEY # never the key itself",
    ...(profile ? [`  profile: ${profile}`] : []),
    ...(documents.length > 0
      ? ["", "# One file each: fields above, prompt below.", `include: [${folder}/*.md]`]
      : []),
    ...kinds.flatMap((kind) => collectionLines(kind, rest)),
  ];
  return [
    { file: "avatarops.yaml", after: `${main.join("\n")}\n` },
    ...documents.map((object) => ({
      file: `${folder}/${object.key}.md`,
      get after() {
        return documentText(object);
      },
    })),
  ];
}

/** Where a project without the package has the JSON Schema for editors. Git ignores it: it would be most of a review. */
export const ownSchema = "avatarops.schema.json";

/** The schema for editors of a new project: that of the package which its repository has installed, else its own. */
export function schemaFor(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    const installed = path.join(at, "node_modules/avatarops/avatarops.schema.json");
    if (existsSync(installed)) return posix(path.relative(folder, installed));
    if (existsSync(path.join(at, ".git")) || path.dirname(at) === at) return ownSchema;
  }
}

/** The first lines of a main file, which tell editors of its schema. */
export function schemaLines(schema: string): string[] {
  return [
    `# yaml-language-server: $schema=${schema.startsWith("../") ? "" : "./"}${schema}`,
    ...(schema === ownSchema
      ? [`# (\`avatarops generate schema > ${ownSchema}\` writes it in another clone.)`]
      : []),
  ];
}

/** Gives each object a logical name that is unique within its kind. */
export function withNames(objects: readonly ProjectObject[]): NamedObject[] {
  const namers = new Map(
    kinds.map((kind) => {
      const taken = objects.flatMap((object) => (object.kind.name === kind.name ? (object.key ?? []) : []));
      return [kind.name, logicalNames(taken)];
    }),
  );
  return objects.map((object) => {
    const label = object.spec[object.kind.label];
    const nameFor = namers.get(object.kind.name) ?? logicalNames();
    return { ...object, key: object.key ?? nameFor(typeof label === "string" ? label : "") };
  });
}

/** Whether an object can be a prose file: reading its body must return the same text. */
export function isDocument({ kind, spec }: NamedObject): boolean {
  const body = spec[documentKind.body];
  return kind.name === documentKind.kind.name && typeof body === "string" && !hasHalfCharacter(body);
}

export function documentText({ kind, spec }: NamedObject): string {
  const { [documentKind.body]: body, ...fields } = spec;
  const text = `---\n${entriesText(toFields({ kind, spec: fields }))}---\n${inFile(body as string, "\n")}`;
  const { bodyStart } = markdownParts(openSourceFile("", text));
  if (textOfFile(text, bodyStart) !== withLineFeeds(body as string)) {
    throw new Error(`Bug: the body of ${kind.name} ${String(spec[kind.label])} does not read as itself`);
  }
  return text;
}

function collectionLines(kind: Kind, objects: readonly NamedObject[]): string[] {
  const own = objects.filter((object) => object.kind.name === kind.name);
  if (own.length === 0) return [];
  const lines = own.map((object) => entriesText({ [object.key]: toFields(object) }, { column: 2 }).trimEnd());
  return ["", `# ${kind.description}`, `${kind.collection}:`, ...lines];
}
