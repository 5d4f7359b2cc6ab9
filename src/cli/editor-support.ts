import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readRegular, realInside } from "../files/index.js";
import { manifestSchema } from "../manifest/index.js";
import { renderJson } from "../render/index.js";
import { addLines, ignoreInGit } from "./ignore-in-git.js";

/** What was put beside a project. */
export interface EditorSupport {
  /** Files that were written or added to, relative to the project. */
  readonly files: readonly string[];
  /** What is left to the user: sentences. */
  readonly advice: readonly string[];
}

/** The tags of YAML that an editor would underline. */
const customTags = ["!env scalar", "!file scalar", "!exec sequence", "!exec mapping"];
const tagSetting = '"yaml.customTags"';

const environmentExample = `# The variables that the project reads. Copy this file to .env, which git ignores, fill it in, and give it with
# --env-file .env.
AVATAROPS_BASE_URL=
AVATAROPS_API_KEY=
`;

/**
 * Puts beside a new project what git and editors need, but replaces no file. With YAML, the schema that its first line
 * names is there, so that editors complete and check without a network.
 */
export async function addEditorSupport(
  folder: string,
  { yaml }: { readonly yaml: boolean },
): Promise<EditorSupport> {
  const settings = `{\n  ${tagSetting}: ${JSON.stringify(customTags).replaceAll(",", ", ")}\n}\n`;
  const wanted: Readonly<Record<string, string>> = {
    ...(yaml
      ? { "avatarops.schema.json": renderJson(manifestSchema()), ".vscode/settings.json": settings }
      : {}),
    ".env.example": environmentExample,
  };
  const files: string[] = [];
  for (const [file, text] of Object.entries(wanted)) if (await writeNew(folder, file, text)) files.push(file);
  if (await addLines(folder, ".gitattributes", ["*.md text eol=lf", "prompts/** text eol=lf"]))
    files.push(".gitattributes");
  if (await ignoreInGit(folder)) files.push(".gitignore");
  const knowsTags =
    !yaml || (await readRegular(path.join(folder, ".vscode/settings.json"))).includes(tagSetting);
  const advice = `.vscode/settings.json is yours: add ${tagSetting}: ${JSON.stringify(customTags)} to it.`;
  return { files, advice: knowsTags ? [] : [advice] };
}

/** Whether there was none, and there is one now. */
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
