import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { resolveInside } from "../../base/files/index.js";
import { createManifestSchema, findSchema, ownSchema } from "../../core/manifest/index.js";
import { loadKind, sourceNames } from "../../core/secrets/index.js";
import { addLines, ignoreInGit } from "../../operations/index.js";
import { renderJson } from "../../output/render/index.js";
import { typescriptPackageFiles } from "./starter.js";

/** Lists our YAML tags, which editors would otherwise report as unknown. */
async function listCustomTags(): Promise<string[]> {
  const kinds = await Promise.all(sourceNames.map(loadKind));
  return kinds.flatMap((kind) => {
    if (!kind) return [];
    const { name, shorthand } = kind;
    const alone = shorthand && [
      `!${name} ${shorthand.example.startsWith(`!${name} [`) ? "sequence" : "scalar"}`,
    ];
    return [...(alone ?? []), ...(name === "env" ? [] : [`!${name} mapping`])];
  });
}

/**
 * Adds files for git and editors to a new project, without overwriting existing files. For a YAML project, they include
 * the schema, so editors work offline. Returns the created and extended files.
 */
export async function addEditorSupport(
  folder: string,
  language: "typescript" | "yaml",
): Promise<readonly string[]> {
  const isYaml = language === "yaml";
  const isOwn = isYaml && findSchema(folder) === ownSchema;
  const texts: Readonly<Record<string, string>> = isYaml
    ? {
        ...(isOwn && { [ownSchema]: renderJson(createManifestSchema()) }),
        ".vscode/settings.json": renderJson({ "yaml.customTags": await listCustomTags() }),
      }
    : typescriptPackageFiles;
  const files: string[] = [];
  for (const [file, text] of Object.entries(texts))
    if (await createIfMissing(folder, file, text)) files.push(file);
  if (await addLines(folder, ".gitattributes", ["*.md text eol=lf", "prompts/** text eol=lf"], "start"))
    files.push(".gitattributes");
  if (await ignoreInGit(folder, isOwn ? [ownSchema] : isYaml ? [] : ["node_modules/"]))
    files.push(".gitignore");
  return files;
}

/** Creates a file. Returns false if it exists. */
export async function createIfMissing(folder: string, file: string, text: string): Promise<boolean> {
  const target = await resolveInside(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await writeFile(target, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
