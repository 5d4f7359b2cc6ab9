import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegular, realInside } from "../../base/files/index.js";
import { isClone, packageFolder, typescriptPackages, version } from "../../base/version/index.js";
import { manifestSchema, ownSchema, schemaFor } from "../../core/manifest/index.js";
import { loadKind, sourceNames } from "../../core/secrets/index.js";
import { addLines, ignoreInGit, shellWord } from "../../operations/index.js";
import { renderJson } from "../../output/render/index.js";
import { typescriptPackageFiles } from "./starter.js";

/** The files added beside a project. */
export interface EditorSupport {
  /** Files created or extended, relative to the project. */
  readonly files: readonly string[];
  /** What the user has to do: sentences. */
  readonly advice: readonly string[];
}

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
const tagSetting = '"yaml.customTags"';

const environmentExample = `# The variables that the project reads. Copy this file to .env, which git ignores, fill it in, and pass it with
# --env-file .env.
AVATAROPS_BASE_URL=
AVATAROPS_API_KEY=
`;

const [own = "", ...others] = Object.keys(typescriptPackages);
const names = [isClone ? shellWord(packageFolder) : own, ...others].join(" ");
const packageAdvice = `package.json exists: set "type": "module" in it, and run \`npm install --save-dev ${names}\`.`;
const cloneAdvice = `package.json takes avatarops from ${packageFolder}: after the first release, write "^${version}".`;

/**
 * Adds the files for git and editors to a new project; replaces no file. A YAML project has the schema that its first line
 * names, so that editors complete and validate without a network; one in TypeScript becomes a package, with a test.
 */
export async function addEditorSupport(
  folder: string,
  { yaml }: { readonly yaml: boolean },
): Promise<EditorSupport> {
  const tags = await customTags();
  const settings = `{\n  ${tagSetting}: ${JSON.stringify(tags).replaceAll(",", ", ")}\n}\n`;
  const isOwn = yaml && schemaFor(folder) === ownSchema;
  const texts: Readonly<Record<string, string>> = {
    ...(yaml
      ? { ...(isOwn && { [ownSchema]: renderJson(manifestSchema()) }), ".vscode/settings.json": settings }
      : typescriptPackageFiles),
    ".env.example": environmentExample,
  };
  const files: string[] = [];
  for (const [file, text] of Object.entries(texts)) if (await writeNew(folder, file, text)) files.push(file);
  if (await addLines(folder, ".gitattributes", ["*.md text eol=lf", "prompts/** text eol=lf"]))
    files.push(".gitattributes");
  if (await ignoreInGit(folder, isOwn ? [ownSchema] : yaml ? [] : ["node_modules/"]))
    files.push(".gitignore");
  if (!yaml && files.includes("package.json")) return { files, advice: isClone ? [cloneAdvice] : [] };
  if (!yaml) return { files, advice: [packageAdvice] };
  const settingsText = await readRegular(path.join(folder, ".vscode/settings.json"));
  const advice = `.vscode/settings.json exists: add ${tagSetting}: ${JSON.stringify(tags)} to it.`;
  return { files, advice: settingsText.includes(tagSetting) ? [] : [advice] };
}

/** Whether the file is new. */
export async function writeNew(folder: string, file: string, text: string): Promise<boolean> {
  const target = await realInside(folder, file);
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await writeFile(target, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
