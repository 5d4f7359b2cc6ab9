import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { writeInside } from "../../base/files/index.js";
import { documentKind, listKinds, type ProfileName } from "../../core/kinds/index.js";
import {
  createProjectExistsError,
  findSchema,
  mainFiles,
  renderMainFile,
} from "../../core/manifest/index.js";
import { resolveAccess } from "../project/connect.js";
import { createDefaultProject, loadProject } from "../project/open-project.js";
import { runInFolder } from "../runtime/run-in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";
import { type ImportReport, importIntoFiles } from "./import-into-files.js";

const documents = documentKind.kind.collection;

/**
 * Exports an account as a new project with a state. Creates a main file without objects and imports everything into it.
 *
 * @param folder Absolute path.
 * @throws UsageError
 */
export async function exportAccount(
  given: Runtime,
  folder: string,
  profile?: ProfileName,
): Promise<ImportReport> {
  const [file] = mainFiles;
  const options = { ...given.options, file: undefined, env: undefined };
  const runtime = { ...given, host: { ...given.host, cwd: folder }, options };
  await resolveAccess(given, await createDefaultProject(given));
  await runInFolder(folder, async () => {
    const existing = [...mainFiles, documents, ".avatarops/state.json"].filter((name) =>
      isFilled(folder, name),
    );
    if (existing.length > 0) throw createProjectExistsError(folder, existing);
    const content = renderMainFile({ baseUrl: given.options.baseUrl, profile }, findSchema(folder));
    await writeInside(folder, [{ file, content }]);
  });
  try {
    // Hides the warning that `include` matches no file, because the import creates the files.
    const project = await loadProject(runtime, { showsWarnings: false });
    if (await readState(runtime, project)) throw createProjectExistsError(folder, [project.state]);
    const { document, ...rest } = await importIntoFiles(runtime, project, "all");
    const files = [...new Set([file, ...document.files])];
    const left_out = [...listKinds(profile).flatMap(listCaveat), ...document.left_out];
    return { ...rest, document: { ...document, files, left_out } };
  } catch (error) {
    // A failed import has already removed its own files.
    await rm(path.join(folder, file));
    throw error;
  }
}

function isFilled(folder: string, name: string): boolean {
  const at = path.join(folder, name);
  return existsSync(at) && (name !== documents || readdirSync(at).some((file) => file.endsWith(".md")));
}

/** Explains which objects are left out because the service cannot list their kind. */
function listCaveat({ list, collection }: ReturnType<typeof listKinds>[number]): string[] {
  if (!list)
    return [
      `The service cannot list ${collection}. Declare the ones you use, and adopt them with \`avatarops import\`.`,
    ];
  if (list.exhaustive) return [];
  return [
    `The service cannot list ${collection}, so only those found in its ${list.endpoint} were exported. Declare the others by id.`,
  ];
}
