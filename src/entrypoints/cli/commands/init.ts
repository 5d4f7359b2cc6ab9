import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { isClone, packageFolder, version } from "../../../base/version/index.js";
import { createProjectExistsError, mainFiles } from "../../../core/manifest/index.js";
import { quoteShellWord, runInFolder } from "../../../operations/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { addEditorSupport, createIfMissing } from "../editor-support.js";
import type { initCommand } from "../facts/project.js";
import { createStarterFiles, typescriptPackages, typescriptStarterFiles } from "../starter.js";

export const command: RunCommand<typeof initCommand> = (call) => call.runToEnd(() => createProject(call));

async function createProject(call: CommandCall<typeof initCommand>): Promise<void> {
  const { host, output } = call;
  const [named = "."] = call.arguments;
  const { typescript } = call.options;
  const folder = host.resolve(named);
  const files = Object.entries(typescript ? typescriptStarterFiles : createStarterFiles(folder));
  // Also rejects a main file in the other language (YAML or TypeScript).
  const occupied = new Set([...files.map(([file]) => file), ...mainFiles]);
  const existing = [...occupied].filter((file) => existsSync(path.join(folder, file)));
  if (existing.length > 0) throw createProjectExistsError(folder, existing);
  const created: string[] = [];
  const added = await runInFolder(folder, async () => {
    try {
      for (const [file, text] of files) {
        if (!(await createIfMissing(folder, file, text))) throw createProjectExistsError(folder, [file]);
        created.push(file);
      }
      return await addEditorSupport(folder, typescript ? "typescript" : "yaml");
    } catch (error) {
      // Otherwise the next run would find a project.
      for (const file of created) await rm(path.join(folder, file));
      throw error;
    }
  });
  for (const file of [...created, ...added]) output.writeResult(path.join(named, file));
  const isNewPackage = added.includes("package.json");
  if (typescript && isNewPackage && isClone)
    output.info(
      `package.json installs avatarops from ${packageFolder}. After the first release, replace that path with "^${version}".`,
    );
  if (typescript && !isNewPackage) output.info('Set "type": "module" in the existing package.json.');
  const enter = path.relative(host.cwd, folder) === "" ? "" : `\`cd ${quoteShellWord(named)}\`, `;
  const install = typescript ? `\`${renderInstall(isNewPackage)}\`, ` : "";
  output.info(
    `Next: ${enter}${install}set AVATAROPS_BASE_URL and AVATAROPS_API_KEY, and run \`avatarops plan\`. For a tour without an account, run \`avatarops help quickstart\`.`,
  );
}

function renderInstall(isNewPackage: boolean): string {
  if (isNewPackage) return "npm install";
  const { avatarops, ...others } = typescriptPackages;
  const own = isClone ? quoteShellWord(packageFolder) : "avatarops";
  return `npm install --save-dev ${[own, ...Object.keys(others)].join(" ")}`;
}
