import { existsSync } from "node:fs";
import path from "node:path";
import { openSourceFile, UsageError } from "../../../base/diagnostics/index.js";
import { toPosixPath } from "../../../base/files/index.js";
import { listNames } from "../../../base/text/index.js";
import { documentKind, normalizeLineEnds } from "../../kinds/index.js";
import { formatForFile, readFileText, splitMarkdown } from "../tree/markdown.js";
import { formatEntries, hasLoneSurrogate } from "../tree/yaml-text.js";
import { type NamedObject, toFields } from "./entry-text.js";

export function createProjectExistsError(folder: string, files: readonly string[]): UsageError {
  const message = `${folder} already has ${listNames(files)}. Choose another folder, or remove them. In an existing project, \`avatarops import --write --all\` adds undeclared objects.`;
  return new UsageError("project-exists", message);
}

/** Renders an empty project's main file. `baseUrl` defaults to the environment variable AVATAROPS_BASE_URL. */
export function renderMainFile(
  { baseUrl, profile }: { readonly baseUrl?: string | undefined; readonly profile?: string | undefined },
  schema: string,
): string {
  const lines = [
    ...renderSchemaLines(schema),
    "# The desired state of the account. `avatarops plan` shows what would change, and `avatarops apply` changes it.",
    "service:",
    baseUrl === undefined
      ? "  base_url: !env AVATAROPS_BASE_URL"
      : formatEntries({ base_url: baseUrl }, { column: 2 }).trimEnd(),
    "  api_key: !env AVATAROPS_API_KEY # never the key itself",
    ...(profile ? [`  profile: ${profile}`] : []),
    "",
    `# One Markdown file per ${documentKind.kind.name}, with the fields in front matter and the prompt below it.`,
    `include: [${documentKind.kind.collection}/*.md]`,
  ];
  return `${lines.join("\n")}\n`;
}

/** JSON Schema for editors in a project without the package. Ignored by git, because it would dominate reviews. */
export const ownSchema = "avatarops.schema.json";

/** Returns the path to the schema in the package installed in the repository, or else to the project's own schema. */
export function findSchema(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    const installed = path.join(at, "node_modules/avatarops/avatarops.schema.json");
    if (existsSync(installed)) return toPosixPath(path.relative(folder, installed));
    if (existsSync(path.join(at, ".git")) || path.dirname(at) === at) return ownSchema;
  }
}

/** Renders the first lines of a main file, which point editors to its schema. */
export function renderSchemaLines(schema: string): string[] {
  return [
    `# yaml-language-server: $schema=${schema.startsWith("../") ? "" : "./"}${schema}`,
    ...(schema === ownSchema
      ? [`# If the schema is missing, for example in a fresh clone: avatarops generate schema > ${ownSchema}`]
      : []),
  ];
}

/** Returns whether an object can be written as a Markdown file without changing its text. */
export function isDocument({ kind, spec }: NamedObject): boolean {
  const body = spec[documentKind.body];
  return kind.name === documentKind.kind.name && typeof body === "string" && !hasLoneSurrogate(body);
}

export function renderDocument({ kind, spec }: NamedObject): string {
  const { [documentKind.body]: body, ...fields } = spec;
  const text = `---\n${formatEntries(toFields({ kind, spec: fields }))}---\n${formatForFile(body as string, "\n")}`;
  const { bodyStart } = splitMarkdown(openSourceFile("", text));
  if (readFileText(text, bodyStart) !== normalizeLineEnds(body as string)) {
    throw new Error(`Bug: the body of ${kind.name} ${String(spec[kind.label])} does not read back unchanged`);
  }
  return text;
}
