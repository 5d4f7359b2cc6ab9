import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { resolveInside } from "../../base/files/index.js";
import { findSchema, manifestSchema, ownSchema } from "../../core/manifest/index.js";
import { loadKind, sourceNames } from "../../core/secrets/index.js";
import { addLines, ignoreInGit } from "../../operations/index.js";
import { renderJson } from "../../output/render/index.js";

/** The YAML tags that an editor would underline as unknown. */
async function customTags(): Promise<string[]> {
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
 * Adds the files for git and editors to a new project; replaces no file. It has the schema that its first line names, so that
 * editors complete and validate without a network. Returns the files created or extended.
 */
export async function addEditorSupport(folder: string): Promise<readonly string[]> {
  const isOwn = findSchema(folder) === ownSchema;
  const settings = { "yaml.customTags": await customTags() };
  const texts = {
    ...(isOwn && { [ownSchema]: renderJson(manifestSchema()) }),
    ".vscode/settings.json": renderJson(settings),
  };
  const files: string[] = [];
  for (const [file, text] of Object.entries(texts)) if (await writeNew(folder, file, text)) files.push(file);
  if (await addLines(folder, ".gitattributes", ["*.md text eol=lf", "prompts/** text eol=lf"]))
    files.push(".gitattributes");
  if (await ignoreInGit(folder, isOwn ? [ownSchema] : [])) files.push(".gitignore");
  return files;
}

/** Whether the file is new. */
export async function writeNew(folder: string, file: string, text: string): Promise<boolean> {
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
