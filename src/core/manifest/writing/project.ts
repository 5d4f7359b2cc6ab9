import { existsSync } from "node:fs";
import path from "node:path";
import { openSourceFile, UsageError } from "../../../base/diagnostics/index.js";
import { posix } from "../../../base/files/index.js";
import { listed } from "../../../base/text/index.js";
import { documentKind, withLineFeeds } from "../../kinds/index.js";
import { inFile, markdownParts, textOfFile } from "../tree/markdown.js";
import { entriesText, hasHalfCharacter } from "../tree/yaml-text.js";
import { type NamedObject, toFields } from "./entry-text.js";

/** The error for a project that is not written, because some of its files exist. Nothing was changed. */
export function projectExists(folder: string, files: readonly string[]): UsageError {
  const message = `${folder} already has ${listed(files)}; choose another folder, or remove them. In a project, \`avatarops import --write --all\` adds what is not declared yet.`;
  return new UsageError("project-exists", message);
}

/** The main file of a project without objects. `baseUrl`: default is the environment variable AVATAROPS_BASE_URL. */
export function renderMainFile(
  { baseUrl, profile }: { readonly baseUrl?: string | undefined; readonly profile?: string | undefined },
  schema: string,
): string {
  const lines = [
    ...schemaLines(schema),
    "# The desired state of the account: `avatarops plan` shows what would change, `avatarops apply` changes it.",
    "service:",
    baseUrl === undefined
      ? "  base_url: !env AVATAROPS_BASE_URL"
      : entriesText({ base_url: baseUrl }, { column: 2 }).trimEnd(),
    "  api_key: !env AVATAROPS_API_KEY # never the key itself",
    ...(profile ? [`  profile: ${profile}`] : []),
    "",
    "# One file each: fields above, prompt below.",
    `include: [${documentKind.kind.collection}/*.md]`,
  ];
  return `${lines.join("\n")}\n`;
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
